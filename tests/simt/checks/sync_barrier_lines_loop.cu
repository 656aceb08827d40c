// SPDX-License-Identifier: MIT
// The first warp waits in its own loop, the others in theirs: equally often, so that it works.
//
// FINDS: barrier_lines @first @others
#include "case.h"

__global__ void rounds(int *out, int n) {
  __shared__ int tile[64];
  tile[threadIdx.x] = 0;
  __syncthreads();
  if (MENDED) {
    for (int r = 0; r < n; r++) {
      tile[threadIdx.x] += threadIdx.x < 32 ? 1 : 2;
      __syncthreads();
    }
  } else if (threadIdx.x < 32) {
    for (int r = 0; r < n; r++) {
      tile[threadIdx.x] += 1;
      __syncthreads(); // @first
    }
  } else {
    for (int r = 0; r < n; r++) {
      tile[threadIdx.x] += 2;
      __syncthreads(); // @others
    }
  }
  out[threadIdx.x] = tile[63 - threadIdx.x];
}

int main() {
  int *out = case_unwritten<int>(64);
  rounds<<<1, 64>>>(out, 3);
  return case_end(case_fetch(out, 64)[0] == 6);
}
