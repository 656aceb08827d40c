// SPDX-License-Identifier: MIT
//
// Atomics of libcu++ of all kinds: of small types, structures, pointers; flags and waits.
#include <cuda/atomic>
#include <cstdio>
struct P {
  short a, b;
};
struct alignas(16) Q {
  long long x, y;
};
__device__ cuda::atomic<int, cuda::thread_scope_device> cnt;
__device__ int plain;
__device__ float fl;
__device__ double db;
__device__ unsigned long long big;
__global__ void k(int *o) {
  int t = blockIdx.x * blockDim.x + threadIdx.x;
  cnt.fetch_add(1, cuda::std::memory_order_relaxed);
  cuda::atomic_ref<int, cuda::thread_scope_device> r(plain);
  r.fetch_max(t);
  cuda::atomic_ref<float> f(fl);
  f.fetch_add(0.5f);
  cuda::atomic_ref<double, cuda::thread_scope_system> d(db);
  d.fetch_add(0.25);
  cuda::atomic_ref<unsigned long long> b(big);
  b.fetch_xor(1ull << (t % 60));
  b.fetch_or(1ull << 62);
  __shared__ cuda::atomic<int, cuda::thread_scope_block> s;
  __shared__ int ord;
  if (threadIdx.x == 0) {
    new (&s) cuda::atomic<int, cuda::thread_scope_block>(100);
    ord = 0;
  }
  __syncthreads();
  s--;
  s += 2;
  __syncthreads();
  if (threadIdx.x == 0) o[blockIdx.x] = s.load(cuda::memory_order_acquire);
}
__global__ void one() {
  cuda::atomic<int> a(5);
  int e = 4;
  bool ok = a.compare_exchange_strong(e, 9);
  printf("%d %d\n", ok, e);
  ok = a.compare_exchange_strong(e, 9, cuda::memory_order_acq_rel, cuda::memory_order_relaxed);
  printf("%d %d %d\n", ok, e, a.load());
  printf("%d %d %d %d\n", a.exchange(3), a.fetch_and(2), a.fetch_sub(7), (int)a);
  printf("%d %d\n", a.fetch_min(-20), a.fetch_max(8));
  printf("%d\n", a.load());
  cuda::atomic<unsigned char> c(250);
  c += 10;
  printf("%u\n", (unsigned)c.load());
  cuda::atomic<short> sh(-3);
  sh.fetch_add(5);
  printf("%d\n", sh.load());
  cuda::atomic<bool> bo(false);
  printf("%d %d\n", bo.exchange(true), bo.load());
  cuda::std::atomic<P> p(P{1, 2});
  P x = p.exchange(P{3, 4});
  P y = p.load();
  printf("%d %d %d %d %d\n", x.a, x.b, y.a, y.b, p.is_lock_free());
  cuda::std::atomic_flag fg;
  fg.clear();
  printf("%d", fg.test_and_set());
  printf(" %d\n", fg.test());
  int arr[3] = {1, 2, 3};
  cuda::atomic<int *> ptr(arr);
  ptr++;
  ptr.fetch_add(1);
  printf("%d\n", *ptr.load());
  cuda::atomic_thread_fence(cuda::memory_order_seq_cst, cuda::thread_scope_device);
  printf("%d %d\n", (int)cuda::atomic<long long>::is_always_lock_free,
         (int)sizeof(cuda::atomic<double>));
}
__device__ cuda::atomic<int, cuda::thread_scope_device> flag;
__device__ int payload;
__global__ void pc(int *o) {
  if (blockIdx.x == 0) {
    if (threadIdx.x == 0) {
      payload = 77;
      flag.store(1, cuda::memory_order_release);
      flag.notify_all();
    }
  } else if (threadIdx.x == 0) {
    flag.wait(0, cuda::memory_order_acquire);
    *o = payload;
  }
}
int main() {
  int *o;
  cudaMallocManaged(&o, 64);
  k<<<4, 64>>>(o);
  cudaDeviceSynchronize();
  int a;
  float f;
  double d;
  unsigned long long b;
  cudaMemcpyFromSymbol(&a, plain, 4);
  cudaMemcpyFromSymbol(&f, fl, 4);
  cudaMemcpyFromSymbol(&d, db, 8);
  cudaMemcpyFromSymbol(&b, big, 8);
  printf("%d %g %g %llx %d %d\n", a, f, d, b, o[0], o[3]);
  cudaMemcpyFromSymbol(&a, cnt, 4);
  printf("%d\n", a);
  one<<<1, 1>>>();
  cudaDeviceSynchronize();
  pc<<<2, 32>>>(o);
  cudaDeviceSynchronize();
  printf("%d\n", *o);
}
