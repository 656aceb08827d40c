// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
static __device__ unsigned rank_in_block(bool keep, unsigned *total) {
  __shared__ unsigned s[1024];
  unsigned t = threadIdx.x;
  s[t] = __popc(__ballot_sync(0xffffffffu, keep)) ? keep : 0;
  __syncthreads();
  for (unsigned d = 1; d < blockDim.x; d *= 2) {
    if (t >= d) s[t] += s[t - d]; // wrong: barrier
    __syncthreads();
  }
  *total = s[blockDim.x - 1];
  return t ? s[t - 1] : 0;
}
extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, total;
  rank_in_block(i < n && in[i] > t, &total);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}
extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x, total;
  bool keep = i < n && in[i] > t;
  unsigned r = rank_in_block(keep, &total);
  if (keep) out[offsets[blockIdx.x] + r] = in[i];
}
