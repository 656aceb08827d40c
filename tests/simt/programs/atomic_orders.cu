// SPDX-License-Identifier: MIT
//
// Atomics whose order and scope are arguments, of every operation.
#include <cstdio>

// The two are literals for nvcc.
#define RELAXED __NV_ATOMIC_RELAXED
#define BLOCK __NV_THREAD_SCOPE_BLOCK

__global__ void updates(int *i, unsigned *u, long long *l, double *d) {
  const int t = threadIdx.x;
  __nv_atomic_fetch_add(i, t, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  __nv_atomic_fetch_sub(i + 1, 2 * t, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_BLOCK);
  __nv_atomic_min(i + 2, 5 - t, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_CLUSTER);
  __nv_atomic_max(u, t == 3 ? 0x80000000u : 7u, __NV_ATOMIC_ACQ_REL);
  __nv_atomic_or(u + 1, 1 << t, __NV_ATOMIC_SEQ_CST, __NV_THREAD_SCOPE_SYSTEM);
  __nv_atomic_and(u + 2, ~(2u << t), RELAXED, BLOCK);
  __nv_atomic_fetch_xor(u + 3, t * 5, __NV_ATOMIC_CONSUME);
  __nv_atomic_add((unsigned long long *)l, t + 40, RELAXED);
  __nv_atomic_fetch_min(l + 1, -t * 10000000000, RELAXED);
  __nv_atomic_add(d, 0.5 * t, RELAXED, BLOCK);
  __nv_atomic_sub((float *)(d + 1), 0.25f, RELAXED, BLOCK);
}

__global__ void exchanges(int *i, double *d) {
  int wanted = 4, value = 9, old = 0;
  __nv_atomic_store_n(i, 3, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  const bool failed = __nv_atomic_compare_exchange(i, &wanted, &value, false, __NV_ATOMIC_SEQ_CST,
                                                   __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
  const int seen = wanted;
  const bool swapped = __nv_atomic_compare_exchange_n(i, &wanted, 8, true, RELAXED, RELAXED);
  __nv_atomic_exchange(i, &value, &old, __NV_ATOMIC_ACQ_REL, BLOCK);
  printf("%d %d %d %d %d\n", failed, seen, swapped, old,
         __nv_atomic_load_n(i, __NV_ATOMIC_ACQUIRE, BLOCK));
  double x = 1.5, y = 0;
  __nv_atomic_store(d, &x, __NV_ATOMIC_SEQ_CST);
  __nv_atomic_load(d, &y, __NV_ATOMIC_SEQ_CST);
  double z = 2.5;
  __nv_atomic_exchange(d, &z, &x, RELAXED);
  printf("%g %g %g\n", x, y, *d);
}

// A block writes, then says so; the other one waits and reads.
__global__ void handed_over(int *data, int *flag) {
  if (blockIdx.x == 0) {
    *data = 42;
    __nv_atomic_thread_fence(__NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
    __nv_atomic_store_n(flag, 1, __NV_ATOMIC_RELEASE, __NV_THREAD_SCOPE_DEVICE);
  } else {
    while (__nv_atomic_load_n(flag, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) == 0) {}
    printf("%d\n", *data);
  }
}

int main() {
  int *i;
  unsigned *u;
  long long *l;
  double *d;
  cudaMallocManaged(&i, 3 * sizeof *i);
  cudaMallocManaged(&u, 4 * sizeof *u);
  cudaMallocManaged(&l, 2 * sizeof *l);
  cudaMallocManaged(&d, 2 * sizeof *d);
  for (int k = 0; k < 3; k++) i[k] = 0;
  for (int k = 0; k < 4; k++) u[k] = k == 2 ? ~0u : 0;
  l[0] = l[1] = 0;
  d[0] = d[1] = 0;
  updates<<<1, 16>>>(i, u, l, d);
  cudaDeviceSynchronize();
  printf("%d %d %d\n%x %x %x %x\n", i[0], i[1], i[2], u[0], u[1], u[2], u[3]);
  printf("%lld %lld %g %g\n", l[0], l[1], d[0], *(float *)(d + 1));
  exchanges<<<1, 1>>>(i, d);
  cudaDeviceSynchronize();
  i[0] = i[1] = 0;
  handed_over<<<2, 1>>>(i, i + 1);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(i);
  cudaFree(u);
  cudaFree(l);
  cudaFree(d);
}
