// SPDX-License-Identifier: MIT
//
// Numbers of libcu++: complex ones, bits, limits, durations, constants, concepts.
// flags: -std=c++20
#include <cuda/std/complex>
#include <cuda/std/bit>
#include <cuda/std/limits>
#include <cuda/std/chrono>
#include <cuda/std/cmath>
#include <cuda/std/ratio>
#include <cuda/std/type_traits>
#include <cuda/std/cstdint>
#include <cuda/std/numbers>
#include <cuda/std/concepts>
#include <cstdio>
template <cuda::std::integral T> __device__ int isi(T) { return 1; }
template <typename T> __device__ int isi(T) { return 0; }
__global__ void k() {
  namespace s = cuda::std;
  s::complex<float> a(1.5f, -2.f), b(0.25f, 3.f);
  auto c = a * b + a / b;
  printf("%.9g %.9g %.9g %.9g\n", c.real(), c.imag(), s::abs(a), s::arg(a));
  s::complex<double> d(1, 2);
  auto e = s::exp(d), f = s::sqrt(d), g = s::pow(d, 2.0), h = s::log(d), i = s::polar(2.0, 0.5);
  printf("%.15g %.15g %.15g %.15g\n%.15g %.15g %.15g %.15g\n%.15g %.15g %.15g\n", e.real(),
         e.imag(), f.real(), f.imag(), g.real(), g.imag(), h.real(), h.imag(), i.real(), i.imag(),
         s::norm(d));
  printf("%d %d %d %d %d\n", s::popcount(0xf0f0u), s::countl_zero(1u), s::countr_zero(40ull),
         s::bit_width(1000u), s::has_single_bit(64u));
  printf("%u %u %x %x %x\n", s::bit_ceil(100u), s::bit_floor(100u), s::rotl(0x80000001u, 4),
         s::rotr(0x80000001u, 4), s::bit_cast<unsigned>(1.5f));
  printf("%x\n", s::byteswap(0x11223344u));
  printf("%g %g %d %d %g\n", s::numeric_limits<float>::max(), s::numeric_limits<double>::epsilon(),
         s::numeric_limits<int>::min(), s::numeric_limits<short>::digits10,
         s::numeric_limits<float>::denorm_min());
  printf("%d %g %d\n", s::numeric_limits<float>::has_infinity, s::numeric_limits<float>::infinity(),
         s::isnan(s::numeric_limits<double>::quiet_NaN()));
  using namespace s::chrono;
  auto du = milliseconds(1500) + seconds(2);
  printf("%lld %lld %lld\n", (long long)du.count(), (long long)duration_cast<seconds>(du).count(),
         (long long)duration_cast<nanoseconds>(du).count());
  printf("%d %d\n", hours(1) == minutes(60),
         (int)s::ratio_add<s::ratio<1, 3>, s::ratio<1, 6>>::den);
  printf("%d %d %d\n", s::is_same_v<s::common_type_t<int, double>, double>,
         s::is_trivially_copyable_v<s::complex<float>>, s::is_convertible_v<int, float>);
  printf("%.17g %.9g\n", s::numbers::pi, s::numbers::e_v<float>);
  printf("%d %d\n", isi(3), isi(3.f));
  printf("%.9g %.9g %.17g %d %d\n", s::fma(2.f, 3.f, 4.f), s::hypot(3.f, 4.f), s::cbrt(27.0),
         s::signbit(-0.f), s::isfinite(1e300));
  printf("%.9g %.9g\n", s::fmax(1.f, 2.f), s::lerp(1.f, 3.f, 0.25f));
  s::uint8_t u8 = 300 & 0xff;
  s::int64_t i64 = INT64_MIN;
  printf("%u %lld\n", u8, (long long)i64);
  s::complex<float> z = s::conj(a);
  z *= 2.f;
  printf("%g %g %d\n", z.real(), z.imag(), a == b);
}
int main() {
  k<<<1, 1>>>();
  printf("%d\n", cudaDeviceSynchronize());
}
