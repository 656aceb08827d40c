// SPDX-License-Identifier: MIT
// nvcc: -std=c++17
//
// Pairs and optional values of cuda::std that are assigned, emptied, compared and swapped in device
// code, values that are more than bytes among them; and deduction guides, a program's own, too;
// powers of complex numbers.
#include <cuda/std/array>
#include <cuda/std/bit>
#include <cuda/std/complex>
#include <cuda/std/optional>
#include <cuda/std/tuple>
#include <cuda/std/utility>

#include <cstdio>

namespace cs = cuda::std;

__device__ int alive;
struct counted {
  int id;
  __device__ counted(int i) : id(i) { alive++; }
  __device__ counted(const counted &o) : id(o.id + 100) { alive++; }
  __device__ counted &operator=(const counted &o) {
    id = o.id + 1000;
    return *this;
  }
  __device__ ~counted() { alive--; }
};

template <class T> struct four { T at[4]; };
template <class... A> four(A...) -> four<float>;

__global__ void pairs() {
  cs::pair<int, float> a(1, 2.5f), b;
  b = a;
  a = {3, 4.5f};
  cs::swap(a, b);
  printf("%d %g %d %g %d %d %d\n", a.first, a.second, b.first, b.second, a < b, a == b, a != b);
  cs::pair<long long, double> wide;
  wide = b;
  wide = cs::make_pair(7, 1.25f);
  int x;
  float y;
  cs::tie(x, y) = b;
  auto [p, q] = wide;
  printf("%lld %g %d %g %d %g\n", p, q, x, y, cs::get<0>(a), cs::get<1>(wide));
  cs::pair<int, cs::pair<int, int>> nested(1, {2, 3});
  nested.second = cs::make_pair(nested.first, 9);
  printf("%d %d\n", nested.second.first, nested.second.second);
}

__global__ void optionals() {
  cs::optional<int> a, b = 4, c(b);
  a = b;
  b = 7;
  *a += 1;
  c = cs::nullopt;
  printf("%d %d %d %d %d %d\n", a.has_value(), *a, *b, a < b, (bool)c, c < a);
  c = cs::move(b);
  a.reset();
  a.emplace(5);
  cs::swap(a, c);
  printf("%d %d %d %d %d %d\n", *a, c.value(), a == 7, c != cs::nullopt, c.value_or(3), a >= c);
  cs::optional<cs::pair<int, short>> d;
  d = cs::make_pair(1, (short)2);
  d->second = 30;
  cs::optional<long long> wide = a;
  wide = c;
  printf("%d %d %lld %d\n", d->first, d->second, *wide, *cs::make_optional(6));
  {
    cs::optional<counted> e, f(cs::in_place, 1);
    printf("%d ", alive);
    e = f;
    f = e;
    printf("%d %d %d ", alive, e->id, f->id);
    cs::optional<counted> g = f;
    e.reset();
    f = e;
    printf("%d %d %d\n", alive, g->id, f.has_value());
  }
  printf("%d\n", alive);
}

__global__ void guides() {
  four f{1, 2, 3, 4};
  cs::array a{1, 2, 3};
  cs::optional o(3);
  cs::pair p(1, 2.5f);
  cs::tuple t(1, 2.25);
  printf("%g %d %d %g %g\n", f.at[1], a[2], *o, p.second, cs::get<1>(t));
  printf("%d\n", cs::endian::native == cs::endian::little);
}

__global__ void powers(double re, double im) {
  const cs::complex<double> z(re, im), square = cs::pow(z, 2), same = cs::proj(z);
  printf("%.11g,%.11g %.11g,%.11g\n", square.real(), square.imag(), same.real(), same.imag());
}

int main() {
  pairs<<<1, 1>>>();
  optionals<<<1, 1>>>();
  guides<<<1, 1>>>();
  powers<<<1, 1>>>(1, -2);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
