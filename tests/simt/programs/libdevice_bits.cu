// SPDX-License-Identifier: MIT
// The math functions, bit for bit: a line per function with a hash of its results in float and in
// double. With a toolkit's libdevice simtcc gives every bit as nvcc does; its own functions differ
// in the last one now and then (mathematics.cu has their bounds).
// toolkit: libdevice
// simtcc: --maths=toolkit
#include <cstdio>
#include <cstring>

#define N 3072

__device__ unsigned long long mixed(unsigned i, unsigned k) {
  unsigned long long x = i * 0x9E3779B97F4A7C15ull + k * 0xD1B54A32D192ED03ull;
  x ^= x >> 29, x *= 0xBF58476D1CE4E5B9ull, x ^= x >> 32;
  return x * 0x94D049BB133111EBull >> 7;
}
// Numbers of six kinds: of moderate and of large exponents, in [0, 1), in [0, 30), negative, whole.
__device__ double argument(unsigned i, unsigned k) {
  const unsigned long long m = mixed(i, k);
  const double u = (double)(m >> 33) * 0x1p-24;
  switch (i % 6) {
  case 0: return ldexp(1 + u, (int)(m % 41) - 20) * (m & 64 ? 1 : -1);
  case 1: return ldexp(1 + u, (int)(m % 201) - 100) * (m & 256 ? 1 : -1);
  case 2: return u;
  case 3: return 30 * u;
  case 4: return -30 * u;
  default: return (double)(m % 64) - 20;
  }
}

// clang-format off
#define ONE(X)                                                                                     \
  X(sin) X(cos) X(tan) X(asin) X(acos) X(atan) X(sinh) X(cosh) X(tanh) X(asinh) X(acosh) X(atanh)  \
  X(exp) X(exp2) X(exp10) X(expm1) X(log) X(log2) X(log10) X(log1p) X(logb) X(sqrt) X(rsqrt)       \
  X(cbrt) X(rcbrt) X(erf) X(erfc) X(erfinv) X(erfcinv) X(erfcx) X(normcdf) X(normcdfinv)           \
  X(tgamma) X(lgamma) X(j0) X(j1) X(y0) X(cyl_bessel_i0) X(cyl_bessel_i1) X(sinpi) X(cospi)        \
  X(round) X(rint)
#define TWO(X)                                                                                     \
  X(pow) X(atan2) X(hypot) X(rhypot) X(fmod) X(remainder)
// clang-format on

#define KERNEL(fn, single, twofold)                                                                \
  __global__ void fn##_kernel(float *f, double *d) {                                               \
    const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;                                      \
    const double x = argument(i, 1), y = argument(i, 2);                                           \
    const float xf = (float)x, yf = (float)y;                                                      \
    f[i] = single;                                                                                 \
    d[i] = twofold;                                                                                \
    (void)y, (void)yf;                                                                             \
  }
#define KERNEL_ONE(fn) KERNEL(fn, fn##f(xf), fn(x))
#define KERNEL_TWO(fn) KERNEL(fn, fn##f(xf, yf), fn(x, y))
ONE(KERNEL_ONE)
TWO(KERNEL_TWO)
KERNEL(jn, jnf((int)(i % 5), xf), jn((int)(i % 5), x))
KERNEL(norm3d, norm3df(xf, yf, 1.5f), norm3d(x, y, 1.5))
KERNEL(rnorm4d, rnorm4df(xf, yf, 1.5f, xf), rnorm4d(x, y, 1.5, x))
__device__ float either(unsigned i, float x) {
  float s, c;
  sincosf(x, &s, &c);
  return i & 1 ? s : c;
}
__device__ double either(unsigned i, double x) {
  double s, c;
  sincos(x, &s, &c);
  return i & 1 ? s : c;
}
KERNEL(sincos, either(i, xf), either(i, x))

static float f[N];
static double d[N];

static unsigned long long hash_of(const void *data, size_t bytes) {
  unsigned long long h = 0xcbf29ce484222325ull;
  for (size_t i = 0; i < bytes; i++)
    h = (h ^ static_cast<const unsigned char *>(data)[i]) * 0x100000001b3ull;
  return h;
}
static void show(const char *name, void (*kernel)(float *, double *)) {
  float *df;
  double *dd;
  cudaMalloc(&df, sizeof f);
  cudaMalloc(&dd, sizeof d);
  kernel<<<N / 128, 128>>>(df, dd);
  cudaMemcpy(f, df, sizeof f, cudaMemcpyDeviceToHost);
  cudaMemcpy(d, dd, sizeof d, cudaMemcpyDeviceToHost);
  printf("%s %016llx %016llx\n", name, hash_of(f, sizeof f), hash_of(d, sizeof d));
  cudaFree(df);
  cudaFree(dd);
}

int main() {
#define SHOW(fn) show(#fn, fn##_kernel);
  ONE(SHOW)
  TWO(SHOW)
  SHOW(jn) SHOW(norm3d) SHOW(rnorm4d) SHOW(sincos) return 0;
}
