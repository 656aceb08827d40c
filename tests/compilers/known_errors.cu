// SPDX-License-Identifier: MIT
// known_errors.cu - code that some clang translates into wrong PTX. Every compiler that simtcc
// takes must get it right, or be refused. Each line printed names what was computed, the value and
// the host's; status 1 when one differs. Nothing here can be folded: all values come from memory.
//
// - (a) __fadd_rn and its kin are made into FMAs: every clang, from its own headers
// - (b) (long long)i << 31 becomes a product with -2^31: 14, 15
// - (c) an arithmetic shift right by more than 32, cut to 32 bits, loses the sign: 14, 15, 16
// - (d) of a static variable that the optimiser shrinks to a byte, two are loaded: 14, 15, 16
// - (e) a static variable of 3 bytes gets a type that PTX does not have: every clang
// - (f) a negated truth value, -(int)(a | b), is converted to +1.0: 14 to 19
// - (i) what one lane does alone, to hand its result to a shuffle, every lane does: every clang
// - (j) the host cannot reach variables of a type, or in a namespace, without a name: 14
#include <stdio.h>
#include <string.h>

struct fields {
  unsigned long long low : 59;
  signed long long high : 5;
};
struct bits {
  signed a : 9;
  unsigned b : 6;
  signed char c;
  unsigned short d;
};
struct wide {
  unsigned f0 : 12;
  signed f1 : 22;
  signed f2 : 24;
  unsigned f3 : 18;
  signed f4 : 3;
  // Of a class with such a member the last byte may belong to another one: f3 and f4 have three.
  __host__ __device__ wide &operator=(const wide &from) {
    f0 = from.f0;
    return *this;
  }
};
struct pair {
  signed char first;
  unsigned char second;
};
union both {
  struct pair pair;
  short whole;
};

namespace {
__constant__ int in_no_namespace;
}
__device__ struct { int value; } of_no_type;

static __device__ struct bits one_bits = {-7, 9, -3, 77};
static __device__ struct pair one_pair = {-1, 2};
static __device__ union both one_union = {{3, 4}};

#ifndef LOADABLE // without mending no kernel runs because of (e): this leaves it out
static __device__ struct wide one_wide = {59, 865, -2174, 385, -1};
#endif
static __device__ short modes[4] = {5, 5, 5, 5}; // one of them changes, to one other value

static __host__ __device__ unsigned long long use(struct bits *b, struct pair *p, union both *u,
                                                  int x) {
  b->a += x;
  b->b = b->b * 3 + x;
  b->c ^= x;
  b->d -= x;
  const struct pair copy = *p;
  p->first = copy.second;
  p->second = copy.first + x;
  u->whole += x * 259;
  u->pair.second ^= x;
  return (unsigned long long)(unsigned)(b->a * 1000003 + b->b * 10007 + b->c * 101 + b->d) << 32 |
         (unsigned)(p->first * 65537 + p->second * 257 + u->whole);
}

__global__ void rounded(const float *f, const double *d, float *fo, double *dn) {
  fo[0] = __fadd_rn(__fmul_rn(f[0], f[1]), f[2]);
  fo[1] = __fsub_rn(__fmul_rn(f[0], f[1]), f[2]);
  fo[2] = __fmul_rn(f[0], f[1]) + f[2];
  fo[3] = __fadd_rn(f[0] * f[1], f[2]);
  fo[4] = __fsub_rn(f[2], f[0] * f[1]);
  dn[0] = __dadd_rn(__dmul_rn(d[0], d[1]), d[2]);
  dn[1] = __dsub_rn(__dmul_rn(d[0], d[1]), d[2]);
  dn[2] = __dmul_rn(d[0], d[1]) + d[2];
  dn[3] = __dadd_rn(d[0] * d[1], d[2]);
  dn[4] = __dsub_rn(d[2], d[0] * d[1]);
}

