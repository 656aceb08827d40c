// SPDX-License-Identifier: MIT
// Stored four floats at a time, read one by one, with a barrier for the warp where the block needs
// one.
//
// FINDS: race_write_after_read @one @four
// MAY FIND: uninitialised_shared @one
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void rotate(const float4 *in, float *out) {
  __shared__ __align__(16) float tile[256];
  const unsigned t = threadIdx.x;
  ((float4 *)tile)[t] = in[t]; // @four
  if (MENDED) __syncthreads();
  else __syncwarp();
  for (unsigned k = t; k < 256; k += 64) out[k] = tile[(k + 4) % 256]; // @one
}

int main() {
  float *in = case_numbers<float>(256), *out = case_unwritten<float>(256);
  rotate<<<1, 64>>>((const float4 *)in, out);
  const float *got = case_fetch(out, 256);
  bool right = true;
  for (int k = 0; k < 256; k++) right &= got[k] == (k + 4) % 256;
  return case_end(right);
}
