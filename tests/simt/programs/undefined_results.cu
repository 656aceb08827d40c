// SPDX-License-Identifier: MIT
//
// Functions of the maths library where they are undefined: the sign of the NaN, which printf shows
// ("-nan"), in double; in single precision the one pattern that there is. And exp10 far out.
#include <cstdio>

#define SHOW(call)                                                                                 \
  printf("%-18s %016llx %g\n", #call, (unsigned long long)__double_as_longlong(call), call)
#define SHOW_F(call) printf("%-18s %08x %g\n", #call, __float_as_uint(call), call)

__global__ void in_double(double one, double inf, double nan, double big) {
  SHOW(log(-one));
  SHOW(log2(-inf));
  SHOW(log10(-one));
  SHOW(log1p(-2 * one));
  SHOW(sqrt(-one));
  SHOW(pow(-one, 0.5));
  SHOW(acos(2 * one));
  SHOW(asin(2 * one));
  SHOW(asin(-2 * one));
  SHOW(acosh(0 * one));
  SHOW(atanh(2 * one));
  SHOW(sin(inf));
  SHOW(cos(inf));
  SHOW(cos(nan));
  SHOW(tan(-inf));
  SHOW(sinpi(inf));
  SHOW(cospi(inf));
  SHOW(fmod(one, 0.0));
  SHOW(fmod(nan, one));
  SHOW(remainder(inf, one));
  SHOW(tgamma(-one));
  SHOW(erfinv(2 * one));
  SHOW(normcdfinv(2 * one));
  SHOW(y0(-one));
  SHOW(exp10(-big));
  SHOW(exp10(big));
  SHOW(exp10(-400 * one));
  SHOW(cyl_bessel_i1(-0.0 * one));
}

__global__ void in_float(float one, float inf, float nan) {
  SHOW_F(logf(-one));
  SHOW_F(log2f(nan));
  SHOW_F(acosf(2 * one));
  SHOW_F(asinf(nan));
  SHOW_F(cosf(inf));
  SHOW_F(tanf(inf));
  SHOW_F(cospif(inf));
  SHOW_F(powf(-one, 0.5f));
  SHOW_F(fmodf(inf, one));
  SHOW_F(remainderf(one, 0.0f));
  SHOW_F(erff(nan));
  SHOW_F(tgammaf(-one));
  SHOW_F(rhypotf(nan, one));
  SHOW_F(__frsqrt_rn(-one));
}

int main() {
  const double inf = __builtin_inf(), nan = __builtin_nan("");
  in_double<<<1, 1>>>(1, inf, nan, 1e300);
  cudaDeviceSynchronize();
  in_float<<<1, 1>>>(1, (float)inf, (float)nan);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
