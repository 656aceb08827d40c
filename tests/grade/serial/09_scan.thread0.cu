// SPDX-License-Identifier: MIT
// Thread 0 counts and writes.
#include <cuda_runtime.h>

extern "C" __global__ void count_kept(const float *in, unsigned *counts, unsigned n, float t) {
  if (threadIdx.x) return;
  unsigned first = blockIdx.x * blockDim.x, kept = 0;
  for (unsigned i = first; i < n && i < first + blockDim.x; i++) kept += in[i] > t;
  counts[blockIdx.x] = kept;
}

extern "C" __global__ void write_kept(const float *in, const unsigned *offsets, float *out,
                                      unsigned n, float t) {
  if (threadIdx.x) return;
  unsigned first = blockIdx.x * blockDim.x, place = offsets[blockIdx.x];
  for (unsigned i = first; i < n && i < first + blockDim.x; i++)
    if (in[i] > t) out[place++] = in[i];
}
