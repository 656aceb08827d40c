// SPDX-License-Identifier: MIT
// gpu_exact_sum.cu - what the exact sums of lesson 11 cost on a real GPU, beside CUB's plain sum,
// for friendly and for hostile numbers. Built on request (target gpu_exact_sum of the CUDA
// backend); `make measure PARTS=exact` runs it and stores what it prints.
//
// Method: for each kind of numbers and each size a contest (contest.cuh), queued: CUB and the
// lesson's kernels take turns. `of_cub` is CUB's time over the kernel's, the median of the rounds'
// ratios. First every kernel's sum is compared bit for bit with that of `global`, which shares
// neither the columns nor the window with the others; of 2^31 + 1 numbers that cancel, with the sum
// that is known. A difference ends the program.
#include "contest.cuh"

#include <cstdlib>
#include <cstring>

#define main unused_main
#include "../lessons/11_exact_sum/exact_sum.cu"
#undef main

enum { N_ROUNDS = 21, COUNT_FOR_GLOBAL = 1 << 24 };
static const unsigned cancelling_n = (1u << 31) + 1, sizes[] = {1u << 22, 1u << 28};
static const float left_over = 0.1f; // the sum of the numbers that cancel

// --- the numbers --------------------------------------------------------------------------------

static __device__ unsigned hash_of(size_t i) {
  unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return (unsigned)(x >> 32);
}
static __device__ float uniform(size_t i, size_t) { return (hash_of(i) >> 8) * 0x1p-24f; }
static __device__ float normal(size_t i, size_t) {
  const float u = ((hash_of(2 * i) >> 8) + 1) * 0x1p-24f, angle = uniform(2 * i + 1, 0);
  return sqrtf(-2.0f * logf(u)) * cospif(2.0f * angle);
}
static __device__ float log_normal(size_t i, size_t n) { return expf(normal(i, n)); }
// Any sign, exponent and significand of a normal number up to 2^64, and of a subnormal one.
static __device__ float any_exponent(size_t i, size_t) {
  return __uint_as_float((hash_of(2 * i) & 0x807fffff) | hash_of(2 * i + 1) % 192 << 23);
}
static __device__ float one_large_in_32(size_t i, size_t n) {
  return i % 32 == 0 ? 0x1p60f : uniform(i, n);
}
static __device__ float large_and_small_in_turn(size_t i, size_t n) {
  return i % 2 == 0 ? 1e30f * uniform(i, n) : -1e-30f * uniform(i, n);
}
static __device__ float subnormal(size_t i, size_t) {
  return __uint_as_float(hash_of(i) & 0x807fffff);
}
static __device__ float zero(size_t, size_t) { return 0.0f; }
static __device__ float cancelling(size_t i, size_t n) {
  return i == n - 1 ? left_over : i % 2 == 0 ? 1e10f : -1e10f;
}

template <float number(size_t, size_t)> __global__ void fill_kernel(float *x, size_t n) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * (size_t)blockDim.x)
    x[i] = number(i, n);
}
template <float number(size_t, size_t)> static void fill(float *x, size_t n) {
  fill_kernel<number><<<4096, 256>>>(x, n);
}

struct numbers {
  const char *name;
  void (*fill)(float *x, size_t n);
};
static const numbers kinds_of_numbers[] = {{"uniform", fill<uniform>},
                                           {"normal", fill<normal>},
                                           {"log-normal", fill<log_normal>},
                                           {"any exponent", fill<any_exponent>},
                                           {"one large in 32", fill<one_large_in_32>},
                                           {"large and small", fill<large_and_small_in_turn>},
                                           {"subnormal", fill<subnormal>},
                                           {"zeros", fill<zero>}};

// --- the contest --------------------------------------------------------------------------------

static contestant of(const char *name) {
  for (const wb_variant &v : variants)
    if (strcmp(v.name, name) == 0) return {v.name, v.launch, 256, {}};
  fprintf(stderr, "lesson 11 has no variant %s\n", name);
  exit(2);
}

