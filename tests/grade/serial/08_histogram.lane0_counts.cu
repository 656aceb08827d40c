// SPDX-License-Identifier: MIT
// All lanes read, and lane 0 of each warp counts for its warp.
#include <cuda_runtime.h>

enum { BINS = 256, COPIES = 32 };

static __device__ void bump(unsigned *mine, unsigned v, unsigned by) {
  atomicAdd(mine + v * COPIES, by);
}

static __device__ void count_group(unsigned *mine, uint4 group) {
  const unsigned low = group.x & 255;
  const unsigned same = low | low << 8 | low << 16 | low << 24;
  if (group.x == same && group.y == same && group.z == same && group.w == same) {
    bump(mine, low, 16);
    return;
  }
  unsigned w[4] = {group.x, group.y, group.z, group.w};
  for (int q = 0; q < 4; q++) {
    for (int shift = 0; shift < 32; shift += 8) { bump(mine, (w[q] >> shift) & 255, 1); }
  }
}

extern "C" __global__ void byte_histogram(const unsigned char *in, unsigned *bins, unsigned n) {
  __shared__ unsigned counts[BINS * COPIES];
  for (int k = threadIdx.x; k < BINS * COPIES; k += blockDim.x) { counts[k] = 0; }
  __syncthreads();
  unsigned *mine = counts + threadIdx.x % COPIES;
  unsigned id = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned all = gridDim.x * blockDim.x;
  unsigned head = (16 - (size_t)in % 16) % 16;
  if (head > n) head = n;
  unsigned whole = (n - head) / 16;
  const uint4 *wide = (const uint4 *)(in + head);
  if (id < head) bump(mine, in[id], 1);
  __shared__ uint4 stage[1024];
  for (unsigned base = blockIdx.x * blockDim.x; base < whole; base += all) {
    unsigned g = base + threadIdx.x;
    if (g < whole) stage[threadIdx.x] = wide[g];
    __syncwarp();
    if (threadIdx.x % 32 == 0)
      for (unsigned k = 0; k < 32 && g + k < whole; k++) count_group(mine, stage[threadIdx.x + k]);
    __syncwarp();
  }
  unsigned rest = head + whole * 16;
  if (rest + id < n) bump(mine, in[rest + id], 1);
  __syncthreads();
  for (int v = threadIdx.x; v < BINS; v += blockDim.x) {
    unsigned sum = 0;
    for (int c = 0; c < COPIES; c++) { sum += counts[v * COPIES + (c + v) % COPIES]; }
    if (sum != 0) atomicAdd(bins + v, sum);
  }
}
