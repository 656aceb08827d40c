// SPDX-License-Identifier: MIT
// nvcc: skip
//
// libcu++: values or errors, sets of bits, views by several indices, on the host and in a kernel.
#include <cstdio>
#include <cuda/std/expected>
#include <cuda/std/bitset>
#include <cuda/std/mdspan>
#include <cuda/std/initializer_list>
namespace std_ = cuda::std;
__host__ __device__ std_::expected<int, const char *> halve(int x) {
  if (x % 2) return std_::unexpected<const char *>("odd");
  return x / 2;
}
__host__ __device__ void all() {
  auto a = halve(8), b = halve(7);
  printf("%d %d %d %s %d\n", a.has_value(), *a, b.has_value(), b.error(), b.value_or(-1));
  printf("%d %d\n", a.transform([](int x) { return x + 1; }).value(), a.and_then(halve).value());
  std_::expected<void, int> v;
  printf("%d\n", v.has_value());
  v = std_::unexpected(3);
  printf("%d %d\n", v.has_value(), v.error());
  std_::bitset<70> s;
  s.set(3).set(69).flip(5);
  printf("%d %d %d %d %d\n", (int)s.count(), (int)s.test(69), (int)s.any(), (int)s.size(),
         (int)s[4]);
  s <<= 1;
  printf("%d %d\n", (int)s.test(4), (int)s.count());
  std_::bitset<8> e(0xa5);
  printf("%lu %lu %lu %d\n", e.to_ulong(), (~e).to_ulong(), (e & std_::bitset<8>(0x0f)).to_ulong(),
         (int)(e == std_::bitset<8>(165)));
  int d[24];
  for (int i = 0; i < 24; i++) d[i] = i;
  std_::mdspan<int, std_::extents<int, 2, 3, 4>> m(d);
  printf("%d %d %d %d\n", m(1, 2, 3), m(0, 1, 2), (int)m.extent(1), (int)m.size());
  std_::mdspan<int, std_::dextents<int, 2>> r(d, 4, 6);
  printf("%d %d %d\n", r(3, 5), (int)r.rank(), (int)r.stride(0));
  std_::mdspan<int, std_::dextents<int, 2>, std_::layout_left> l(d, 4, 6);
  printf("%d %d\n", l(3, 5), l(1, 2));
  std_::mdspan c(d, std_::extents<int, 3, 8>{});
  printf("%d %d\n", c(2, 7), (int)c.static_extent(0));
  std_::layout_stride::mapping<std_::extents<int, 2, 2>> ls(std_::extents<int, 2, 2>{},
                                                            std_::array<int, 2>{12, 5});
  std_::mdspan<int, std_::extents<int, 2, 2>, std_::layout_stride> st(d, ls);
  printf("%d\n", st(1, 1));
}
__global__ void k() { all(); }
int main() {
  all();
  k<<<1, 1>>>();
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
