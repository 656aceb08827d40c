// SPDX-License-Identifier: MIT
// Gamma, error, Bessel and normal functions, roots and norms against long double on the host, on
// random and on special arguments. The bounds are those of CUDA's programming guide ("Mathematical
// Functions", maximum error), of the strictest of its editions: in units in the last place, or
// absolute for Bessel functions beyond 8. Prints a line only where one is exceeded, so that the
// expected output holds for every implementation.
#include <cuda_runtime.h>

#include <cmath>
#include <cstdio>

enum { N = 1024 };

static int n_rows, n_bad;

static void complain(const char *name, double x, double got, long double want, double off) {
  n_bad++;
  printf("%s(%.17g) = %.17g, want %.17Lg: off by %.3g of the bound\n", name, x, got, want, off);
}

// The distance from the correctly rounded value in units of the last place of T, as the guide has
// it, or from the value itself where `absolute` is given.
template <typename T> static double distance(T got, long double want, bool absolute) {
  if (std::isnan(got) || std::isnan((T)want))
    return std::isnan(got) && std::isnan((T)want) ? 0 : INFINITY;
  if (std::isinf(got) || std::isinf((T)want)) return got == (T)want ? 0 : INFINITY;
  if (absolute) return (double)fabsl(got - want);
  const int digits = sizeof(T) == 4 ? 24 : 53, lowest = sizeof(T) == 4 ? -125 : -1021;
  int e;
  frexp((double)want, &e);
  return (double)(fabsl((long double)got - (T)want) /
                  ldexpl(1, (e < lowest ? lowest : e) - digits));
}

template <typename T, typename F> __global__ void apply(const T *x, T *y, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < N) y[i] = f(x[i]);
}

static unsigned long long state = 88172645463325252ull;
static double uniform() { // xorshift
  state ^= state << 13, state ^= state >> 7, state ^= state << 17;
  return (double)(state >> 11) * 0x1p-53;
}

template <typename T, typename F>
static void test(const char *name, F function, long double (*reference)(long double), double low,
                 double high, double bound, bool absolute) {
  static T x[N], got[N];
  for (int i = 0; i < N; i++) x[i] = (T)(low + (high - low) * uniform());
  T *d;
  cudaMalloc(&d, 2 * sizeof x);
  cudaMemcpy(d, x, sizeof x, cudaMemcpyHostToDevice);
  apply<<<N / 128, 128>>>(d, d + N, function);
  cudaMemcpy(got, d + N, sizeof got, cudaMemcpyDeviceToHost);
  cudaFree(d);
  n_rows++;
  double worst = 0;
  int at = 0;
  for (int i = 0; i < N; i++) {
    const double off = distance(got[i], reference(x[i]), absolute) / bound;
    if (!(off <= worst)) worst = off, at = i;
  }
  if (!(worst <= 1)) complain(name, x[at], got[at], reference(x[at]), worst);
}

// ---- What the host's library lacks, in long double.
static long double rcbrt_l(long double x) { return 1 / cbrtl(x); }
static long double slope_l(long double x) { return 2 / sqrtl(M_PI) * expl(-x * x); }
static long double erfcinv_l(long double q) { // bisection: erfcl falls
  if (q > 1) return -erfcinv_l(2 - q);
  long double low = 0, high = 28;
  for (int i = 0; i < 60; i++) {
    const long double middle = (low + high) / 2;
    if (erfcl(middle) > q) low = middle;
    else high = middle;
  }
  return low + (erfcl(low) - q) / slope_l(low);
}
static long double erfinv_l(long double y) {
  if (fabsl(y) > 0.5L) return y > 0 ? erfcinv_l(1 - y) : -erfcinv_l(1 + y);
  long double x = y;
  for (int i = 0; i < 8; i++) x -= (erfl(x) - y) / slope_l(x);
  return x;
}
static long double erfcx_l(long double x) { return expl(x * x) * erfcl(x); }
static long double normcdf_l(long double x) { return erfcl(-x / sqrtl(2)) / 2; }
static long double normcdfinv_l(long double p) { return -sqrtl(2) * erfcinv_l(2 * p); }
static long double i_l(int n, long double x) {
  long double term = n ? x / 2 : 1, sum = term;
  for (int k = 1; k < 200; k++) sum += term *= x * x / 4 / k / (k + n);
  return sum;
}
static long double i0_l(long double x) { return i_l(0, x); }
static long double i1_l(long double x) { return i_l(1, x); }
static long double j5_l(long double x) { return jnl(5, x); }
static long double y5_l(long double x) { return ynl(5, x); }
static long double norm3_l(long double x) { return sqrtl(x * x + 4 * x * x + 9); }
static long double rnorm4_l(long double x) { return 1 / sqrtl(x * x + 4 * x * x + 10); }
static long double rhypot_l(long double x) { return 1 / sqrtl(x * x + 9); }
static long double ieee_l(long double x) { return remainderl(x, 0.75L); }

