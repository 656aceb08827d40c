// SPDX-License-Identifier: MIT
// simtcc: -std=c++17
// Minima and maxima of unsigned numbers in a block's and the system's scope; over-aligned objects
// of the device's heap; a barrier and a semaphore of libcu++ that are made before the program runs.
#include <cstdio>
#include <cuda/barrier>
#include <cuda/semaphore>
#include <cuda/std/chrono>

__global__ void bounds(unsigned *u, unsigned long long *l) {
  const unsigned big = 3000000000u + threadIdx.x;
  const unsigned long long huge = (1ull << 63) + threadIdx.x;
  atomicMax_block(&u[0], big);
  atomicMin_block(&u[1], big);
  atomicMax_system(&u[2], big);
  atomicMin_system(&u[3], big);
  atomicMax_block(&l[0], huge);
  atomicMin_block(&l[1], huge);
  atomicMax_system(&l[2], huge);
  atomicMin_system(&l[3], huge);
}

struct alignas(64) wide {
  int x[16];
};

__global__ void objects() {
  wide *one = new wide();
  wide *many = new wide[3];
  printf("%d %d %d\n", (int)((size_t)one % 64), (int)((size_t)&many[2] % 64), one->x[15]);
  delete one;
  delete[] many;
}

__device__ cuda::barrier<cuda::thread_scope_device> both{2};
__device__ cuda::binary_semaphore<cuda::thread_scope_device> one{1};
__device__ int sum;

__global__ void wait() {
  one.acquire();
  sum += blockIdx.x + 1;
  one.release();
  both.arrive_and_wait();
  if (blockIdx.x) return;
  const bool first = one.try_acquire_for(cuda::std::chrono::microseconds(1));
  printf("%d %d %d\n", sum, first, one.try_acquire_for(cuda::std::chrono::microseconds(1)));
}

int main() {
  unsigned *u;
  unsigned long long *l;
  cudaMallocManaged(&u, 4 * sizeof *u);
  cudaMallocManaged(&l, 4 * sizeof *l);
  for (int i = 0; i < 4; i++) {
    u[i] = i % 2 ? ~0u : 5;
    l[i] = i % 2 ? ~0ull : 5;
  }
  bounds<<<1, 64>>>(u, l);
  cudaDeviceSynchronize();
  for (int i = 0; i < 4; i++) printf("%u %llu\n", u[i], l[i]);
  objects<<<1, 1>>>();
  cudaDeviceSynchronize();
  wait<<<2, 1>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(u);
  cudaFree(l);
}
