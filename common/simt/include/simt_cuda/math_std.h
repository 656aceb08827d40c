// SPDX-License-Identifier: MIT
// math_std.h - joins the device functions with <cmath>. Included twice by cuda_runtime.h: before
// the host's headers it declares the device overloads (a constexpr function of the standard
// library would otherwise be taken for host *and* device and call a libm that is not there), after
// them it defines what remains and brings everything into namespace std.
// No include guard: SIMT_MATH_STD_DEFINE selects the part.
//
// As a system header: only then does clang let a device function stand beside a constexpr one of
// the standard library.
#pragma GCC system_header

#define SIMT_MATH_ONE(X)                                                                           \
  X(acos)                                                                                          \
  X(acosh)                                                                                         \
  X(asin)                                                                                          \
  X(asinh) X(atan) X(atanh) X(cbrt) X(ceil) X(cos) X(cosh) X(erf) X(erfc) X(exp) X(exp2) X(expm1)  \
      X(fabs) X(floor) X(log) X(log10) X(log1p) X(log2) X(nearbyint) X(rint) X(round) X(sin)       \
          X(sinh) X(sqrt) X(tan) X(tanh) X(trunc) X(tgamma) X(lgamma) X(logb)
#define SIMT_MATH_TWO(X)                                                                           \
  X(atan2)                                                                                         \
  X(copysign)                                                                                      \
  X(fdim) X(fmax) X(fmin) X(fmod) X(hypot) X(pow) X(remainder) X(nextafter)
#define SIMT_MATH_TEST(X) X(isnan) X(isinf) X(isfinite) X(signbit) X(isnormal)

#ifndef SIMT_MATH_STD_DEFINE

#define SIMT_DECLARE_ONE(f)                                                                        \
  SIMT_DEVICE double f(double);                                                                    \
  SIMT_DEVICE float f(float);
#define SIMT_DECLARE_TWO(f)                                                                        \
  SIMT_DEVICE double f(double, double);                                                            \
  SIMT_DEVICE float f(float, float);
#define SIMT_DECLARE_TEST(f)                                                                       \
  SIMT_DEVICE bool f(double);                                                                      \
  SIMT_DEVICE bool f(float);
SIMT_MATH_ONE(SIMT_DECLARE_ONE)
SIMT_MATH_TWO(SIMT_DECLARE_TWO)
SIMT_MATH_TEST(SIMT_DECLARE_TEST)
#undef SIMT_DECLARE_ONE
#undef SIMT_DECLARE_TWO
#undef SIMT_DECLARE_TEST
SIMT_DEVICE int abs(int);
SIMT_DEVICE long abs(long);
SIMT_DEVICE long long abs(long long);
SIMT_DEVICE float abs(float);
SIMT_DEVICE double abs(double);
SIMT_DEVICE double fma(double, double, double);
SIMT_DEVICE float fma(float, float, float);
SIMT_DEVICE double frexp(double, int *);
SIMT_DEVICE float frexp(float, int *);
SIMT_DEVICE double ldexp(double, int);
SIMT_DEVICE float ldexp(float, int);
SIMT_DEVICE int ilogb(double);
SIMT_DEVICE int ilogb(float);
SIMT_DEVICE double scalbn(double, int);
SIMT_DEVICE float scalbn(float, int);
SIMT_DEVICE double scalbln(double, long);
SIMT_DEVICE float scalbln(float, long);
SIMT_DEVICE double remquo(double, double, int *);
SIMT_DEVICE float remquo(float, float, int *);
SIMT_DEVICE double modf(double, double *);
SIMT_DEVICE float modf(float, float *);
SIMT_DEVICE long lrint(double);
SIMT_DEVICE long lrint(float);
SIMT_DEVICE long long llrint(double);
SIMT_DEVICE long long llrint(float);
SIMT_DEVICE long lround(double);
SIMT_DEVICE long lround(float);
SIMT_DEVICE long long llround(double);
SIMT_DEVICE long long llround(float);

namespace std {
#define SIMT_USING(f) using ::f;
SIMT_MATH_ONE(SIMT_USING)
SIMT_MATH_TWO(SIMT_USING)
SIMT_MATH_TEST(SIMT_USING)
#undef SIMT_USING
using ::abs;
using ::fma;
using ::frexp;
using ::ilogb;
using ::ldexp;
using ::llrint;
using ::llround;
using ::lrint;
using ::lround;
using ::modf;
using ::remquo;
using ::scalbln;
using ::scalbn;
} // namespace std

#else // SIMT_MATH_STD_DEFINE

// Functions of an integer are functions of a double, as in C++.
template <bool condition, typename T> struct simt_enable_if {};
template <typename T> struct simt_enable_if<true, T> { typedef T type; };
#define SIMT_INTEGER_ONE(f)                                                                        \
  template <typename T>                                                                            \
  SIMT_DEVICE typename simt_enable_if<std::numeric_limits<T>::is_integer, double>::type f(T x) {   \
    return ::f((double)x);                                                                         \
  }
#define SIMT_MIXED_TWO(f)                                                                          \
  template <typename T, typename U>                                                                \
  SIMT_DEVICE typename simt_enable_if<std::numeric_limits<T>::is_specialized &&                    \
                                          std::numeric_limits<U>::is_specialized,                  \
                                      double>::type                                                \
  f(T x, U y) {                                                                                    \
    return ::f((double)x, (double)y);                                                              \
  }
SIMT_MATH_ONE(SIMT_INTEGER_ONE)
SIMT_MATH_TWO(SIMT_MIXED_TWO)
#undef SIMT_INTEGER_ONE
#undef SIMT_MIXED_TWO

namespace std {
_GLIBCXX_BEGIN_NAMESPACE_VERSION
#define SIMT_USING(f) using ::f;
#define SIMT_USING_F(fn) using ::fn##f;
SIMT_MATH_ONE(SIMT_USING)
SIMT_MATH_TWO(SIMT_USING)
SIMT_MATH_ONE(SIMT_USING_F)
SIMT_MATH_TWO(SIMT_USING_F)
#undef SIMT_USING
#undef SIMT_USING_F
using ::fmaf;
using ::frexpf;
using ::ilogbf;
using ::ldexpf;
using ::llrintf;
using ::llroundf;
using ::lrintf;
using ::lroundf;
using ::modff;
using ::nan;
using ::nanf;
using ::remquof;
using ::scalblnf;
using ::scalbnf;
_GLIBCXX_END_NAMESPACE_VERSION
} // namespace std

#endif

#undef SIMT_MATH_ONE
#undef SIMT_MATH_TWO
#undef SIMT_MATH_TEST
