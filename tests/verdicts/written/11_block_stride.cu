// SPDX-License-Identifier: MIT
#include <cuda_runtime.h>

static const unsigned FULL_MASK = 0xffffffff;
enum { GROUPS = 16 };

extern __shared__ long long counters[];

static __device__ void count(float x) {
  unsigned bits = __float_as_uint(x);
  bool negative = bits & 0x80000000u;
  unsigned field = (bits & 0x7f800000u) >> 23;
  long long m = bits & 0x007fffffu;
  if (field > 0) m |= 0x00800000;
  else m *= 2;
  m <<= field & 15;
  if (negative) m = -m;
  counters[(field >> 4) * blockDim.x + threadIdx.x] += m;
}

static __device__ long long sum_of_lanes(long long x) {
  for (unsigned s = 16; s > 0; s /= 2) x += __shfl_xor_sync(FULL_MASK, x, s);
  return x;
}

extern "C" __global__ void add_exactly(const float *in, long long *sums, unsigned n) {
  int tid = threadIdx.x;
  int width = blockDim.x;
  for (int g = 0; g < GROUPS; g++) counters[g * width + tid] = 0;
  unsigned pos = blockIdx.x * blockDim.x + threadIdx.x;
  while (pos < n) {
    count(in[pos]);
    pos += blockDim.x; // wrong: stride
  }
  __syncthreads();
  int warp = tid >> 5, lane = tid & 31, warps = width >> 5;
  for (int g = warp; g < GROUPS; g += warps) {
    long long part = 0;
    for (int k = lane; k < width; k += 32) part += counters[g * width + k];
    part = sum_of_lanes(part);
    if (lane == 0) atomicAdd((unsigned long long *)(sums + g), (unsigned long long)part);
  }
}
