// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
//
// libcu++: complex numbers, spans, variants, durations, sums of sequences; atomics that are
// volatile, small, or flags; alignas behind __shared__.
#include <cuda/atomic>
#include <cuda/cmath>
#include <cuda/std/atomic>
#include <cuda/std/chrono>
#include <cuda/std/complex>
#include <cuda/std/cstdlib>
#include <cuda/std/cstring>
#include <cuda/std/functional>
#include <cuda/std/iterator>
#include <cuda/std/numeric>
#include <cuda/std/span>
#include <cuda/std/variant>

#include <cstdio>
#include <new>

__constant__ alignas(32) float weights[4] = {1, 2, 4, 8};

struct visitor {
  __host__ __device__ int operator()(int x) const { return x + 1; }
  __host__ __device__ int operator()(float x) const { return (int)(10 * x); }
};

__device__ int total(cuda::std::span<const int> s) {
  int sum = 0;
  for (int x : s) sum += x;
  return sum;
}

__global__ void complex_numbers(float *out) {
  const cuda::std::complex<float> a(1.0f, 2.0f), b(3.0f, -1.0f);
  const cuda::std::complex<float> all[] = {a * b,
                                           a / b,
                                           2.0f * a - b,
                                           cuda::std::exp(a),
                                           cuda::std::sqrt(a),
                                           cuda::std::conj(a),
                                           cuda::std::polar(2.0f, 0.5f),
                                           cuda::std::log(b),
                                           {cuda::std::abs(a), cuda::std::arg(a)},
                                           {cuda::std::norm(b), a == b ? 1.0f : 0.0f}};
  for (int i = 0; i < 10; i++) {
    out[2 * i] = all[i].real();
    out[2 * i + 1] = all[i].imag();
  }
}

__global__ void values(int *in, int n, int *out) {
  const cuda::std::span<int> s(in, n);
  int b[5];
  cuda::std::iota(b, b + 5, 3);
  cuda::std::variant<int, float> v = 3;
  out[0] = total(s) + 100 * total(s.subspan(2, 3));
  out[1] = s.front() + 100 * s.back() + 10000 * (int)s.size_bytes();
  out[2] = cuda::std::accumulate(s.begin(), s.end(), 0) + 100 * b[4];
  out[3] = cuda::std::gcd(84, 36) + 100 * cuda::std::lcm(4, 6);
  out[4] = cuda::std::inner_product(b, b + 5, b, 0) + cuda::std::midpoint(2, 8);
  out[5] = cuda::std::transform_reduce(s.begin(), s.end(), 0, cuda::std::plus<int>(),
                                       [](int x) { return x * x; });
  out[6] = cuda::std::visit(visitor{}, v);
  v = 2.5f;
  out[7] = cuda::std::visit(visitor{}, v) + 100 * (int)v.index();
  out[8] = cuda::std::holds_alternative<float>(v) + 2 * (cuda::std::get_if<int>(&v) == nullptr) +
           (int)(4 * cuda::std::get<float>(v));
  const cuda::std::chrono::milliseconds some(1500);
  out[9] = (int)cuda::std::chrono::duration_cast<cuda::std::chrono::seconds>(some).count();
  out[10] = cuda::ceil_div(17, 5) + 10 * (int)cuda::std::distance(s.begin(), s.end());
}

__device__ short lone = 5; // its word reaches beyond it
__global__ void atomics(volatile cuda::std::atomic<int> *count, cuda::std::atomic_flag *flag,
                        short *small, unsigned char *tiny, int *out) {
  __shared__ alignas(16) float s[64];
  extern __shared__ __align__(16) int dynamic[];
  count->fetch_add(2);
  if (!flag->test_and_set()) out[0] = 1;
  cuda::atomic_ref<short, cuda::thread_scope_device>(*small).fetch_add(1);
  cuda::atomic_ref<short, cuda::thread_scope_device>(lone).fetch_add(1);
  cuda::atomic_ref<unsigned char, cuda::thread_scope_device>(*tiny).fetch_add(3);
  s[threadIdx.x] = weights[threadIdx.x % 4];
  dynamic[threadIdx.x] = (int)threadIdx.x;
  __syncthreads();
  const float4 four = reinterpret_cast<float4 *>(s)[threadIdx.x / 4];
  cuda::atomic_ref<int, cuda::thread_scope_device>(out[1]).fetch_add((int)(four.x + four.w) +
                                                                     dynamic[63 - threadIdx.x]);
  cuda::std::atomic_thread_fence(cuda::std::memory_order_seq_cst);
}

int main() {
  int *d, h[11];
  float *f, g[20];
  char *m;
  const int list[8] = {5, 3, 9, 1, 7, 2, 8, 6};
  cudaMalloc(&d, sizeof list + sizeof h);
  cudaMalloc(&f, sizeof g);
  cudaMallocManaged(&m, 64);
  memset(m, 0, 64);
  cudaMemcpy(d, list, sizeof list, cudaMemcpyHostToDevice);
  complex_numbers<<<1, 1>>>(f);
  cudaMemcpy(g, f, sizeof g, cudaMemcpyDeviceToHost);
  for (float x : g) printf("%.5f ", (double)x);
  values<<<1, 1>>>(d, 8, d + 8);
  cudaMemcpy(h, d + 8, sizeof h, cudaMemcpyDeviceToHost);
  printf("\n");
  for (int x : h) printf("%d ", x);
  auto *count = new (m) cuda::std::atomic<int>(1);
  auto *flag = new (m + 8) cuda::std::atomic_flag();
  atomics<<<1, 64, 64 * sizeof(int)>>>(count, flag, (short *)(m + 18), (unsigned char *)m + 21,
                                       (int *)(m + 32));
  short alone;
  cudaMemcpyFromSymbol(&alone, lone, sizeof alone);
  printf("\n%d", alone);
  printf("\n%d %d %d %d %d %d\n", count->load(), flag->test(), *(short *)(m + 18),
         *((unsigned char *)m + 21), *(int *)(m + 32), *(int *)(m + 36));
  cuda::std::complex<double> z(1, 1);
  z *= z;
  printf("%g %g %s\n", z.real(), z.imag(), cudaGetErrorName(cudaGetLastError()));
  cudaFree(d);
  cudaFree(f);
  cudaFree(m);
  return 0;
}
