// SPDX-License-Identifier: MIT
//
// Latches and semaphores between blocks, and the functions of cuda/std/bit.
#include <cuda/latch>
#include <cuda/semaphore>
#include <cuda/std/bit>

#include <cstdio>
#include <new>

struct gates {
  cuda::counting_semaphore<cuda::thread_scope_device, 2> two;
  cuda::binary_semaphore<cuda::thread_scope_device> one;
  cuda::latch<cuda::thread_scope_device> all_blocks;
  gates() : two(2), one(1), all_blocks(4) {}
};
__device__ int inside, most, sum;

__global__ void enter(gates *g, int *seen) {
  if (threadIdx.x) return;
  g->two.acquire();
  atomicMax(&most, atomicAdd(&inside, 1) + 1);
  atomicSub(&inside, 1);
  g->two.release();
  g->one.acquire();
  sum += blockIdx.x + 1; // one block at a time
  g->one.release();
  g->all_blocks.count_down();
  g->all_blocks.wait();
  seen[blockIdx.x] = *(volatile int *)&sum;
}

__global__ void bits(int *out) {
  const unsigned x = 0x00f0 + threadIdx.x;
  out[0] = cuda::std::popcount(x);
  out[1] = cuda::std::countl_zero(x);
  out[2] = cuda::std::countr_zero((unsigned char)0x30);
  out[3] = cuda::std::countl_one((unsigned char)0xe1);
  out[4] = (int)cuda::std::bit_ceil(x);
  out[5] = (int)cuda::std::bit_floor(x);
  out[6] = (int)cuda::std::bit_width(x);
  out[7] = (int)cuda::std::rotl((unsigned char)0x81, 1);
  out[8] = (int)cuda::std::rotr((unsigned short)1, 4);
  out[9] = cuda::std::has_single_bit(64ull);
  out[10] = cuda::std::bit_cast<int>(1.0f);
  out[11] = cuda::std::countl_zero(0ull);
}

int main() {
  int *out, largest = 0;
  gates *g;
  cudaMallocManaged(&g, sizeof *g);
  new (g) gates();
  cudaMallocManaged(&out, 16 * sizeof *out);
  enter<<<4, 32>>>(g, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d %d %d %d\n", out[0], out[1], out[2], out[3]);
  cudaMemcpyFromSymbol(&largest, most, sizeof largest);
  printf("at most two: %d\n", largest >= 1 && largest <= 2);
  bits<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 12; i++) printf("%d ", out[i]);
  printf("\n");
  cudaFree(g);
  cudaFree(out);
}
