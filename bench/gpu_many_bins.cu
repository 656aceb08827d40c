// SPDX-License-Identifier: MIT
// gpu_many_bins.cu - every way of lesson 12 to count, on a real GPU, beside CUB and global atomics:
// numbers of bins x kinds of samples x sizes. Not part of the build: compile it with
// `nvcc -O3 -std=c++17 -arch=native -Ilessons/12_many_bins -Icommon/workbook
// bench/gpu_many_bins.cu`
// and run it on a GPU (make measure PARTS=many-bins does both). Its output for one H200 is
// figures/data/h200-many-bins.csv, from which the lesson's chapter quotes.
//
// Method: each launch, with the clearing of its bins, is timed by events after the second-level
// cache was overwritten; medians of 7, of 3 where a launch takes more than 4 ms, and single
// launches from 40 ms on. All bins of the last one are compared with CUB's: a row that is not exact
// ends the program. At the end 5 * 2^30 + 77 samples, whose counts are known, are counted in
// slices.
//
//   gpu_many_bins [SECONDS]   begins no other number of bins after so many seconds; default: all
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <cub/device/device_histogram.cuh>
#include <cuda_runtime.h>
#include <vector>

#include "choose.cuh"

bool wb_check_cuda(cudaError_t error, const char *call, const char *file, int line) {
  if (error == cudaSuccess) return true;
  fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(error));
  exit(1);
}

enum { MOST_LOG_BINS = 24, MOST_LOG_N = 28, COLD_BYTES = 192 << 20 };
typedef enum kind { UNIFORM, SKEWED, ZIPF, EQUAL, SORTED, N_KINDS } kind;
static const char *const kind_names[N_KINDS] = {"uniform", "skewed", "zipf", "equal", "sorted"};

static unsigned *in, *bins, *expected, *n_wrong;
static void *cold, *room, *cub_room;
static size_t cub_bytes;
static unsigned n, n_bins, log_bins;
static kind samples;

// --- samples ------------------------------------------------------------------------------------

static __device__ unsigned mix(unsigned long long x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return (unsigned)((x ^ (x >> 31)) >> 16);
}
static __global__ void fill(unsigned *x, unsigned n, unsigned log_bins, kind samples) {
  const unsigned last = (1u << log_bins) - 1;
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned r = mix(i);
    unsigned v = r;                                         // uniform
    if (samples == SKEWED) v = __clz(r) * 2654435761u >> 7; // half, a quarter, an eighth …
    if (samples == ZIPF) v = (unsigned)exp2f(r * 0x1p-32f * log_bins) - 1; // v about 1 / (v + 1)
    if (samples == EQUAL) v = 12345;
    if (samples == SORTED) v = (unsigned)((unsigned long long)i * (last + 1) / n);
    x[i] = v & last;
  }
}
static __global__ void compare(const unsigned *a, const unsigned *b, unsigned n, unsigned *wrong) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && a[i] != b[i]) atomicAdd(wrong, 1u);
}

// --- one row ------------------------------------------------------------------------------------

static void by_cub(unsigned *to) {
  WB_OK(cub::DeviceHistogram::HistogramEven(cub_room, cub_bytes, (const int *)in, (int *)to,
                                            (int)n_bins + 1, 0, (int)n_bins, (int)n));
}
static __global__ void read_all(const uint4 *quads, unsigned n_quads, unsigned *to) {
  const unsigned step = gridDim.x * blockDim.x;
  unsigned x = 0, q = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
  for (; q < n_quads; q += step) x ^= quads[q].x ^ quads[q].y ^ quads[q].z ^ quads[q].w;
  if (x == 0x12345678) *to = x; // never, but the compiler cannot know
}

typedef enum rival { OWN, CUB, READ } rival;
static void launch(rival r, plan p) {
  job j = {in, bins, n_bins, n, room, 0};
  if (r == READ) read_all<<<528, 512>>>((const uint4 *)in, n / 4, bins);
  if (r == CUB) by_cub(bins);
  if (r != OWN) return;
  WB_OK(cudaMemsetAsync(bins, 0, n_bins * sizeof *bins));
  launch_plan(&j, p);
}

