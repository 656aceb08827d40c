// SPDX-License-Identifier: MIT
//
// Functions that keep the sign of a zero, and those whose zeros are always positive.
#include <cstdio>

__global__ void odd(double zero, float zero_f) {
  double s, c;
  float s_f, c_f;
  sincos(-zero, &s, &c);
  sincosf(-zero_f, &s_f, &c_f);
  printf("%g %g %g %g %g\n", sin(-zero), tan(-zero), expm1(-zero), s, sinpi(-zero));
  printf("%g %g %g %g %g\n", sin(zero), tan(zero), expm1(zero), sinpi(zero), asin(-zero));
  printf("%g %g %g %g %g\n", sinf(-zero_f), tanf(-zero_f), expm1f(-zero_f), s_f, sinpif(-zero_f));
  printf("%g %g %g %g %g\n", sinf(zero_f), tanf(zero_f), expm1f(zero_f), sinpif(zero_f), c_f);
}

__global__ void turns(double one) {
  printf("%g %g %g %g\n", sinpi(one), sinpi(-one), sinpi(2 * one), sinpi(-2 * one));
  printf("%g %g %g %g\n", cospi(0.5 * one), cospi(-0.5 * one), cospi(1.5 * one), cospi(-2.5 * one));
  printf("%g %g %g\n", sinpi(1.5 * one), cospi(one), cospi(-2 * one));
  float f = (float)one;
  printf("%g %g %g %g\n", sinpif(f), sinpif(-f), cospif(0.5f * f), cospif(-1.5f * f));
  printf("%g\n", normcdfinv(0.5 * one));
}

int main() {
  odd<<<1, 1>>>(0.0, 0.0f);
  turns<<<1, 1>>>(1.0);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
