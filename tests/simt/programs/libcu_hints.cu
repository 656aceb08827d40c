// SPDX-License-Identifier: MIT
//
// Smaller headers of libcu++: bits, multi-dimensional spans, shuffles of any size, hints for
// caches.
#include <cuda/functional>
#include <cuda/cmath>
#include <cuda/bit>
#include <cuda/mdspan>
#include <cuda/std/mdspan>
#include <cuda/semaphore>
#include <cuda/latch>
#include <cuda/warp>
#include <cuda/annotated_ptr>
#include <cuda/std/cstring>
#include <cuda/std/iterator>
#include <cuda/std/concepts>
#include <cuda/std/memory>
#include <cuda/std/source_location>
#include <cuda/numeric>
#include <cuda/type_traits>
#include <cstdio>
__device__ int gsum;
__device__ cuda::counting_semaphore<cuda::thread_scope_device, 4> *dummy;
// Owners, places in the source, casts that may overflow, names of properties.
__global__ void owners() {
  cuda::std::unique_ptr<int> p(new int(4));
  cuda::std::unique_ptr<int> q = cuda::std::move(p);
  cuda::std::unique_ptr<int[]> a(new int[3]);
  a[2] = 7;
  printf("%d %d %d\n", p == nullptr, *q, a[2]);
  q.reset(new int(5));
  int *raw = q.release();
  printf("%d %d\n", *raw, (bool)q);
  delete raw;
  auto small = cuda::overflow_cast<signed char>(200);
  auto whole = cuda::overflow_cast<signed char>(100);
  printf("%d %d %d %d\n", small.value, small.overflow, whole.value, whole.overflow);
  printf("%d %d\n", cuda::is_floating_point_v<__half>, cuda::std::integral<int>);
  printf("%d\n", cuda::std::source_location::current().line() > 10);
}

__global__ void k(float *a, int *o) {
  int t = threadIdx.x;
  cuda::std::mdspan<float, cuda::std::extents<int, 4, cuda::std::dynamic_extent>> m(a, 8);
  m(t / 8, t % 8) = t * .5f;
  __syncthreads();
  cuda::std::mdspan<float, cuda::std::dextents<int, 2>, cuda::std::layout_left> l(a, 4, 8);
  if (t == 0) {
    printf("%d %d %d %g %g\n", (int)m.extent(0), (int)m.extent(1), (int)m.size(), m(2, 3), l(1, 2));
    printf("%d %d %d\n", cuda::ceil_div(10, 3), cuda::round_up(10, 4), cuda::round_down(10, 4));
    printf("%d\n", cuda::ilog2(1000));
    printf("%x %x\n", cuda::bit_reverse(1u), cuda::bitmask<unsigned>(4, 8));
    printf("%d %g %d\n", cuda::maximum<int>{}(3, 9), cuda::minimum<>{}(2.5, 1.5),
           cuda::std::plus<>{}(3, 4));
    printf("%x %x\n", cuda::bitfield_insert(0xff00ffu, 0xau, 8, 4),
           cuda::bitfield_extract(0xabcdu, 4, 8));
  }
  __shared__ cuda::binary_semaphore<cuda::thread_scope_block> *sp;
  __shared__ cuda::std::aligned_storage_t<sizeof(cuda::latch<cuda::thread_scope_block>), 8> ls;
  auto lat = reinterpret_cast<cuda::latch<cuda::thread_scope_block> *>(&ls);
  if (t == 0) {
    new (lat) cuda::latch<cuda::thread_scope_block>(32);
    sp = nullptr;
  }
  __syncthreads();
  atomicAdd(&gsum, t);
  lat->arrive_and_wait();
  o[t] = *(volatile int *)&gsum;
  int sh = cuda::device::warp_shuffle_idx(t * 3, 5);
  o[32 + t] = sh;
  struct S3 {
    int a;
    double b;
    char c;
  };
  S3 s{t, t * .5, (char)t};
  S3 r = cuda::device::warp_shuffle_xor(s, 1);
  o[64 + t] = r.a * 100 + (int)(r.b * 2) + r.c;
  cuda::annotated_ptr<int, cuda::access_property::persisting> ap(o);
  __syncwarp();
  if (t == 0) o[100] = ap[5];
  cuda::apply_access_property(o, 128, cuda::access_property::normal{});
  cuda::discard_memory(a, 0);
  char x[8] = "abc", y[8];
  cuda::std::memcpy(y, x, 8);
  if (t == 0) printf("%d %s\n", (int)(y[1] - 97), y);
  auto pr = cuda::proclaim_return_type<int>([](int i) { return i * 2; });
  if (t == 0) printf("%d\n", pr(21));
}
int main() {
  owners<<<1, 1>>>();
  cudaDeviceSynchronize();
  float *a;
  int *o;
  cudaMallocManaged(&a, 256);
  cudaMallocManaged(&o, 1024);
  k<<<1, 32>>>(a, o);
  printf("%d\n", cudaDeviceSynchronize());
  printf("%d %d %d %d\n", o[0], o[31], o[40], o[70]);
}
