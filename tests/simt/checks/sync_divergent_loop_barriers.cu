// SPDX-License-Identifier: MIT
// The lanes that load wait inside the loop, the others after it.
//
// FINDS: divergent_barrier @inside @behind
// MAY FIND: barrier_lines @inside @behind
#include "case.h"

__global__ void gather(const int *in, int *out) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  for (unsigned k = t % 32; k < 8; k += 8) { // eight lanes of each warp, one round
    tile[t] = in[t];
    if (!MENDED) __syncthreads(); // @inside
  }
  if (MENDED || t % 32 >= 8) __syncthreads(); // @behind
  out[t] = tile[t / 32 * 32 + t % 8];
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(64);
  gather<<<1, 64>>>(in, out);
  return case_end(case_fetch(out, 64)[63] == 39);
}