static __host__ __device__ void integers(const int *i, const long long *l, const short *s,
                                         const struct fields *f, unsigned long long *o) {
  o[0] = (unsigned long long)((long long)i[0] << 31);
  o[1] = (unsigned long long)((long long)i[0] * -2147483648LL);
  o[2] = (unsigned long long)(((long long)i[1] << 31) + l[0]);
  o[3] = (unsigned long long)((int)s[0] << 15);
  o[4] = (unsigned long long)((long long)i[0] * 2147483648LL);
  o[5] = (unsigned long long)f->high;
  o[6] = (unsigned)f->high;
  o[7] = (unsigned)(l[0] >> 59);
  o[8] = (unsigned short)(l[0] >> 45);
  o[9] = (unsigned)(l[0] >> 33);
  o[10] = (unsigned long long)(l[0] >> 60) & 0xff;
  o[11] = (unsigned long long)(long long)(int)(l[0] >> 62) << 3;
  o[12] = (unsigned)((unsigned long long)l[0] >> 59);
  o[13] = (unsigned long long)(i[0] >> 27) & 0xffff;
}
enum { INTEGERS = 14, ROUNDED = 5, USES = 3 };

__global__ void whole(const int *i, const long long *l, const short *s, const struct fields *f,
                      unsigned long long *o) {
  integers(i, l, s, f, o);
}

__global__ void structures(int x, unsigned long long *o) {
  for (int n = 0; n < USES; n++) o[n] = use(&one_bits, &one_pair, &one_union, x + n);
}

static __host__ __device__ int narrow(struct wide *w, int x) {
  w->f2 += x;
  w->f1 ^= x;
  w->f3 += x;
  w->f4 ^= x;
  w->f0 ^= x;
  return w->f0 * 3 + w->f1 * 5 + w->f2 * 7 + (int)w->f3 * 11 + w->f4 * 13;
}
__global__ void wide_fields(int x, int *o) {
#ifdef LOADABLE
  struct wide one_wide = {59, 865, -2174, 385, -1};
#endif
  o[0] = narrow(&one_wide, x);
}

__global__ void set_mode(int x) {
  if (x > 1) modes[1] = 9;
}
__global__ void get_mode(int *o) { o[0] = modes[0] * 100 + modes[1]; }

// x and y have 3 elements each. Some of these truth values are negated and some are not.
static __host__ __device__ void truths(const float *x, const int *y, float *fo, double *dn) {
  fo[0] = -(int)((x[0] > x[1]) & (x[1] < x[2]));
  fo[1] = -(int)((x[0] > x[2]) | (y[0] > y[1]));
  fo[2] = (int)((x[2] > x[1]) ^ (y[0] > y[2]));
  fo[3] = (int)((x[0] < x[1]) | (y[1] > y[2]));
  const int both = (x[0] < x[2]) & (y[0] < y[1]);
  fo[4] = 3 - both;
  fo[5] = (x[0] > 0 ? -(int)((x[2] > x[0]) | (y[2] > y[0])) : both) - 2.f;
  dn[0] = -(int)((x[2] < x[0]) | (y[0] < y[1]));
  dn[1] = -(long long)((x[2] < x[0]) ^ (y[0] > y[1]));
  dn[2] = (long long)((x[2] < x[1]) & (y[0] > y[1]));
  dn[3] = both;
}
enum { FLOAT_TRUTHS = 6, DOUBLE_TRUTHS = 4, TRUTH_LANES = 4 };
__global__ void signs(const float *x, const int *y, float *fo, double *dn) { truths(x, y, fo, dn); }

