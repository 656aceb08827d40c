// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
struct ranks {
  unsigned before, total;
};
static __device__ ranks kept_before(bool keep) {
  __shared__ unsigned sums[32];
  const unsigned lane = threadIdx.x & 31, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
  const unsigned votes = __ballot_sync(0xffffffffu, keep);
  if (lane == 0) sums[warp] = __popc(votes);
  __syncthreads();
  ranks r = {(unsigned)__popc(votes & ((1u << lane) - 1)), 0};
  for (unsigned w = 0; w < warps; w++) {
    r.total = sums[w]; // wrong: operator
    if (w < warp) r.before += sums[w];
  }
  return r;
}
extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = false;
  if (i < n) keep = in[i] > t;
  const ranks r = kept_before(keep);
  if (threadIdx.x == 0) counts[blockIdx.x] = r.total;
}
extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bool keep = false;
  if (i < n) keep = in[i] > t;
  const ranks r = kept_before(keep);
  if (keep) out[offsets[blockIdx.x] + r.before] = in[i];
}
