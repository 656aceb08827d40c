// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>
extern __shared__ long long column[];
static __device__ void put(float x) {
  unsigned u = __float_as_uint(x);
  unsigned expo = u >> 23; // wrong: operator
  long long m = u & 0x7fffff;
  if (expo > 0) m |= 0x800000;
  else m <<= 1;
  m <<= expo & 15;
  if (u & 0x80000000u) m = -m;
  column[(expo >> 4) * blockDim.x + threadIdx.x] += m;
}
extern "C" __global__ void add_exactly(const float *in, long long *sums, unsigned n) {
  for (int g = 0; g < 16; g++) column[g * blockDim.x + threadIdx.x] = 0;
  unsigned step = blockDim.x * gridDim.x;
  for (unsigned k = threadIdx.x + blockDim.x * blockIdx.x; k < n; k += step) put(in[k]);
  __syncthreads();
  unsigned warps = blockDim.x / 32, w = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (unsigned g = w; g < 16; g += warps) {
    long long s = 0;
    for (unsigned k = 0; k < warps; k++) s += column[g * blockDim.x + k * 32 + lane];
    for (int d = 16; d; d >>= 1) s += __shfl_down_sync(0xffffffffu, s, d);
    if (lane == 0) atomicAdd((unsigned long long *)sums + g, (unsigned long long)s);
  }
}