#define FLOAT(expression, reference, low, high, bound, absolute)                                   \
  test<float>(                                                                                     \
      #expression, [] __device__(float x) { return expression; }, reference, low, high, bound,     \
      absolute)
#define DOUBLE(expression, reference, low, high, bound, absolute)                                  \
  test<double>(                                                                                    \
      #expression, [] __device__(double x) { return expression; }, reference, low, high, bound,    \
      absolute)

static void test_floats() {
  FLOAT(rcbrtf(x), rcbrt_l, -100, 100, 1, false);
  FLOAT(rhypotf(x, 3.0f), rhypot_l, -100, 100, 2, false);
  FLOAT(norm3df(x, 2 * x, 3.0f), norm3_l, -100, 100, 3, false);
  FLOAT(rnorm4df(x, 2 * x, 3.0f, 1.0f), rnorm4_l, -100, 100, 2, false);
  FLOAT(erff(x), erfl, -4, 4, 2, false);
  FLOAT(erfcf(x), erfcl, -4, 9, 4, false);
  FLOAT(erfcxf(x), erfcx_l, -5, 40, 4, false);
  FLOAT(erfinvf(x), erfinv_l, -1, 1, 2, false);
  FLOAT(erfcinvf(x), erfcinv_l, 0, 2, 2, false);
  FLOAT(normcdff(x), normcdf_l, -12, 6, 5, false);
  FLOAT(normcdfinvf(x), normcdfinv_l, 0, 1, 5, false);
  FLOAT(lgammaf(x), lgammal, 0.1, 60, 6, false);
  FLOAT(tgammaf(x), tgammal, 0.1, 34, 11, false);
  FLOAT(tgammaf(x), tgammal, -20, 0, 11, false);
  FLOAT(j0f(x), j0l, -8, 8, 9, false);
  FLOAT(j0f(x), j0l, 8, 1000, 2.2e-6, true);
  FLOAT(j1f(x), j1l, -8, 8, 9, false);
  FLOAT(y0f(x), y0l, 0, 8, 9, false);
  FLOAT(y1f(x), y1l, 0, 8, 9, false);
  FLOAT(jnf(5, x), j5_l, 0, 100, 2.2e-6, true);
  FLOAT(cyl_bessel_i0f(x), i0_l, 0, 60, 6, false);
  FLOAT(cyl_bessel_i1f(x), i1_l, 0, 60, 6, false);
  FLOAT(remainderf(x, 0.75f), ieee_l, -1000, 1000, 1e-6, false);
}

static void test_doubles() {
  DOUBLE(rcbrt(x), rcbrt_l, -100, 100, 1, false);
  DOUBLE(rcbrt(x), rcbrt_l, 0, 1e-310, 1, false);
  DOUBLE(rhypot(x, 3.0), rhypot_l, -100, 100, 1, false);
  DOUBLE(norm3d(x, 2 * x, 3.0), norm3_l, -100, 100, 2, false);
  DOUBLE(rnorm4d(x, 2 * x, 3.0, 1.0), rnorm4_l, -100, 100, 1, false);
  DOUBLE(erf(x), erfl, -6, 6, 2, false);
  DOUBLE(erfc(x), erfcl, -6, 26, 4, false);
  DOUBLE(erfcx(x), erfcx_l, -20, 40, 3, false);
  DOUBLE(erfinv(x), erfinv_l, -1, 1, 5, false);
  DOUBLE(erfcinv(x), erfcinv_l, 0, 2, 6, false);
  DOUBLE(normcdf(x), normcdf_l, -36, 9, 5, false);
  DOUBLE(normcdfinv(x), normcdfinv_l, 0, 1, 7, false);
  DOUBLE(lgamma(x), lgammal, 0, 60, 4, false);
  DOUBLE(lgamma(x), lgammal, -100, -24, 4, false);
  DOUBLE(tgamma(x), tgammal, 0, 171, 8, false);
  DOUBLE(tgamma(x), tgammal, -170, 0, 8, false);
  DOUBLE(j0(x), j0l, -8, 8, 7, false);
  DOUBLE(j0(x), j0l, 8, 1000, 5e-12, true);
  DOUBLE(j1(x), j1l, -8, 8, 7, false);
  DOUBLE(y0(x), y0l, 0, 8, 7, false);
  DOUBLE(y1(x), y1l, 0, 8, 7, false);
  DOUBLE(y1(x), y1l, 8, 1000, 5e-12, true);
  DOUBLE(jn(5, x), j5_l, 0, 100, 5e-12, true);
  DOUBLE(yn(5, x), y5_l, 8, 100, 5e-12, true);
  DOUBLE(cyl_bessel_i0(x), i0_l, 0, 60, 6, false);
  DOUBLE(cyl_bessel_i1(x), i1_l, 0, 60, 6, false);
  DOUBLE(remainder(x, 0.75), ieee_l, -1e9, 1e9, 1e-9, false);
}

