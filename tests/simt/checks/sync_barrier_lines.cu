// SPDX-License-Identifier: MIT
// Each warp has a barrier of its own, in its own branch: right, but easily broken; said as a note.
//
// FINDS: barrier_lines @producer @consumer
#include "case.h"

__global__ void roles(const int *in, int *out) {
  __shared__ int tile[32];
  const unsigned lane = threadIdx.x % 32;
  if (threadIdx.x < 32) {
    tile[lane] = in[lane] + 1;
    if (!MENDED) __syncthreads(); // @producer
  } else if (!MENDED) {
    __syncthreads(); // @consumer
  }
  if (MENDED) __syncthreads();
  if (threadIdx.x >= 32) out[lane] = tile[lane];
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  roles<<<1, 64>>>(in, out);
  return case_end(case_fetch(out, 32)[31] == 32);
}