static void check_counts(const char *name) {
  unsigned wrong = 0;
  WB_OK(cudaMemset(n_wrong, 0, sizeof *n_wrong));
  compare<<<n_bins / 256 + 1, 256>>>(bins, expected, n_bins, n_wrong);
  WB_OK(cudaMemcpy(&wrong, n_wrong, sizeof wrong, cudaMemcpyDeviceToHost));
  if (wrong == 0) return;
  fprintf(stderr, "%s, %s samples, 2^%u bins, n = %u: %u bins are wrong\n", name,
          kind_names[samples], log_bins, n, wrong);
  exit(1);
}

static void measure(const char *name, rival r, plan p) {
  static cudaEvent_t begin, end;
  std::vector<float> ms;
  if (begin == nullptr) WB_OK(cudaEventCreate(&begin)), WB_OK(cudaEventCreate(&end));
  for (unsigned i = 0, repeat = 7; i < repeat; i++) {
    float elapsed_ms = 0;
    WB_OK(cudaMemsetAsync(cold, (int)i, COLD_BYTES));
    WB_OK(cudaEventRecord(begin));
    launch(r, p);
    WB_OK(cudaEventRecord(end));
    WB_OK(cudaEventSynchronize(end));
    WB_OK(cudaEventElapsedTime(&elapsed_ms, begin, end));
    ms.push_back(elapsed_ms);
    if (i == 0 && elapsed_ms > 4) repeat = elapsed_ms > 40 ? 1 : 3;
  }
  if (r != READ) check_counts(name);
  std::sort(ms.begin(), ms.end());
  const double median_ms = ms[ms.size() / 2];
  printf("%s,%u,%s,2^%u,%u,%.2f,%.2f,%.1f\n", name, p.parts, kind_names[samples], log_bins, n,
         1e3 * median_ms, 1e3 * ms[0], 4e-6 * n / median_ms);
}

// --- the grid -----------------------------------------------------------------------------------

static void measure_parts(const char *name, way by, unsigned bits, unsigned most_parts,
                          bool copies = false) {
  for (unsigned parts = 1; parts <= most_parts; parts++)
    if (parts != 7 && part_bytes(n_bins, bits, parts) <= 227 * 1024)
      measure(name, OWN, plan{by, parts, copies});
}

// Blocks of a cluster, as `parts`: as many as have room for the bins, and twice as many.
static void measure_clusters() {
  for (unsigned blocks = 2; blocks <= 8; blocks *= 2)
    if (n_bins * sizeof(unsigned) / blocks <= 128 * 1024 &&
        n_bins * sizeof(unsigned) / blocks > 32 * 1024)
      measure("cluster", OWN, plan{BY_CLUSTER, blocks});
  for (unsigned blocks = 2; blocks <= 4 && log_bins <= 16; blocks *= 2)
    measure("folded", OWN, plan{BY_FOLDED, blocks});
}

// CUB 3.0 wants 26 GB for 2^24 bins and writes beyond them, as compute-sanitizer reports.
static bool cub_counts() { return log_bins < 24; }
static void global_expected() {
  WB_OK(cudaMemset(expected, 0, n_bins * sizeof *expected));
  job j = {in, expected, n_bins, n, room, 0};
  launch_plan(&j, plan{BY_GLOBAL, 1});
}

static void measure_all() {
  fill<<<1056, 256>>>(in, n, log_bins, samples);
  if (cub_counts()) by_cub(expected);
  else global_expected();
  if (samples == UNIFORM) measure("read", READ, plan{BY_GLOBAL, 1});
  if (cub_counts()) measure("cub", CUB, plan{BY_GLOBAL, 1});
  measure("global", OWN, plan{BY_GLOBAL, 1});
  measure("hot", OWN, plan{BY_HOT, 1});
  measure("crowd", OWN, plan{BY_CROWD, 1});
  measure_parts("wide", BY_WIDE, 32, 4);
  if (log_bins <= 15) measure("wide_256", OWN, plan{BY_WIDE, 1, false, 256});
  if (log_bins >= 15) {
    for (int copies = 0; copies < 2; copies++) {
      measure_parts(copies ? "halves_copies" : "halves", BY_HALVES, 16, 2, copies);
      measure_parts(copies ? "thirds_copies" : "thirds", BY_THIRDS, 10, 2, copies);
      measure_parts(copies ? "bytes_copies" : "bytes", BY_BYTES, 8, 2, copies);
      measure_parts(copies ? "fifths_copies" : "fifths", BY_FIFTHS, 6, 4, copies);
    }
    measure_clusters();
    measure("partition", OWN, plan{BY_PARTITION, 1});
    measure("partition_512", OWN, plan{BY_PARTITION, 1, false, 512});
  }
  const plan p = choose(n_bins, n);
  measure("chosen", OWN, p);
  fflush(stdout);
}

