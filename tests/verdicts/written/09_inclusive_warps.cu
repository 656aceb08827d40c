// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
#include <math.h>

static __device__ unsigned kept_before(bool keep, unsigned *total) {
  __shared__ unsigned sums[32];
  const unsigned lane = threadIdx.x & 31, wid = threadIdx.x >> 5;
  const unsigned bits = __ballot_sync(0xffffffff, keep);
  if (lane == 0) sums[wid] = __popc(bits);
  __syncthreads();
  unsigned mine = lane < blockDim.x / 32 ? sums[lane] : 0;
  unsigned incl = mine;
  for (unsigned s = 1; s < 32; s *= 2) {
    const unsigned up = __shfl_up_sync(0xffffffff, incl, s);
    if (lane >= s) incl += up;
  }
  *total = __shfl_sync(0xffffffff, incl, 31);
  const unsigned before_warp = __shfl_sync(0xffffffff, incl, wid); // wrong: index: own number
  return before_warp + __popc(bits & ((1u << lane) - 1));
}

extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  const unsigned gid = threadIdx.x + blockIdx.x * blockDim.x;
  unsigned total = 0;
  const bool keep = gid < n ? in[gid] > t : false;
  kept_before(keep, &total);
  if (threadIdx.x == 0) counts[blockIdx.x] = total;
}

extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  const unsigned gid = threadIdx.x + blockIdx.x * blockDim.x;
  unsigned total = 0;
  const bool keep = gid < n ? in[gid] > t : false;
  const unsigned rank = kept_before(keep, &total);
  if (keep) out[offsets[blockIdx.x] + rank] = in[gid];
}