// o[n] = -1 where a[n] < a[n+1] or a[n+1] < a[n+2], otherwise 0
static __host__ __device__ void lane_truths(const float *a, float *o) {
#if defined(__clang__) && defined(__CUDA_ARCH__)
  typedef float floats __attribute__((ext_vector_type(TRUTH_LANES)));
  const floats x = {a[0], a[1], a[2], a[3]}, y = {a[1], a[2], a[3], a[4]},
               z = {a[2], a[3], a[4], a[5]},
               all = __builtin_convertvector((x < y) | (y < z), floats);
  for (int n = 0; n < TRUTH_LANES; n++) o[n] = all[n];
#else
  for (int n = 0; n < TRUTH_LANES; n++) o[n] = a[n] < a[n + 1] || a[n + 1] < a[n + 2] ? -1.f : 0.f;
#endif
}
__global__ void lane_signs(const float *a, float *o) { lane_truths(a, o); }

static int wrong;
static void compare(const char *what, int n, const void *got, const void *wanted, size_t bytes) {
  unsigned long long a = 0, b = 0;
  memcpy(&a, got, bytes);
  memcpy(&b, wanted, bytes);
  printf("%s[%d] %llx%s\n", what, n, a, a == b ? "" : ": wrong");
  if (a != b) fprintf(stderr, "%s[%d]: %llx, should be %llx\n", what, n, a, b);
  wrong |= a != b;
}

template <typename T> static T *managed(const T *from, int n) {
  T *there;
  if (cudaMallocManaged(&there, n * sizeof(T)) != cudaSuccess) return NULL;
  if (from) memcpy(there, from, n * sizeof(T));
  return there;
}

__device__ static int hand_on(int result, int leader) { return __shfl_sync(~0u, result, leader); }
__global__ void added_once(int *counter, int *first, int n) {
  const int lane = threadIdx.x, leader = n % 32;
  int result;
  if (lane == leader) result = atomicAdd(counter, n);
  first[lane] = hand_on(result, leader);
}
__global__ void without_names(int *out) {
  out[0] = in_no_namespace;
  out[1] = of_no_type.value;
}

static void lanes_and_names(void) {
  const volatile int seed = 7;
  const int wanted[3] = {2 * seed, 0, seed};
  int *counter = managed<int>(&wanted[1], 1), *first = managed<int>(NULL, 32);
  for (int n = 0; n < 2; n++) {
    added_once<<<1, 32>>>(counter, first, seed);
    if (cudaDeviceSynchronize() != cudaSuccess) wrong = 1;
    compare("added once", n, &first[31], &wanted[1 + n], sizeof(int));
  }
  compare("added once", 2, counter, &wanted[0], sizeof(int));
  const int values[2] = {seed * 11, seed * 13};
  wrong |= cudaMemcpyToSymbol(in_no_namespace, &values[0], sizeof(int)) != cudaSuccess;
  wrong |= cudaMemcpyToSymbol(of_no_type, &values[1], sizeof(int)) != cudaSuccess;
  without_names<<<1, 1>>>(first);
  if (cudaDeviceSynchronize() != cudaSuccess) wrong = 1;
  for (int n = 0; n < 2; n++) compare("without name", n, &first[n], &values[n], sizeof(int));
}

static void floats(void) {
  const volatile float x = 1.f + 0x1p-12f, y = 1.f - 0x1p-12f, z = -1.f + 0x1p-22f;
  const volatile double dx = 1. + 0x1p-30, dy = 1. - 0x1p-30, dz = -1. + 0x1p-50;
  const float f[3] = {x, y, z};
  const double d[3] = {dx, dy, dz};
  const volatile float product = x * y;
  const volatile double long_product = dx * dy;
  const float fw[ROUNDED] = {product + z, product - z, product + z, product + z, z - product};
  const double dw[ROUNDED] = {long_product + dz, long_product - dz, long_product + dz,
                              long_product + dz, dz - long_product};
  float *fo = managed<float>(NULL, ROUNDED);
  double *dn = managed<double>(NULL, ROUNDED);
  rounded<<<1, 1>>>(managed(f, 3), managed(d, 3), fo, dn);
  if (cudaDeviceSynchronize() != cudaSuccess) wrong = 1;
  for (int n = 0; n < ROUNDED; n++) compare("float", n, &fo[n], &fw[n], sizeof(float));
  for (int n = 0; n < ROUNDED; n++) compare("double", n, &dn[n], &dw[n], sizeof(double));
}