// --- more than 2^32 samples ---------------------------------------------------------------------

static const size_t many = 5 * ((size_t)1 << 30) + 77;

static __global__ void fill_round(unsigned *x, size_t n, unsigned n_bins) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += gridDim.x * (size_t)blockDim.x)
    x[i] = (unsigned)(i % n_bins);
}

static void count_beyond(unsigned *x, unsigned long long *totals, bool equal) {
  cudaEvent_t begin, end;
  float ms = 0;
  std::vector<unsigned long long> got(n_bins);
  fill_round<<<1056, 256>>>(x, many, equal ? 1 : n_bins);
  WB_OK(cudaMemset(totals, 0, n_bins * sizeof *totals));
  WB_OK(cudaMemset(bins, 0, n_bins * sizeof *bins));
  WB_OK(cudaEventCreate(&begin));
  WB_OK(cudaEventCreate(&end));
  WB_OK(cudaEventRecord(begin));
  count_many(x, totals, bins, n_bins, many, room);
  WB_OK(cudaEventRecord(end));
  WB_OK(cudaMemcpy(got.data(), totals, n_bins * sizeof *totals, cudaMemcpyDeviceToHost));
  WB_OK(cudaEventElapsedTime(&ms, begin, end));
  for (unsigned v = 0; v < n_bins; v++) {
    const unsigned long long all = v == 0 ? many : 0;
    if (got[v] == (equal ? all : many / n_bins + (v < many % n_bins))) continue;
    fprintf(stderr, "%zu samples, 2^%u bins: bin %u is wrong: %llu\n", many, log_bins, v, got[v]);
    exit(1);
  }
  printf("many,1,%s,2^%u,%zu,%.2f,%.2f,%.1f\n", equal ? "equal" : "round", log_bins, many, 1e3 * ms,
         1e3 * ms, 4e-6 * (double)many / ms);
}

static void measure_beyond() {
  static const unsigned logs[] = {8, 12, 16, 17, 18, 20};
  unsigned *x;
  unsigned long long *totals;
  WB_OK(cudaMalloc(&x, many * sizeof *x));
  WB_OK(cudaMalloc(&totals, sizeof *totals << 20));
  for (unsigned log : logs) {
    log_bins = log, n_bins = 1u << log;
    count_beyond(x, totals, false);
    count_beyond(x, totals, true);
  }
}

int main(int argc, char **argv) {
  static const unsigned logs[] = {16, 12, 20, 8, 18, 24, 17, 15, 22, 14, 19, 10};
  const double limit_s = argc > 1 ? atof(argv[1]) : 1e9;
  const time_t start = time(nullptr);
  const unsigned most_n = 1u << MOST_LOG_N, most_bins = 1u << MOST_LOG_BINS;
  n_bins = most_bins, n = most_n;
  WB_OK(cudaMalloc(&in, most_n * sizeof *in));
  WB_OK(cudaMalloc(&bins, most_bins * sizeof *bins));
  WB_OK(cudaMalloc(&expected, most_bins * sizeof *expected));
  WB_OK(cudaMalloc(&n_wrong, sizeof *n_wrong));
  WB_OK(cudaMalloc(&cold, COLD_BYTES));
  WB_OK(cudaMalloc(&room, room_bytes(most_n, most_bins)));
  n_bins = most_bins / 4; // the most that CUB counts
  by_cub(bins);           // without room it says how much it wants
  cub_bytes += 1 << 20;
  WB_OK(cudaMalloc(&cub_room, cub_bytes));
  printf("# method: bench/gpu_many_bins.cu; cold second-level cache, clearing the bins included; "
         "medians of 7 launches timed by events, of fewer where they are long\n"
         "# key: way/parts/samples/bins/n\nway,parts,samples,bins,n,median_us,best_us,gb_per_s\n");
  for (unsigned log : logs)
    for (samples = UNIFORM; samples < N_KINDS; samples = (kind)(samples + 1))
      for (unsigned log_n = MOST_LOG_N; log_n >= 20; log_n -= 4) {
        if (difftime(time(nullptr), start) > limit_s) continue;
        log_bins = log, n_bins = 1u << log, n = 1u << log_n;
        measure_all();
      }
  measure_beyond();
  return 0;
}
