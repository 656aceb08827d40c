// SPDX-License-Identifier: MIT
// The ladder of lessons 01 to 06, once for all GPUs: a kernel that depends on how many threads
// execute together is a template over that number. Included by portable.cu (CUDA) and portable.hip
// (HIP); each has included its own runtime's header before.
//
// Every kernel: in[n] to one partial sum per block, out[gridDim.x]. Blocks are powers of two and
// whole waves.
#ifndef PORTABLE_KERNELS_CUH
#define PORTABLE_KERNELS_CUH

#include "wave.cuh"

// Two elements per thread, added while loading (lesson 03).
static __device__ float sum_of_pair(const float *in, unsigned n) {
  const unsigned i = blockIdx.x * (2 * blockDim.x) + threadIdx.x;
  float sum = i < n ? in[i] : 0.0f;
  if (i + blockDim.x < n) sum += in[i + blockDim.x];
  return sum;
}

//! [tree]
// Lessons 01 to 03: the block's barrier in every step. It does not know what a wave is.
__global__ void tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[]; // [blockDim.x]
  const unsigned t = threadIdx.x;
  tile[t] = sum_of_pair(in, n);
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    __syncthreads(); // what was written before is there
    if (t < s) tile[t] += tile[t + s];
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
//! [tree]

//! [fold]
// Lesson 04: the block's barrier while several waves add, then the wave's own.
template <unsigned lanes> __global__ void fold(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[]; // [blockDim.x]
  const unsigned t = threadIdx.x;
  tile[t] = sum_of_pair(in, n);
  for (unsigned s = blockDim.x / 2; s >= lanes; s /= 2) {
    __syncthreads();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t >= lanes) return; // one wave is left, and synchronises with itself alone
#pragma unroll
  for (unsigned s = lanes / 2; s > 0; s /= 2) {
    wave<lanes>::sync();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
//! [fold]

//! [sum]
// Lesson 05: the sum over the wave, in all lanes of it.
template <unsigned lanes> static __device__ float sum_of_wave(float value) {
#pragma unroll
  for (unsigned s = lanes / 2; s > 0; s /= 2) value += wave<lanes>::across(value, s);
  return value;
}

// The sum over the block, in the first wave. One value per wave goes through shared memory.
template <unsigned lanes> static __device__ float sum_of_block(float value) {
  __shared__ float slots[1024 / lanes];
  const unsigned lane = wave<lanes>::lane(), which = threadIdx.x / lanes;
  value = sum_of_wave<lanes>(value);
  if (lane == 0) slots[which] = value;
  __syncthreads(); // every slot is written
  if (which > 0) return 0.0f;
  return sum_of_wave<lanes>(lane < blockDim.x / lanes ? slots[lane] : 0.0f);
}

template <unsigned lanes> __global__ void first(const float *in, float *out, unsigned n) {
  const float sum = sum_of_block<lanes>(sum_of_pair(in, n));
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
//! [sum]

//! [stride]
// Lesson 06: the grid's threads walk over the array, eight loads under way.
template <unsigned lanes> __global__ void stride(const float *in, float *out, unsigned n) {
  const unsigned n_threads = gridDim.x * blockDim.x;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f, item[8];
  for (; i + 7 * n_threads < n; i += 8 * n_threads) {
#pragma unroll
    for (unsigned j = 0; j < 8; j++) item[j] = in[i + j * n_threads];
#pragma unroll
    for (unsigned j = 0; j < 8; j++) sum += item[j];
  }
  for (; i < n; i += n_threads) sum += in[i];
  sum = sum_of_block<lanes>(sum);
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}
//! [stride]

#endif