static void truth_values(void) {
  const volatile float one = 1;
  const volatile int two = 2;
  const float x[3] = {one * 4, one, one * 3}, a[6] = {one, one + 1, one, one, one - 2, one - 3};
  const int y[3] = {two, two + 7, two - 3};
  float *fo = managed<float>(NULL, FLOAT_TRUTHS), fw[FLOAT_TRUTHS];
  double *dn = managed<double>(NULL, DOUBLE_TRUTHS), dw[DOUBLE_TRUTHS];
  truths(x, y, fw, dw);
  signs<<<1, 1>>>(managed(x, 3), managed(y, 3), fo, dn);
  float *lanes = managed<float>(NULL, TRUTH_LANES), lanes_wanted[TRUTH_LANES];
  lane_truths(a, lanes_wanted);
  lane_signs<<<1, 1>>>(managed(a, 6), lanes);
  if (cudaDeviceSynchronize() != cudaSuccess) wrong = 1;
  for (int n = 0; n < FLOAT_TRUTHS; n++) compare("truth", n, &fo[n], &fw[n], sizeof(float));
  for (int n = 0; n < DOUBLE_TRUTHS; n++) compare("long truth", n, &dn[n], &dw[n], sizeof(double));
  for (int n = 0; n < TRUTH_LANES; n++)
    compare("lane truth", n, &lanes[n], &lanes_wanted[n], sizeof(float));
}

static void the_rest(void) {
  const volatile int seed = -5;
  const int i[2] = {seed, seed * 1234577};
  const long long l[1] = {(long long)seed * 0x1234567890123LL - 0x7000000000000000LL};
  const short s[1] = {(short)(seed * 1111)};
  struct fields f = {99, seed};
  unsigned long long wanted[INTEGERS], *got = managed<unsigned long long>(NULL, INTEGERS);
  integers(i, l, s, &f, wanted);
  whole<<<1, 1>>>(managed(i, 2), managed(l, 1), managed(s, 1), managed(&f, 1), got);
  if (cudaDeviceSynchronize() != cudaSuccess) wrong = 1;
  for (int n = 0; n < INTEGERS; n++) compare("integer", n, &got[n], &wanted[n], 8);

  const int modes_wanted[2] = {505, 509};
  int *modes_got = managed<int>(NULL, 2);
  get_mode<<<1, 1>>>(&modes_got[0]);
  set_mode<<<1, 1>>>(-seed);
  get_mode<<<1, 1>>>(&modes_got[1]);
  if (cudaDeviceSynchronize() != cudaSuccess) wrong = 1;
  for (int n = 0; n < 2; n++) compare("mode", n, &modes_got[n], &modes_wanted[n], sizeof(int));

  struct wide w = {59, 865, -2174, 385, -1};
  const int wide_wanted = narrow(&w, -seed);
  wide_fields<<<1, 1>>>(-seed, modes_got);
  if (cudaDeviceSynchronize() != cudaSuccess) wrong = 1;
  compare("wide", 0, modes_got, &wide_wanted, sizeof(int));

  struct bits b = {-7, 9, -3, 77};
  struct pair p = {-1, 2};
  union both u = {{3, 4}};
  structures<<<1, 1>>>(-seed, got);
  if (cudaDeviceSynchronize() != cudaSuccess) wrong = 1;
  for (int n = 0; n < USES; n++) {
    const unsigned long long use_wanted = use(&b, &p, &u, -seed + n);
    compare("structure", n, &got[n], &use_wanted, 8);
  }
}

int main(void) {
  floats();
  truth_values();
  lanes_and_names();
  the_rest(); // (d), unmended, ends it
  return wrong;
}
