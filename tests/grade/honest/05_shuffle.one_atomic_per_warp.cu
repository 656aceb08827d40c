// SPDX-License-Identifier: MIT
// Every warp folds by shuffles, value and index as one key; one lane of each offers its best to a
// word in shared memory.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_argmax(const float *in, float *maxima, unsigned *indices,
                                        unsigned n) {
  __shared__ unsigned long long best;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  bool counts = i < n && in[i] == in[i]; // a NaN does not
  float value = counts ? in[i] : -INFINITY;
  if (value == 0) value = 0.0f; // -0 is as large as 0
  unsigned key = __float_as_uint(value);
  key = key >> 31 ? ~key : key | 0x80000000u;
  unsigned place = counts ? i : n;
  unsigned long long mine = (unsigned long long)key << 32 | (0xffffffffu - place);
  for (unsigned s = 16; s > 0; s /= 2) {
    unsigned long long other = __shfl_down_sync(0xffffffff, mine, s);
    if (other > mine) mine = other;
  }
  if (threadIdx.x == 0) best = 0;
  __syncthreads();
  if (threadIdx.x % 32 == 0) atomicMax(&best, mine);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned k = (unsigned)(best >> 32);
    maxima[blockIdx.x] = __uint_as_float(k >> 31 ? k & 0x7fffffffu : ~k);
    indices[blockIdx.x] = 0xffffffffu - (unsigned)best;
  }
}
