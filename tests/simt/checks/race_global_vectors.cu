// SPDX-License-Identifier: MIT
// Four floats per thread; the next lane's are read without a __syncwarp().
//
// FINDS: race_read_after_write @store @load
// MAY FIND: uninitialised_global @load
// SHOWS: lane-serial delayed-stores
#include "case.h"

__global__ void difference(const float4 *in, float4 *copy, float *out) {
  const unsigned t = threadIdx.x;
  copy[t] = in[t]; // @store
  if (MENDED) __syncwarp();
  out[t] = copy[(t + 1) % 32].x + copy[t].w; // @load
}

int main() {
  float *in = case_numbers<float>(128), *copy = case_unwritten<float>(128);
  float *out = case_unwritten<float>(32);
  difference<<<1, 32>>>((const float4 *)in, (float4 *)copy, out);
  const float *got = case_fetch(out, 32);
  bool right = true;
  for (int t = 0; t < 31; t++) right &= got[t] == 8 * t + 7;
  return case_end(right);
}
