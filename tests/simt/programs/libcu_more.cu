// SPDX-License-Identifier: MIT
// More of libcu++ in device code: an array that is filled, exchanged and compared, tuples that
// are assigned, bytes and strings, functions of numbers.
#include <cstdio>
#include <cuda/std/array>
#include <cuda/std/cmath>
#include <cuda/std/cstddef>
#include <cuda/std/cstring>
#include <cuda/std/functional>
#include <cuda/std/span>
#include <cuda/std/tuple>

namespace s = cuda::std;

template <class T, s::size_t rows, s::size_t columns> struct matrix {
  s::array<s::array<T, columns>, rows> a{};
};

static __global__ void arrays() {
  s::array<int, 6> v{5, 3, 9, 1, 7, 2}, w{};
  w.fill(4);
  s::swap(v[0], v[5]);
  w.swap(v);
  printf("%d %d %d %d\n", w[0], v.at(2), *w.begin(), *(w.end() - 1));
  printf("%d%d%d%d%d%d\n", v == w, v != w, v<w, v> w, v <= w, v >= w);
  for (auto i = w.rbegin(); i != w.rend(); ++i) printf("%d ", *i);
  auto [a, b] = s::array<char, 2>{'x', 'y'};
  printf("%c%c %d\n", a, b, s::get<1>(v));
  matrix<float, 2, 3> m;
  m.a[1].fill(2.5f);
  s::span<const float> row(m.a[1]);
  printf("%g %g %d %d\n", m.a[0][1], row[2], (int)row.size(), s::array<int, 0>{}.empty());
}

static __global__ void values() {
  int i;
  float f;
  s::tie(i, f, s::ignore) = s::make_tuple(7, 2.5f, 'c');
  s::tuple<int, int> t(1, 2), u(3, 4);
  t = u;
  printf("%d %g %d\n", i, f, s::get<1>(t));
  printf("%d %d %d\n", s::max({4, 9, 1}), s::min({4, 9, 1}),
         s::not_fn([](int x) { return x > 3; })(5));
  char text[8] = "abcdefg";
  s::memmove(text + 1, text, 4);
  printf("%s %d %d %d\n", text, s::memcmp(text, "aab", 3), (int)s::isnan(s::nanf("")),
         s::to_integer<int>(s::byte{0x5a} ^ s::byte{0xff}));
  int exponent;
  const float part = s::frexp(12.0f, &exponent);
  printf("%g %d %g %g %g %ld\n", part, exponent, s::copysign(3.0, -0.0), s::ldexp(1.5f, 4),
         s::remainder(7.0, 4.0), s::lrint(2.5f));
}

static __global__ void __maxnreg__(64) few_registers(int *out) { out[threadIdx.x] = warpSize; }

int main() {
  arrays<<<1, 1>>>();
  values<<<1, 1>>>();
  int *out, first = 0;
  cudaMalloc(&out, 128);
  few_registers<<<1, 32>>>(out);
  cudaMemcpy(&first, out, sizeof first, cudaMemcpyDeviceToHost);
  cudaFree(out);
  s::array<float, 3> f;
  f.fill(2.5f);
  printf("%d %g %s\n", first, f[0] + f[2], cudaGetErrorName(cudaGetLastError()));
}