// ---- Special arguments.
struct Special {
  double x, want;
};
__global__ void specials(double *out) {
  const double inf = INFINITY;
  int q = 0, i = 0;
  out[i++] = tgamma(0.0), out[i++] = tgamma(-0.0), out[i++] = tgamma(-1.0), out[i++] = tgamma(inf);
  out[i++] = tgamma(-inf), out[i++] = tgamma(172.0), out[i++] = lgamma(0.0),
  out[i++] = lgamma(-3.0);
  out[i++] = lgamma(1.0), out[i++] = lgamma(2.0), out[i++] = lgamma(-inf), out[i++] = j0(0.0);
  out[i++] = j1(0.0), out[i++] = j0(inf), out[i++] = jn(-1, 1.0), out[i++] = y0(0.0);
  out[i++] = y1(-1.0), out[i++] = yn(3, 0.0), out[i++] = erfinv(1.0), out[i++] = erfinv(-1.0);
  out[i++] = erfinv(1.5), out[i++] = erfcinv(0.0), out[i++] = erfcinv(2.0), out[i++] = erfcinv(1.0);
  out[i++] = normcdf(-inf), out[i++] = normcdf(inf), out[i++] = normcdfinv(0.0);
  out[i++] = normcdfinv(0.5), out[i++] = rcbrt(0.0), out[i++] = rcbrt(-inf), out[i++] = erfcx(inf);
  out[i++] = norm3d(1.0, inf, 2.0), out[i++] = rhypot(0.0, 0.0),
  out[i++] = norm3d(0x3p600, 0x4p600, 0);
  out[i++] = nextafter(1.0, 2.0), out[i++] = nextafter(0.0, -1.0), out[i++] = remainder(5.0, 2.0);
  out[i++] = remainder(1.0, 0.0), out[i++] = remquo(-29.0, 3.0, &q), out[i++] = q;
  out[i++] = logb(0.0), out[i++] = ilogb(1e-310), out[i++] = scalbln(1.0, -1074);
  out[i++] = nextafterf(1.0f, 0.0f), out[i++] = cyl_bessel_i0(0.0);
}

static void test_specials() {
  static const double want[] = {
      INFINITY, -INFINITY, NAN, INFINITY, NAN,       INFINITY, INFINITY,  INFINITY,    0,
      0,        INFINITY,  1,   0,        0,         NAN,      -INFINITY, NAN,         -INFINITY,
      INFINITY, -INFINITY, NAN, INFINITY, -INFINITY, 0,        0,         1,           -INFINITY,
      0,        INFINITY,  0,   0,        INFINITY,  INFINITY, 0x5p600,   1 + 0x1p-52, -0x1p-1074,
      1,        NAN,       1,   -2,       -INFINITY, -1030,    0x1p-1074, 1 - 0x1p-24, 1};
  enum { COUNT = sizeof want / sizeof *want };
  double got[COUNT], *d;
  cudaMalloc(&d, sizeof got);
  specials<<<1, 1>>>(d);
  cudaMemcpy(got, d, sizeof got, cudaMemcpyDeviceToHost);
  cudaFree(d);
  for (int i = 0; i < COUNT; i++)
    if (!(distance(got[i], want[i], false) <= 4))
      complain("special argument", i, got[i], want[i], 1);
}

// Some of these CUDA has in host code, too.
static void test_host() {
  const double got[] = {rsqrt(4.0), rcbrt(-8.0), normcdf(0.0), erfcinv(1.0)};
  const double want[] = {0.5, -0.5, 0.5, 0};
  for (unsigned i = 0; i < sizeof got / sizeof *got; i++)
    if (distance(got[i], want[i], false) > 1) complain("on the host", i, got[i], want[i], 1);
}

int main() {
  test_floats();
  test_doubles();
  test_specials();
  test_host();
  printf("%d functions and ranges, %d beyond their bounds\n", n_rows, n_bad);
  return n_bad != 0;
}
