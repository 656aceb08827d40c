// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_90
//
// Atomics of 16 bytes, in global and in shared memory: a loop of compare-and-swap whose first read
// is a plain one, and exchanges.
#include <cstdio>

typedef unsigned long long word;
struct alignas(16) pair {
  word a, b;
};

static __device__ bool swap_if(pair *p, pair wanted, pair value, pair &old) {
  asm volatile("{ .reg .b128 c, v, o;\n"
               "mov.b128 c, {%3, %4}; mov.b128 v, {%5, %6};\n"
               "atom.global.cas.b128 o, [%2], c, v; mov.b128 {%0, %1}, o; }"
               : "=l"(old.a), "=l"(old.b)
               : "l"(p), "l"(wanted.a), "l"(wanted.b), "l"(value.a), "l"(value.b)
               : "memory");
  return old.a == wanted.a && old.b == wanted.b;
}

static __device__ pair swap_shared(pair *p, pair value) {
  pair old;
  asm volatile("{ .reg .b128 v, o;\n"
               "mov.b128 v, {%3, %4}; atom.acq_rel.cta.shared.exch.b128 o, [%2], v;\n"
               "mov.b128 {%0, %1}, o; }"
               : "=l"(old.a), "=l"(old.b)
               : "r"((unsigned)__cvta_generic_to_shared(p)), "l"(value.a), "l"(value.b)
               : "memory");
  return old;
}

__global__ void count(pair *p) {
  pair now = {p->a, p->b}, old;
  for (;;) {
    const pair next = {now.a + 1, now.b ^ (now.a * 3 + 1)};
    if (swap_if(p, now, next, old)) break;
    now = old;
  }
}

__global__ void exchange(pair *p, word *old) {
  asm volatile("{ .reg .b128 v, r;\n"
               "mov.b128 v, {%3, %4}; atom.global.exch.b128 r, [%2], v; mov.b128 {%0, %1}, r; }"
               : "=l"(old[0]), "=l"(old[1])
               : "l"(p), "l"(0x1111222233334444ull), "l"(0x5555666677778888ull)
               : "memory");
}

// Each thread puts in its own pair and takes out another one's: all of them are still there.
__global__ void pass_on(pair *sum) {
  __shared__ pair cell;
  const word i = threadIdx.x;
  if (i == 0) cell = {1000, 1000000};
  __syncthreads();
  const pair taken = swap_shared(&cell, {i, i * i});
  atomicAdd(&sum->a, taken.a);
  atomicAdd(&sum->b, taken.b);
  __syncthreads();
  if (i == 0) atomicAdd(&sum->a, cell.a), atomicAdd(&sum->b, cell.b);
}

__global__ void one_half_differs(pair *p, unsigned *how_many) {
  pair old;
  const word i = threadIdx.x;
  if (swap_if(p, {7, i}, {7, i + 100}, old)) atomicAdd(how_many, 1u);
  if (swap_if(p, {i, 9}, {i + 100, 9}, old)) atomicAdd(how_many, 1000u);
}

int main() {
  pair *p;
  word *old;
  unsigned *n;
  cudaMallocManaged(&p, sizeof *p);
  cudaMallocManaged(&old, 2 * sizeof *old);
  cudaMallocManaged(&n, sizeof *n);
  *p = {5, 9};
  count<<<2, 64>>>(p);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  printf("%llu %llx\n", p->a, p->b);
  exchange<<<1, 1>>>(p, old);
  cudaDeviceSynchronize();
  printf("%llu %llx %llx %llx\n", old[0], old[1], p->a, p->b);
  *p = {0, 0};
  pass_on<<<1, 96>>>(p);
  cudaDeviceSynchronize();
  printf("%llu %llu\n", p->a, p->b);
  *p = {7, 31}; // thread 31 of the first warp swaps
  *n = 0;
  one_half_differs<<<1, 64>>>(p, n);
  printf("%s ", cudaGetErrorString(cudaDeviceSynchronize()));
  printf("%u %llu %llu\n", *n, p->a, p->b);
  cudaFree(p);
  cudaFree(old);
  cudaFree(n);
}
