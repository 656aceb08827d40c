// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
//
// libcu++: atomics with scopes and orders, in device and managed memory; what cuda::std has for
// device code.
#include <cuda/atomic>
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/optional>
#include <cuda/std/limits>
#include <cuda/std/type_traits>
#include <cuda/std/functional>
#include <cuda/std/cstdint>
#include <cuda/std/cmath>
#include <cuda/std/initializer_list>
#include <cstdio>
#include <initializer_list>
__device__ int sum(std::initializer_list<int> l) {
  int s = 0;
  for (int x : l) s += x;
  return s;
}
__device__ int sum2(cuda::std::initializer_list<int> l) {
  int s = 0;
  for (int x : l) s += x;
  return s;
}
__global__ void sums(int *c, float *f, unsigned long long *u, double *d, int *o) {
  cuda::atomic_ref<int, cuda::thread_scope_device> rc(*c);
  cuda::atomic_ref<float, cuda::thread_scope_device> rf(*f);
  cuda::atomic_ref<unsigned long long> ru(*u);
  cuda::atomic_ref<double, cuda::thread_scope_device> rd(*d);
  rc.fetch_add(1, cuda::memory_order_relaxed);
  rf.fetch_add(0.5f, cuda::std::memory_order_relaxed);
  ru += 3;
  rd.fetch_add(0.25);
  cuda::atomic_ref<int, cuda::thread_scope_device>(o[0]).fetch_max((int)threadIdx.x);
  cuda::atomic_ref<int, cuda::thread_scope_device>(o[1]).fetch_or(1 << (threadIdx.x % 31));
  int e = o[2];
  cuda::atomic_ref<int, cuda::thread_scope_device> r2(o[2]);
  e = r2.load();
  while (!r2.compare_exchange_weak(e, e + 2)) {}
}
__global__ void message(cuda::atomic<int, cuda::thread_scope_device> *flag, int *data, int *out) {
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    *data = 42;
    flag->store(1, cuda::memory_order_release);
  } else if (blockIdx.x == 1 && threadIdx.x == 0) {
    while (!flag->load(cuda::memory_order_acquire)) {}
    *out = *data;
  }
}
__global__ void library(int *out) {
  cuda::std::array<int, 4> x = {1, 2, 3, 4};
  x[1] = 7;
  int s = 0;
  for (int v : x) s += v;
  auto t = cuda::std::make_tuple(1, 2.5f, 'c');
  s += cuda::std::get<0>(t) + (int)cuda::std::get<1>(t) + cuda::std::get<2>(t);
  cuda::std::optional<int> o;
  if (!o) o = 5;
  s += *o + o.value_or(1);
  auto p = cuda::std::make_pair(3, 4);
  cuda::std::swap(p.first, p.second);
  s += p.first * 100;
  out[0] = s;
  out[1] = cuda::std::numeric_limits<int>::max();
  out[2] = cuda::std::is_same_v<int, int>;
  out[3] = cuda::std::plus<int>()(3, 4);
  out[4] = sum({1, 2, 3}) + sum2({4, 5});
  out[5] = (int)cuda::std::sqrt(17.0f);
  auto [q, r] = p;
  out[6] = q * 10 + r;
  out[7] = cuda::std::max(3, 9);
  __shared__ cuda::atomic<int, cuda::thread_scope_block> sh;
  if (threadIdx.x == 0) sh.store(0);
  __syncthreads();
  sh++;
  __syncthreads();
  out[8] = sh;
}
int main() {
  int *c_;
  float *f;
  unsigned long long *u;
  double *d;
  int *o;
  cuda::atomic<int, cuda::thread_scope_device> *flag;
  cudaMallocManaged(&c_, 64);
  cudaMallocManaged(&f, 4);
  cudaMallocManaged(&u, 8);
  cudaMallocManaged(&d, 8);
  cudaMallocManaged(&o, 64);
  cudaMallocManaged(&flag, 4);
  *c_ = 0;
  *f = 0;
  *u = 0;
  *d = 0;
  for (int i = 0; i < 16; i++) o[i] = 0;
  flag->store(0);
  sums<<<4, 64>>>(c_, f, u, d, o);
  printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d %g %llu %g %d %d %d\n", *c_, *f, *u, *d, o[0], o[1], o[2]);
  message<<<2, 32>>>(flag, c_, o);
  printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("%d\n", o[0]);
  library<<<1, 32>>>(o);
  printf("%s ", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 9; i++) printf("%d ", o[i]);
  printf("\n");
  cudaFree(c_);
  cudaFree(f);
  cudaFree(u);
  cudaFree(d);
  cudaFree(o);
  cudaFree(flag);
}
