// SPDX-License-Identifier: MIT
//
// Containers of libcu++ that need no heap: arrays, tuples, variants, expected values, vectors.
#include <cuda/std/array>
#include <cuda/std/tuple>
#include <cuda/std/optional>
#include <cuda/std/span>
#include <cuda/std/utility>
#include <cuda/std/variant>
#include <cuda/std/expected>
#include <cuda/std/inplace_vector>
#include <cuda/std/bitset>
#include <cuda/std/numeric>
#include <cuda/std/functional>
#include <cstdio>
__device__ cuda::std::optional<int> halve(int x) {
  if (x & 1) return cuda::std::nullopt;
  return x / 2;
}
__device__ int total(cuda::std::span<const int> s) {
  int t = 0;
  for (int v : s) t += v;
  return t;
}
__device__ cuda::std::expected<int, const char *> quot(int a, int b) {
  if (!b) return cuda::std::unexpected("zero");
  return a / b;
}
struct Vis {
  __device__ int operator()(int i) const { return i; }
  __device__ int operator()(float f) const { return (int)(f * 100); }
};
__global__ void k() {
  cuda::std::array<int, 5> a{5, 3, 1, 4, 2};
  for (int i = 0; i < 5; i++) a[i] = i + 1;
  for (auto v : a) printf("%d ", v);
  printf("%d %d %d\n", (int)a.size(), a.front(), a.back());
  auto t = cuda::std::make_tuple(1, 2.5, 'c');
  auto [x, y, z] = t;
  printf("%d %g %c %d\n", x, y, z, (int)cuda::std::tuple_size<decltype(t)>::value);
  int p;
  double q;
  cuda::std::tie(p, q, cuda::std::ignore) = t;
  printf("%d %g\n", p, q);
  printf("%d\n", cuda::std::apply([](int a, double b, char c) { return a + (int)b + c; }, t));
  auto c2 = cuda::std::tuple_cat(t, cuda::std::make_tuple(9));
  printf("%d %d\n", cuda::std::get<3>(c2), t < cuda::std::make_tuple(1, 3.0, 'a'));
  printf("%d %d %d\n", halve(10).value(), halve(7).has_value(), halve(7).value_or(-1));
  printf("%d %d %d\n", total(a), total(cuda::std::span<int>(a).subspan(1, 3)),
         total(cuda::std::span<const int>(a.data(), 2)));
  cuda::std::variant<int, float> v = 2.5f;
  printf("%d %d", (int)v.index(), cuda::std::visit(Vis{}, v));
  v = 7;
  printf(" %d %d %d\n", cuda::std::holds_alternative<int>(v), cuda::std::get<int>(v),
         cuda::std::visit(Vis{}, v));
  auto e = quot(7, 2), f = quot(1, 0);
  printf("%d %d %s\n", e.value(), f.has_value(), f.error());
  cuda::std::inplace_vector<int, 8> iv;
  iv.push_back(4);
  iv.push_back(6);
  iv.emplace_back(8);
  printf("%d %d %d\n", (int)iv.size(), iv.back(), (int)iv.capacity());
  cuda::std::bitset<40> b;
  b.set(3);
  b.set(35);
  b.flip(3);
  b |= cuda::std::bitset<40>(0xf0);
  printf("%d %llx %d\n", (int)b.count(), b.to_ullong(), b.test(35));
  printf("%d %d %d\n", cuda::std::accumulate(a.begin(), a.end(), 0),
         cuda::std::inner_product(a.begin(), a.end(), a.begin(), 0), cuda::std::gcd(84, 36));
  auto pr = cuda::std::make_pair(3, 4.5f);
  cuda::std::swap(a[0], a[4]);
  int mn = cuda::std::min(9, 2), mx = cuda::std::max(9, 2);
  printf("%d %g %d %d %d %d\n", pr.first, pr.second, a[0], a[4], mn, mx);
  cuda::std::partial_sum(a.begin(), a.end(), a.begin());
  for (auto v : a) printf("%d ", v);
  printf("\n");
}
int main() {
  k<<<1, 1>>>();
  printf("%d\n", cudaDeviceSynchronize());
}
