// SPDX-License-Identifier: MIT
// The last kernel of lesson 14 in a whole program: the sum of a million floats with waves of 32
// lanes, which are warps, and with waves of 64, which are two of them.
//
//   nvcc minimal.cu -o minimal && ./minimal                               with a GPU
//   ../../build/common/simt/simtcc minimal.cu -o minimal && ./minimal     without one
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

template <unsigned lanes> struct wave;
template <> struct wave<32> { // a warp
  static __device__ unsigned lane() { return threadIdx.x % 32; }
  static __device__ void sync() { __syncwarp(); }
  static __device__ float across(float value, unsigned distance) {
    return __shfl_xor_sync(0xffffffff, value, distance);
  }
};

template <> struct wave<64> { // two warps: what one of them cannot see goes through shared memory
  static __device__ unsigned lane() { return threadIdx.x % 64; }
  static __device__ void sync() { // 64 threads wait; barrier 0 is __syncthreads()
    asm volatile("barrier.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
  }
  static __device__ float across(float value, unsigned distance) {
    if (distance < 32) return __shfl_xor_sync(0xffffffff, value, distance); // in the same half
    __shared__ float values[1024];
    values[threadIdx.x] = value;
    wave::sync(); // both halves have stored
    const float other = values[threadIdx.x ^ distance];
    wave::sync(); // and have read: the next call may store
    return other;
  }
};

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

// The grid's threads walk over in[n], eight loads under way: one partial sum per block.
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

// The sum of x[n] on the device, in whole waves of `lanes` threads.
template <unsigned lanes> static float sum(const float *x, float *sums, unsigned n, int n_blocks) {
  float result;
  stride<lanes><<<n_blocks, 256>>>(x, sums, n);
  stride<lanes><<<1, 256>>>(sums, sums + n_blocks, n_blocks);
  check(cudaGetLastError(), "launching");
  check(cudaMemcpy(&result, sums + n_blocks, sizeof(float), cudaMemcpyDeviceToHost), "the sum");
  return result;
}

int main() {
  const unsigned n = 1000003, n_blocks = 256;
  float *x = (float *)malloc(n * sizeof(float)), *x_device, *sums, expected = 0.0f;
  if (!x) return 1;
  for (unsigned i = 0; i < n; i++) expected += x[i] = (float)(i % 10); // a float holds it exactly
  check(cudaMalloc(&x_device, n * sizeof(float)), "allocating the input");
  check(cudaMalloc(&sums, (n_blocks + 1) * sizeof(float)), "allocating the sums");
  check(cudaMemcpy(x_device, x, n * sizeof(float), cudaMemcpyHostToDevice), "copying the input");
  const float of_32 = sum<32>(x_device, sums, n, n_blocks);
  const float of_64 = sum<64>(x_device, sums, n, n_blocks);
  printf("waves of 32: %.0f, of 64: %.0f, expected %.0f\n", of_32, of_64, expected);
  check(cudaFree(x_device), "freeing");
  check(cudaFree(sums), "freeing");
  free(x);
  return of_32 == expected && of_64 == expected ? 0 : 1;
}