static unsigned bits_of(const contest *c, const contestant *one, unsigned n) {
  wb_launch launch = c->launch;
  unsigned bits = 0;
  launch.n = n;
  launch.block = one->block;
  CONTEST_OK(cudaMemset(launch.out, 0xff, sizeof(float)));
  one->launch(&launch);
  CONTEST_OK(cudaMemcpy(&bits, launch.out, sizeof bits, cudaMemcpyDefault));
  return bits;
}

static void expect(unsigned bits, unsigned expected, const char *kernel, const char *about) {
  if (bits == expected) return;
  fprintf(stderr, "%s of %s: 0x%08x, expected 0x%08x\n", kernel, about, bits, expected);
  exit(1);
}

// `global` takes a second for 2^28 elements: the first 2^24 are enough to compare with.
static void verify(const contest *c, const char *about) {
  const unsigned n = c->launch.n < COUNT_FOR_GLOBAL ? c->launch.n : COUNT_FOR_GLOBAL;
  const contestant first = of("global"), second = of("columns");
  const unsigned few = bits_of(c, &first, n), all = bits_of(c, &second, c->launch.n);
  for (const contestant &one : c->entries) {
    if (strcmp(one.name, "cub") == 0) continue;
    expect(bits_of(c, &one, n), few, one.name, about);
    expect(bits_of(c, &one, c->launch.n), all, one.name, about);
  }
}

static void report(const contest *c, const char *about) {
  const contestant *cub = &c->entries[0];
  for (const contestant &one : c->entries) {
    std::vector<double> ratios;
    for (size_t i = 0; i < one.ms.size(); i++) ratios.push_back(cub->ms[i] / one.ms[i]);
    const double us = 1e3 * quantile(one.ms, 0.5);
    printf("%s,%u,%s,%.3f,%.3f,%.3f,%.1f,%.3f\n", about, c->launch.n, one.name, us,
           1e3 * quantile(one.ms, 0.1), 1e3 * quantile(one.ms, 0.9), 4e-3 * c->launch.n / us,
           quantile(ratios, 0.5));
  }
  fflush(stdout);
}

static void run_contest(contest c, const numbers *kind) {
  kind->fill((float *)c.launch.in, c.total_elements);
  CONTEST_OK(cudaGetLastError());
  verify(&c, kind->name);
  hold(&c);
  report(&c, kind->name);
}

// Not timed beside the others: their contest would take another input of 8 GiB.
static void check_cancelling(contest c) {
  c.launch.n = cancelling_n;
  fill<cancelling>((float *)c.launch.in, cancelling_n);
  unsigned expected;
  memcpy(&expected, &left_over, sizeof expected);
  for (const char *name : {"columns", "vectors", "window"}) {
    const contestant one = of(name);
    expect(bits_of(&c, &one, cancelling_n), expected, name, "2^31 + 1 numbers that cancel");
  }
  fprintf(stderr, "2^31 + 1 numbers that cancel: every kernel is right\n");
}

int main() {
  contest c = {};
  float *in, *out, *scratch;
  CONTEST_OK(cudaMalloc(&in, (size_t)cancelling_n * sizeof *in));
  CONTEST_OK(cudaMalloc(&out, 256));
  CONTEST_OK(cudaMalloc(&scratch, (size_t)1 << 24));
  c.entries = {of("cub"), of("columns"), of("vectors"), of("window")};
  c.how = QUEUED;
  c.launch = {};
  c.launch.in = in;
  c.launch.out = out;
  c.launch.scratch = scratch;
  c.element_bytes = sizeof(float);
  c.rounds = N_ROUNDS;
  printf("# method: bench/gpu_exact_sum.cu; lesson 11's kernels and CUB's plain sum in turns, each "
         "queued behind a busy device, cold; medians of %u rounds; sums compared bit for bit with "
         "global's\n"
         "# key: numbers/n/kernel\n"
         "numbers,n,kernel,median_us,p10_us,p90_us,gb_per_s,of_cub\n",
         (unsigned)N_ROUNDS);
  check_cancelling(c);
  for (unsigned n : sizes) {
    c.launch.n = n;
    c.total_elements = (size_t)1 << 28;
    for (const numbers &kind : kinds_of_numbers) run_contest(c, &kind);
  }
  return 0;
}
