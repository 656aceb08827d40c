// SPDX-License-Identifier: MIT
// The lanes that load wait inside the loop, the others behind it.
//
// FINDS: divergent_barrier @inside @behind
// MAY FIND: barrier_lines @inside @behind
#include "case.h"

__global__ void gather(const int *in, int *out) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  if (MENDED || t % 32 < 8) {
    for (unsigned k = t; k < 64; k += 1) {
      tile[k % 64] = in[k]; // @store
      if (!MENDED) {
        __syncthreads(); // @inside
        break;
      }
      break;
    }
  }
  if (MENDED || t % 32 >= 8) __syncthreads(); // @behind
  out[t] = tile[t / 32 * 32 + t % 8];
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(64);
  gather<<<1, 64>>>(in, out);
  return case_end(case_fetch(out, 64)[63] == 39);
}
