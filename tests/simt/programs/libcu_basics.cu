// SPDX-License-Identifier: MIT
// nvcc: skip
//
// libcu++: arrays, tuples, optional values, bits, numbers and durations in a kernel.
#include <cstdio>
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/optional>
#include <cuda/std/variant>
#include <cuda/std/limits>
#include <cuda/std/complex>
#include <cuda/std/type_traits>
#include <cuda/std/functional>
#include <cuda/std/span>
#include <cuda/std/bit>
#include <cuda/std/cmath>
#include <cuda/std/cstdint>
#include <cuda/std/numeric>
#include <cuda/std/chrono>
#include <cuda/std/ratio>
#include <cuda/std/iterator>
#include <cuda/std/atomic>
#include <cuda/cmath>
namespace std_ = cuda::std;
__global__ void k(int *v) {
  std_::array<int, 5> a{5, 3, 4, 1, 2};
  int s = 0;
  for (int x : a) s += x;
  printf("%d %d %d %d\n", s, (int)a.size(), a.front(), a.back());
  std_::tuple<int, float, char> t{1, 2.5f, 'c'};
  printf("%d %g %c %d\n", std_::get<0>(t), std_::get<1>(t), std_::get<2>(t),
         (int)std_::tuple_size<decltype(t)>::value);
  auto p = std_::make_pair(7, 8.5);
  printf("%d %g\n", p.first, p.second);
  std_::optional<int> o;
  printf("%d ", o.has_value());
  o = 4;
  printf("%d %d %d\n", *o, o.value_or(9), (int)bool(o));
  std_::variant<int, float> w = 2.5f;
  printf("%d %g\n", (int)w.index(), std_::get<float>(w));
  printf("%d %g %u\n", std_::numeric_limits<int>::max(), std_::numeric_limits<float>::epsilon(),
         std_::numeric_limits<unsigned>::digits);
  std_::complex<float> z(1, 2), y = z * z + std_::complex<float>(0.5f);
  printf("%g %g %g %g\n", y.real(), y.imag(), std_::abs(std_::complex<float>(3, 4)), std_::norm(z));
  printf("%d\n", std_::is_same_v<std_::remove_cv_t<const int>, int>);
  printf("%d %d %d\n", std_::plus<int>()(2, 3), std_::greater<>()(2, 3),
         std_::invoke(std_::multiplies<>(), 4, 5));
  std_::span<int> sp(a.data(), 3);
  printf("%d %d\n", (int)sp.size(), sp[2]);
  printf("%d %d %d %u %d\n", std_::popcount(0xffu), std_::countl_zero(1u), std_::countr_zero(8u),
         std_::rotl(1u, 33), (int)std_::has_single_bit(64u));
  printf("%x %u %u\n", std_::bit_cast<unsigned>(1.0f), std_::bit_ceil(100u), std_::bit_floor(100u));
  printf("%g %g %d\n", std_::sqrt(2.0f), std_::pow(2.0, 10.0), (int)std_::isnan(0.0f));
  printf("%d %d %d\n", std_::gcd(12, 18), std_::lcm(4, 6), std_::midpoint(2, 8));
  printf("%d %d\n", std_::min(3, 2), std_::max(3, 2));
  std_::swap(a[0], a[4]);
  printf("%d %d\n", a[0], a[4]);
  printf("%d %d\n", cuda::ceil_div(10, 3), (int)std_::distance(a.begin(), a.end()));
  printf("%d\n",
         (int)std_::chrono::duration_cast<std_::chrono::milliseconds>(std_::chrono::seconds(3))
             .count());
  std_::atomic<int> *at = (std_::atomic<int> *)v;
  at->fetch_add(5);
  printf("%d\n", at->load());
  std_::visit([](auto x) { printf("visited %g\n", (double)x); }, w);
  auto [q, r, c] = t;
  printf("%d %g %c\n", q, r, c);
  printf("%d %d\n", std_::accumulate(a.begin(), a.end(), 0),
         std_::apply([](int x, float y, char) { return x + (int)y; }, t));
}
int main() {
  int *v;
  cudaMallocManaged(&v, 4);
  *v = 1;
  k<<<1, 1>>>(v);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(v);
}
