// SPDX-License-Identifier: MIT
//
// Small pieces of libcu++ in one kernel: containers, algorithms, bits, numbers, functions.
#include <cstdio>
#include <cuda/std/array>
#if __has_include(<cuda/std/algorithm>)
#include <cuda/std/algorithm>
#endif
#include <cuda/std/span>
#include <cuda/std/optional>
#include <cuda/std/variant>
#include <cuda/std/tuple>
#include <cuda/std/utility>
#include <cuda/std/limits>
#include <cuda/std/bit>
#include <cuda/std/numeric>
#include <cuda/std/complex>
#include <cuda/std/chrono>
#include <cuda/std/ratio>
#include <cuda/std/type_traits>
#include <cuda/std/functional>
#include <cuda/std/cstdint>
#include <cuda/std/cmath>
#include <cuda/std/cstring>
#include <cuda/std/iterator>
#include <cuda/std/initializer_list>
#include <cuda/functional>
#include <cuda/cmath>
namespace s = cuda::std;
struct V {
  __device__ int operator()(int i) const { return i * 2; }
  __device__ int operator()(float f) const { return (int)(f * 10); }
};
__host__ __device__ s::tuple<int, float, char> three() { return {1, 2.5f, 'c'}; }
__host__ __device__ s::optional<int> halve(int x) {
  if (x % 2) return s::nullopt;
  return x / 2;
}
__global__ void k() {
  s::array<int, 5> a = {5, 3, 9, 1, 7};
  s::span<int> sp(a);
  int sum = 0;
  for (int x : sp.subspan(1, 3)) sum += x;
  printf("%d %d %d %d\n", sum, (int)sp.size(), sp.front(), a.back());
  auto [i, f, c] = three();
  printf("%d %g %c %d\n", i, f, c, (int)s::tuple_size<decltype(three())>::value);
  printf("%d %d %d\n", halve(8).value_or(0), halve(7).has_value(), halve(3).value_or(-1));
  s::variant<int, float> v = 3;
  int r1 = s::visit(V{}, v);
  v = 4.5f;
  printf("%d %d %d %g\n", r1, s::visit(V{}, v), (int)v.index(), *s::get_if<float>(&v));
  printf("%d %g %d %u\n", s::numeric_limits<int>::max(), s::numeric_limits<float>::epsilon(),
         s::numeric_limits<short>::digits, s::numeric_limits<unsigned>::max());
  printf("%d %d %d %u %d %d %u\n", s::popcount(0xf0f0u), s::countl_zero(1u), s::countr_zero(8u),
         s::rotl(0x80000001u, 4), s::has_single_bit(64u), s::bit_width(100u), s::bit_ceil(33u));
  printf("%x %d %d\n", s::bit_cast<unsigned>(1.0f), s::gcd(36, 84), s::lcm(4, 6));
  s::complex<float> z(1, 2), w = z * z + s::conj(z);
  printf("%g %g %g %g\n", w.real(), w.imag(), s::norm(z), s::abs(s::complex<double>(3, 4)));
  s::chrono::milliseconds ms = s::chrono::seconds(2) + s::chrono::milliseconds(5);
  printf("%d %d\n", (int)ms.count(), (int)s::chrono::duration_cast<s::chrono::seconds>(ms).count());
  printf("%d %d\n", (int)s::ratio_add<s::ratio<1, 2>, s::ratio<1, 3>>::num,
         (int)s::is_same<s::remove_cvref_t<const int &>, int>::value);
  printf("%d %d %d\n", s::plus<int>{}(2, 3), s::greater<>{}(3, 2),
         s::invoke([](int x) { return x + 1; }, 4));
  printf("%d %d %d %d\n", s::min(3, 4), s::max(3, 4), *s::min_element(a.begin(), a.end()),
         *s::max_element(a.begin(), a.end()));
  for (int x : a) printf("%d ", x);
  printf("\n");
  s::swap(a[0], a[4]);
  printf("%d %d\n", a[0], a[4]);
  printf("%d %d\n", s::accumulate(a.begin(), a.end(), 0),
         s::inner_product(a.begin(), a.end(), a.begin(), 0));
  s::pair<int, float> p = s::make_pair(3, 4.f);
  printf("%d %g %d\n", p.first, p.second, p < s::make_pair(3, 5.f));
  printf("%g %g %d %d\n", s::sqrt(2.25), s::fabs(-1.5f), s::isnan(0.f / p.first), s::signbit(-1.0));
  printf("%d %d\n", cuda::ceil_div(10, 3), (int)cuda::round_up(10, 4));
  char buf[8];
  s::memcpy(buf, "abcdefg", 8);
  printf("%s\n", buf);
  int was = s::exchange(a[1], 100);
  printf("%d %d\n", was, a[1]);
  s::integer_sequence<int, 1, 2> seq;
  printf("%d\n", (int)seq.size());
  printf("%d\n",
         (int)s::apply([](auto... x) { return (0 + ... + (int)x); }, s::make_tuple(1, 2.0, 'a')));
  int arr[4];
  s::iota(arr, arr + 4, 7);
  printf("%d %d %d\n", arr[0], arr[3], s::reduce(arr, arr + 4));
}
int main() {
  k<<<1, 1>>>();
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  printf("%d\n", halve(10).value_or(0) + s::get<0>(three()));
}
