// SPDX-License-Identifier: MIT
// Atomics of every type, in global and shared memory, with and without using the old value, and
// what people build from compare-and-swap.
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>

struct Cells {
  int add, sub, low, high, all, any, parity, exchanged, taken;
  unsigned wrapped, down, uadd, umin, umax;
  unsigned long long wide, wide_max, wide_and;
  long long signed_min;
  float sum;
  double dsum;
  float cas_max;
  __half hsum;
  __half2 h2sum;
  int order[256];
  int n_order;
};

__device__ float atomic_max(float *address, float value) {
  int seen = __float_as_int(*(volatile float *)address);
  while (__int_as_float(seen) < value) {
    const int old = atomicCAS((int *)address, seen, __float_as_int(value));
    if (old == seen) break;
    seen = old;
  }
  return __int_as_float(seen);
}

__device__ void update(Cells *c, int i) {
  atomicAdd(&c->add, i);
  atomicSub(&c->sub, 2);
  atomicMin(&c->low, 1000 - i);
  atomicMax(&c->high, (i * 37) % 101);
  atomicAnd(&c->all, ~(1 << (i % 7)));
  atomicOr(&c->any, 1 << (i % 5));
  atomicXor(&c->parity, i);
  atomicInc(&c->wrapped, 9);
  atomicDec(&c->down, 6);
  atomicAdd(&c->uadd, 0xffffffffu);
  atomicMin(&c->umin, 0x90000000u - i);
  atomicMax(&c->umax, 0x80000000u + i);
  atomicAdd(&c->wide, 1ull << 33);
  atomicMax(&c->wide_max, (unsigned long long)i << 35);
  atomicAnd(&c->wide_and, ~(1ull << (i % 60)));
  atomicMin(&c->signed_min, -(long long)i << 36);
  atomicAdd(&c->sum, 0.25f * (i % 8));
  atomicAdd(&c->dsum, 0.125 * i);
  atomicAdd(&c->hsum, __float2half(0.5f));
  atomicAdd(&c->h2sum, __floats2half2_rn(1.0f, -0.25f));
  atomic_max(&c->cas_max, (float)((i * 53) % 997));
  atomicExch(&c->exchanged, 77);
  if (atomicCAS(&c->taken, 0, 5) == 0) atomicAdd(&c->taken, 100);
  c->order[atomicAdd(&c->n_order, 1)] = i;
}

__global__ void in_global(Cells *c) { update(c, blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void in_shared(Cells *c) {
  __shared__ Cells s;
  if (threadIdx.x == 0) s = *c;
  __syncthreads();
  update(&s, threadIdx.x);
  __syncthreads();
  if (threadIdx.x == 0) *c = s;
}

__global__ void lock_and_add(int *lock, int *value) {
  // One thread of a block at a time, as all of them write it first.
  if (threadIdx.x % 32 == 0) {
    while (atomicCAS(lock, 0, 1) != 0) {}
    __threadfence();
    *(volatile int *)value = *(volatile int *)value + 1;
    __threadfence();
    atomicExch(lock, 0);
  }
}

__global__ void scopes(int *a) {
  atomicAdd_block(&a[0], 1);
  atomicAdd_system(&a[1], 2);
  atomicMax_block(&a[2], (int)threadIdx.x);
  atomicCAS_system(&a[3], 0, 9);
}

static void show(const char *name, const Cells &c) {
  long order = 0;
  for (int i = 0; i < 256; i++) order += c.order[i];
  printf("%s: %d %d %d %d %x %x %d %d %d | %u %u %u %u %u\n", name, c.add, c.sub, c.low, c.high,
         c.all, c.any, c.parity, c.exchanged, c.taken, c.wrapped, c.down, c.uadd, c.umin, c.umax);
  printf("  %llx %llx %llx %llx | %g %g %g | %g %g %g | %ld %d\n", c.wide, c.wide_max, c.wide_and,
         c.signed_min, c.sum, c.dsum, c.cas_max, __half2float(c.hsum), __low2float(c.h2sum),
         __high2float(c.h2sum), order, c.n_order);
}

int main() {
  Cells zero = {}, h;
  zero.low = 1 << 30;
  zero.all = -1;
  zero.umin = ~0u;
  zero.wide_and = ~0ull;
  zero.down = 3;
  zero.cas_max = -1.0f;
  zero.hsum = __float2half(0.0f);
  zero.h2sum = __floats2half2_rn(0.0f, 0.0f);
  Cells *d;
  cudaMalloc(&d, sizeof *d);
  cudaMemcpy(d, &zero, sizeof zero, cudaMemcpyHostToDevice);
  in_global<<<4, 64>>>(d);
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  show("global", h);
  cudaMemcpy(d, &zero, sizeof zero, cudaMemcpyHostToDevice);
  in_shared<<<1, 256>>>(d);
  cudaMemcpy(&h, d, sizeof h, cudaMemcpyDeviceToHost);
  show("shared", h);

  int *cells, values[4];
  cudaMalloc(&cells, sizeof values);
  cudaMemset(cells, 0, sizeof values);
  lock_and_add<<<8, 128>>>(cells, cells + 1);
  cudaMemcpy(values, cells, sizeof values, cudaMemcpyDeviceToHost);
  printf("lock: %d %d\n", values[0], values[1]);
  cudaMemset(cells, 0, sizeof values);
  scopes<<<1, 96>>>(cells);
  cudaMemcpy(values, cells, sizeof values, cudaMemcpyDeviceToHost);
  printf("scopes: %d %d %d %d\n", values[0], values[1], values[2], values[3]);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
