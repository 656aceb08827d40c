// SPDX-License-Identifier: MIT
// All threads change two words in shared memory, one after the other.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void block_min_max(const float *in, float *minima, float *maxima,
                                         unsigned n) {
  extern __shared__ float values[];
  __shared__ float least, most;
  float *low = values, *high = values + blockDim.x;
  unsigned t = threadIdx.x, i = blockIdx.x * (2 * blockDim.x) + t;
  float first = i < n ? in[i] : NAN, second = i + blockDim.x < n ? in[i + blockDim.x] : NAN;
  low[t] = fminf(fminf(INFINITY, first), second);
  high[t] = fmaxf(fmaxf(-INFINITY, first), second);
  if (t == 0) least = INFINITY, most = -INFINITY;
  __syncthreads();
  float x = ((volatile float *)high)[t], y = ((volatile float *)low)[t];
  if (x >= 0) atomicMax((int *)&most, __float_as_int(x));
  else atomicMin((unsigned *)&most, __float_as_uint(x));
  if (y >= 0) atomicMin((int *)&least, __float_as_int(y));
  else atomicMax((unsigned *)&least, __float_as_uint(y));
  __syncthreads();
  if (t == 0) minima[blockIdx.x] = least, maxima[blockIdx.x] = most;
}
