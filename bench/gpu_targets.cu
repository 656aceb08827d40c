// SPDX-License-Identifier: MIT
// gpu_targets.cu - how near the lessons' and solutions' fastest kernels come to what the GPU's
// memory allows, and to CUB: one line for each target, with the ratio to be reached. Built on
// request (target gpu_targets of the CUDA backend):
//
//   gpu_targets [MODULES] [sum|misaligned|histogram|bytes|rows|normalise|scan ...] > FILE.csv
//
// MODULES is the folder with the solutions' modules (build/modules). Each target is a contest
// (contest.cuh) in which the ceilings and CUB take part; `ratio` is the reference's time over ours,
// the median of the rounds' ratios beside their p10 and p90. A ratio below its target is "ties"
// when the p90 reaches it. Afterwards every result is verified again, on poisoned outputs. Not
// timed: allocating CUB's temporary memory. Timed: setting a histogram's bins to 0.
#include "contest.cuh"
#include "scan_contest.cuh"

#include <cooperative_groups/reduce.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <string>

#include "block_reduce.h"
#include "cub_histogram.h"
#include "cub_sum.h"
#include "passes.h"

// The lessons' own kernels and launch functions, each lesson in a namespace of its own.
#define main unused_main
namespace sums {
#include "../lessons/06_grid_stride/grid_stride.cu"
}
#undef ROWS
namespace bins {
#include "../lessons/08_histogram/histogram.cu"
}
// Exercises 06 to 08 as they are first written: each element is read twice, or one byte per lane.
namespace plain {
#include "../tests/mutants/06_grid_stride/two_walks.cu"
#include "../tests/mutants/07_cooperative_groups/two_reads.cu"
#include "../tests/mutants/08_histogram/match.cu"
} // namespace plain
#undef main

static const unsigned max_log2_n = 30, n_columns = WB_ROW, n_rows_timed = 65536;
static const size_t total_floats = ((size_t)1 << max_log2_n) + 64;
static float *in_buffer, *out_buffer, *scratch, *weights;
static std::string modules = "build/modules";

// --- contestants that are no lesson's -----------------------------------------------------------

template <unsigned block, unsigned per_sm, unsigned k> static void launch_read(wb_launch *l) {
  read_only<k>
      <<<per_sm * wb_multiprocessors(), block>>>((const float4 *)l->in, (float *)l->out, l->n / 4);
}

static void launch_read_bytes(wb_launch *l) {
  wb_launch words = *l;
  words.n /= sizeof(float);
  launch_read<512, 8, 4>(&words);
}

__global__ void copy_only(const float4 *in, float4 *out, unsigned n_vectors) {
  const unsigned step = gridDim.x * blockDim.x;
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  for (; i + 3 * step < n_vectors; i += 4 * step) {
    const float4 a = in[i], b = in[i + step], c = in[i + 2 * step], d = in[i + 3 * step];
    out[i] = a;
    out[i + step] = b;
    out[i + 2 * step] = c;
    out[i + 3 * step] = d;
  }
  for (; i < n_vectors; i += step) out[i] = in[i];
}
static void launch_copy(wb_launch *l) {
  copy_only<<<8 * wb_multiprocessors(), 256>>>((const float4 *)l->in, (float4 *)l->out, l->n / 4);
}
static void launch_memcpy(wb_launch *l) {
  CONTEST_OK(cudaMemcpyAsync(l->out, l->in, l->n * sizeof(float), cudaMemcpyDeviceToDevice));
}

static void launch_cub_bytes(wb_launch *l) {
  size_t temporary_bytes = (size_t)8 << 20;
  CONTEST_OK(cub::DeviceHistogram::HistogramEven(l->scratch, temporary_bytes,
                                                 (const unsigned char *)l->in, (int *)l->out,
                                                 WB_BINS + 1, 0, (int)WB_BINS, (int)l->n));
}

static void *solution_kernel(const char *lesson, const char *name) {
  const std::string path = modules + "/solution_" + lesson + ".fatbin";
  std::vector<char> image;
  cudaLibrary_t library;
  cudaKernel_t kernel;
  FILE *file = fopen(path.c_str(), "rb");
  if (file == nullptr) {
    fprintf(stderr, "%s: no such module; build the target modules first\n", path.c_str());
    exit(2);
  }
  for (int c = fgetc(file); c != EOF; c = fgetc(file)) image.push_back((char)c);
  fclose(file);
  CONTEST_OK(cudaLibraryLoadData(&library, image.data(), nullptr, nullptr, 0, nullptr, nullptr, 0));
  CONTEST_OK(cudaLibraryGetKernel(&kernel, library, name));
  return (void *)kernel;
}

static void launch_solution(void *kernel, unsigned grid, unsigned block, void **arguments) {
  CONTEST_OK(cudaLaunchKernel(kernel, dim3(grid), dim3(block), arguments, 0, cudaStreamPerThread));
}

static void launch_byte_histogram(wb_launch *l) {
  static void *const kernel = solution_kernel("08_histogram", "byte_histogram");
  void *arguments[] = {&l->in, &l->out, &l->n};
  int per_multiprocessor = 0; // its copies of the counts take shared memory
  CONTEST_OK(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, (int)l->block, 0));
  CONTEST_OK(cudaMemsetAsync(l->out, 0, WB_BINS * sizeof(int)));
  const unsigned needed = wb_blocks(l->n, 64 * l->block);
  const unsigned resident = wb_multiprocessors() * (unsigned)per_multiprocessor;
  launch_solution(kernel, needed < resident ? needed : resident, l->block, arguments);
}

static void launch_match(wb_launch *l) {
  const unsigned resident = wb_multiprocessors() * (2048 / l->block);
  CONTEST_OK(cudaMemsetAsync(l->out, 0, WB_BINS * sizeof(int)));
  plain::byte_histogram<<<resident, l->block>>>((const unsigned char *)l->in, (unsigned *)l->out,
                                                l->n);
}

static void launch_rms_norm(wb_launch *l) {
  static void *const kernel = solution_kernel("06_grid_stride", "rms_norm");
  static float epsilon = 1e-5f;
  unsigned columns = n_columns;
  void *arguments[] = {&l->in, &weights, &l->out, &columns, &epsilon};
  launch_solution(kernel, l->n / columns, l->block, arguments);
}

static void launch_two_walks(wb_launch *l) {
  plain::rms_norm<<<l->n / n_columns, l->block>>>(l->in, weights, (float *)l->out, n_columns,
                                                  1e-5f);
}

static void launch_two_reads(wb_launch *l) {
  const unsigned rows = l->n / n_columns;
  plain::softmax_rows<<<wb_blocks(rows, l->block / 32), l->block>>>(l->in, (float *)l->out, rows,
                                                                    n_columns);
}

static void launch_softmax(wb_launch *l) {
  static void *const kernel = solution_kernel("07_cooperative_groups", "softmax_rows");
  unsigned columns = n_columns, rows = l->n / columns;
  void *arguments[] = {&l->in, &l->out, &rows, &columns};
  launch_solution(kernel, wb_blocks(rows, l->block / 32), l->block, arguments);
}

static contestant of_lesson(const wb_variant *variants, size_t n_variants, const char *name,
                            unsigned block) {
  for (size_t i = 0; i < n_variants; i++)
    if (strcmp(variants[i].name, name) == 0) return {name, variants[i].launch, block, {}};
  fprintf(stderr, "no variant %s\n", name);
  exit(2);
}
static contestant sum_variant(const char *name, unsigned block) {
  return of_lesson(sums::variants, WB_COUNT(sums::variants), name, block);
}
static contestant scan_variant(const char *name, unsigned block) {
  return of_lesson(scans::variants, WB_COUNT(scans::variants), name, block);
}
static contestant bin_variant(const char *name, unsigned block) {
  return of_lesson(bins::variants, WB_COUNT(bins::variants), name, block);
}

// --- inputs and references ----------------------------------------------------------------------

enum filling { UNIT, UNIFORM, SKEWED, EQUAL, BYTES_UNIFORM, BYTES_SKEWED, BYTES_EQUAL, WHOLE };

__device__ static unsigned hash_of(size_t i) {
  unsigned long long x = (i + 1) * 0x9e3779b97f4a7c15ull;
  x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ x >> 27) * 0x94d049bb133111ebull;
  return (unsigned)(x >> 32);
}

// One value has half of all samples, another a quarter …
__device__ static unsigned skewed(unsigned bits) { return (unsigned)__ffs((int)(bits | 128)) * 31; }

// Words: floats in [-1/2, 1), samples 0 … 255, four bytes, or floats -3, -2 … 3.
__global__ void fill_kernel(unsigned *x, size_t n, filling kind) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x) {
    const unsigned h = hash_of(i);
    if (kind == UNIT) x[i] = __float_as_uint((float)(h >> 8) * 0x1.8p-24f - 0.5f);
    if (kind == UNIFORM) x[i] = h & 255;
    if (kind == SKEWED) x[i] = skewed(h);
    if (kind == EQUAL) x[i] = 77;
    if (kind == BYTES_UNIFORM) x[i] = h;
    if (kind == BYTES_SKEWED)
      x[i] = skewed(h) | skewed(h >> 8) << 8 | skewed(h >> 16) << 16 | skewed(h >> 24) << 24;
    if (kind == BYTES_EQUAL) x[i] = 0x4d4d4d4d;
    if (kind == WHOLE) x[i] = __float_as_uint((float)(h % 7) - 3.0f);
  }
}
static void fill(filling kind) {
  fill_kernel<<<4096, 256>>>((unsigned *)in_buffer, total_floats, kind);
  CONTEST_OK(cudaGetLastError());
}

// Sums of rows of `columns` floats, or of the one row that the array is: in double, plain.
__global__ void reference_sums(const float *in, double *out, size_t n, size_t columns) {
  for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n;
       i += (size_t)gridDim.x * blockDim.x)
    atomicAdd(&out[i / columns], (double)in[i]);
}

static std::vector<double> reference_of(const float *in, size_t n, size_t columns) {
  std::vector<double> sums((n + columns - 1) / columns);
  double *device;
  CONTEST_OK(cudaMalloc(&device, sums.size() * sizeof(double)));
  CONTEST_OK(cudaMemset(device, 0, sums.size() * sizeof(double)));
  reference_sums<<<1056, 256>>>(in, device, n, columns);
  CONTEST_OK(cudaMemcpy(sums.data(), device, sums.size() * sizeof(double), cudaMemcpyDefault));
  CONTEST_OK(cudaFree(device));
  return sums;
}

// Runs one contestant on poisoned memory and fetches the first n words of its output.
static std::vector<unsigned> output_of(contest *c, const contestant *one, size_t n) {
  std::vector<unsigned> words(n);
  wb_launch launch = c->launch;
  launch.block = one->block;
  launch.in_ints = (const int *)launch.in;
  CONTEST_OK(cudaMemset(out_buffer, 0xff, n * sizeof(unsigned)));
  CONTEST_OK(cudaMemset(scratch, 0xff, 1 << 16));
  one->launch(&launch);
  CONTEST_OK(cudaMemcpy(words.data(), out_buffer, n * sizeof(unsigned), cudaMemcpyDefault));
  CONTEST_OK(cudaDeviceSynchronize());
  return words;
}

static float as_float(unsigned word) {
  float value;
  memcpy(&value, &word, sizeof value);
  return value;
}

static unsigned n_wrong;

static void complain(const char *target, const contestant *one, size_t at, double expected,
                     double got) {
  fprintf(stderr, "%s: %s is wrong: [%zu] is %.9g, expected %.9g\n", target, one->name, at, got,
          expected);
  n_wrong++;
}

// All but the ceilings must give the reference's sums.
static void verify_sums(contest *c, const char *target, size_t columns) {
  const std::vector<double> expected = reference_of(c->launch.in, c->launch.n, columns);
  const double length = (double)std::min<size_t>(columns, c->launch.n);
  for (const contestant &one : c->entries) {
    if (strncmp(one.name, "read", 4) == 0) continue;
    const std::vector<unsigned> words = output_of(c, &one, expected.size());
    const double bound = (30 + length / 32768) * 0x1p-24 * length; // |x| <= 1; any tree's depth
    for (size_t i = 0; i < expected.size(); i++) {
      const double got = (double)as_float(words[i]);
      if (fabs(got - expected[i]) <= bound) continue;
      complain(target, &one, i, expected[i], got);
      break;
    }
  }
}

// All counts must be alike, and their sum n.
static void verify_bins(contest *c, const char *target) {
  std::vector<unsigned> first;
  for (const contestant &one : c->entries) {
    if (strncmp(one.name, "read", 4) == 0) continue;
    const std::vector<unsigned> words = output_of(c, &one, WB_BINS);
    size_t sum = 0;
    for (unsigned count : words) sum += count;
    if (first.empty()) first = words;
    if (sum != c->launch.n || words != first) complain(target, &one, 0, c->launch.n, (double)sum);
  }
}

// Softmax or RMSNorm of row 0, 1000, 2000 … against double.
static void verify_rows(contest *c, const char *target, bool softmax) {
  for (const contestant &one : c->entries) {
    if (strncmp(one.name, "copy", 4) == 0) continue;
    const std::vector<unsigned> words = output_of(c, &one, c->launch.n);
    std::vector<float> x(n_columns);
    for (size_t row = 0; row < c->launch.n / n_columns; row += 1000) {
      double sum = 0.0;
      CONTEST_OK(cudaMemcpy(x.data(), c->launch.in + row * n_columns, n_columns * sizeof(float),
                            cudaMemcpyDefault));
      for (float v : x) sum += softmax ? exp((double)v) : (double)v * (double)v;
      for (size_t k = 0; k < n_columns; k++) {
        const double v = (double)x[k], got = (double)as_float(words[row * n_columns + k]);
        const double right = softmax ? exp(v) / sum : v / sqrt(sum / n_columns + 1e-5); // weight 1
        if (!(fabs(got - right) <= 1e-5 * fabs(right)))
          return complain(target, &one, k, right, got);
      }
    }
  }
}

// Every element of a scan, against sums in double. A copy is no scan, and the check must say so.
static void verify_scans(contest *c, const char *target) {
  for (const contestant &one : c->entries) {
    const bool is_scan = strncmp(one.name, "copy", 4) != 0;
    wb_launch launch = c->launch;
    launch.block = one.block;
    CONTEST_OK(cudaMemset(out_buffer, 0xff, (size_t)c->launch.n * sizeof(float)));
    one.launch(&launch);
    const unsigned wrong = count_wrong_sums(c->launch.in, out_buffer, c->launch.n);
    if ((wrong == 0) == is_scan) continue;
    fprintf(stderr, "%s: %s: %u of %u elements are not sums\n", target, one.name, wrong,
            c->launch.n);
    n_wrong++;
  }
}

// --- targets ------------------------------------------------------------------------------------

// Reference over ours, round by round.
static std::vector<double> ratios_of(const contestant &reference, const contestant &ours) {
  std::vector<double> ratios;
  for (size_t i = 0; i < ours.ms.size(); i++) ratios.push_back(reference.ms[i] / ours.ms[i]);
  return ratios;
}

static double median_of(const contestant &one) { return quantile(one.ms, 0.5); }

// The fastest entry whose name begins with `prefix`: a ceiling is the best of several reads.
static const contestant *best_of(const contest *c, const char *prefix) {
  const contestant *best = nullptr;
  for (const contestant &one : c->entries)
    if (strncmp(one.name, prefix, strlen(prefix)) == 0 &&
        (best == nullptr || median_of(one) < median_of(*best)))
      best = &one;
  return best;
}

static void print_entry(const contest *c, const char *target, const contestant &one, double bytes) {
  const double us = 1e3 * median_of(one);
  printf("%s,%u,%s,%s,%u,%.3f,%.3f,%.3f,%.1f", target, c->launch.n, regime_names[c->how], one.name,
         one.block, us, 1e3 * quantile(one.ms, 0.1), 1e3 * quantile(one.ms, 0.9),
         bytes / (us * 1e3));
}

// One line for each entry; those called `ours` are compared with the best of `references`.
static void report(const contest *c, const char *target, double bytes, const char *ours,
                   const char *references, double wanted) {
  const contestant *reference = best_of(c, references);
  for (const contestant &one : c->entries) {
    if (strcmp(one.name, ours) != 0) continue;
    const std::vector<double> ratios = ratios_of(*reference, one);
    const double ratio = quantile(ratios, 0.5), p90 = quantile(ratios, 0.9);
    print_entry(c, target, one, bytes);
    printf(",%s,%.3f,%.3f,%.3f,%.2f,%s\n", reference->name, ratio, quantile(ratios, 0.1), p90,
           wanted,
           ratio >= wanted ? "met"
           : p90 >= wanted ? "ties"
                           : "missed");
  }
  fflush(stdout);
}

static void report_others(const contest *c, const char *target, double bytes, const char *ours) {
  for (const contestant &one : c->entries) {
    if (strncmp(one.name, ours, strlen(ours)) == 0) continue;
    print_entry(c, target, one, bytes);
    printf(",,,,,,\n");
  }
}

static contest new_contest(unsigned n, regime how, std::vector<contestant> entries) {
  contest c = {};
  c.entries = entries;
  c.how = how;
  c.launch = {};
  c.launch.n = n;
  c.launch.in = in_buffer;
  c.launch.out = out_buffer;
  c.launch.scratch = scratch;
  c.total_elements = total_floats;
  c.element_bytes = 4;
  c.rounds = n < 1u << 24 ? 31 : 21;
  return c;
}

static const contestant reads[] = {{"read b256", launch_read<256, 8, 4>, 256, {}},
                                   {"read b512", launch_read<512, 8, 4>, 512, {}},
                                   {"read b512 x8", launch_read<512, 8, 8>, 512, {}}};
static const contestant cub_sum = {"cub", wb_launch_cub_sum, 256, {}};

// The kernels and grids of `adaptive` and `overlapped`, each launch after the end of the one
// before.
static void launch_adaptive_in_turn(wb_launch *l) {
  const unsigned grid = sums::fitting_grid(l->n), block = sums::fitting_block(l->n);
  (grid > 1 ? sums::adaptive : sums::overlapped)<<<grid, block>>>(l->in, (float *)l->out, l->n);
}
static void launch_overlapped_in_turn(wb_launch *l) {
  float *out = (float *)l->out;
  const unsigned grid = sums::fitting_grid(l->n), block = sums::fitting_block(l->n);
  sums::overlapped<<<grid, block>>>(l->in, grid > 1 ? l->scratch : out, l->n);
  if (grid > 1) sums::overlapped<<<1, sums::fitting_block(grid)>>>(l->scratch, out, grid);
}

static void sum_targets() {
  fill(UNIT);
  for (unsigned log2_n = 10; log2_n <= max_log2_n; log2_n++) {
    for (unsigned how = LONE; how < N_REGIMES; how++) {
      const unsigned n = 1u << log2_n;
      contest c = new_contest(n, (regime)how,
                              {sum_variant("adaptive", 256),
                               cub_sum,
                               {"in_turn_adaptive", launch_adaptive_in_turn, 256, {}},
                               sum_variant("overlapped", 256),
                               {"in_turn_overlapped", launch_overlapped_in_turn, 256, {}},
                               sum_variant("last_block", 256),
                               sum_variant("vectors", 256),
                               sum_variant("atomic_finish", 256),
                               reads[0],
                               reads[1],
                               reads[2]});
      hold(&c);
      const double bytes = (double)n * 4;
      const bool must_lead = how == LONE && log2_n >= 14 && log2_n <= 20;
      report(&c, "sum", bytes, "adaptive", "cub", must_lead ? 1.3 : 1.0);
      if (log2_n == max_log2_n) report(&c, "sum", bytes, "adaptive", "read", 0.99);
      report_others(&c, "sum", bytes, "adaptive");
      verify_sums(&c, "sum", n);
    }
  }
}

static void misaligned_target() {
  fill(UNIT);
  contest c = new_contest(1u << 28, QUEUED,
                          {sum_variant("adaptive", 256), cub_sum, sum_variant("last_block", 256)});
  c.launch.in++;
  c.total_elements -= 64;
  hold(&c);
  report(&c, "sum misaligned", 0x1p30, "adaptive", "cub", 1.2);
  report_others(&c, "sum misaligned", 0x1p30, "adaptive");
  verify_sums(&c, "sum misaligned", 1u << 28);
}

static void histogram_targets() {
  static const char *const names[] = {"histogram uniform", "histogram skewed", "histogram equal"};
  for (unsigned kind = UNIFORM; kind <= EQUAL; kind++) {
    const char *target = names[kind - UNIFORM];
    fill((filling)kind);
    contest c = new_contest(1u << 28, QUEUED,
                            {bin_variant("vector", 256), bin_variant("vector", 512),
                             bin_variant("cub", 256), bin_variant("lanes", 256), reads[0], reads[1],
                             reads[2]});
    hold(&c);
    report(&c, target, 0x1p30, "vector", "cub", 2.5);
    report(&c, target, 0x1p30, "vector", "read", 0.93);
    report_others(&c, target, 0x1p30, "vector");
    verify_bins(&c, target);
  }
}

static void byte_targets() {
  static const char *const names[] = {"bytes uniform", "bytes skewed", "bytes equal"};
  for (unsigned k = 0; k < WB_COUNT(names); k++) {
    fill((filling)(BYTES_UNIFORM + k));
    contest c = new_contest(1u << 30, QUEUED,
                            {{"byte_histogram", launch_byte_histogram, 256, {}},
                             {"byte_histogram", launch_byte_histogram, 1024, {}},
                             {"match", launch_match, 256, {}},
                             {"read b512", launch_read_bytes, 512, {}},
                             {"cub", launch_cub_bytes, 256, {}}});
    c.element_bytes = 1;
    hold(&c);
    report(&c, names[k], 0x1p30, "byte_histogram", "cub", 1.3);
    report(&c, names[k], 0x1p30, "byte_histogram", "read", 0.93);
    report_others(&c, names[k], 0x1p30, "byte_histogram");
    verify_bins(&c, names[k]);
  }
}

static void row_target() {
  fill(UNIT);
  contest c = new_contest(n_rows_timed * n_columns, QUEUED,
                          {sum_variant("warp_rows", 256), sum_variant("block_rows", 256), reads[0],
                           reads[1], reads[2]});
  hold(&c);
  const double bytes = 4.0 * n_rows_timed * n_columns;
  report(&c, "row sums", bytes, "warp_rows", "read", 0.93);
  report_others(&c, "row sums", bytes, "warp_rows");
  verify_sums(&c, "row sums", n_columns);
}

// Softmax and RMSNorm, beside the best that a copy can do.
static void normalise_targets() {
  static const struct {
    const char *name;
    std::vector<contestant> entries;
  } targets[] = {
      {"rms_norm",
       {{"rms_norm", launch_rms_norm, 256, {}}, {"two_walks", launch_two_walks, 256, {}}}},
      {"softmax_rows",
       {{"softmax_rows", launch_softmax, 128, {}},
        {"softmax_rows", launch_softmax, 256, {}},
        {"two_reads", launch_two_reads, 256, {}}}},
  };
  fill(UNIT);
  for (size_t t = 0; t < WB_COUNT(targets); t++) {
    const char *name = targets[t].name;
    contest c = new_contest(n_rows_timed * n_columns, QUEUED, targets[t].entries);
    c.entries.push_back({"copy", launch_copy, 256, {}});
    c.entries.push_back({"copy (memcpy)", launch_memcpy, 0, {}});
    hold(&c);
    const double bytes = 8.0 * n_rows_timed * n_columns; // once in, once out
    report(&c, name, bytes, name, "copy", 0.9);
    report_others(&c, name, bytes, name);
    verify_rows(&c, name, t > 0);
  }
}

// One pass beside CUB at every size, beside a copy too where both are long.
static void scan_targets() {
  fill(WHOLE);
  for (unsigned log2_n = 10; log2_n <= max_log2_n; log2_n++) {
    const bool large = log2_n >= 26;
    for (unsigned how = LONE; how < N_REGIMES; how++) {
      const double bytes = 0x1p3 * (double)(1u << log2_n);
      contest c = new_contest(1u << log2_n, (regime)how,
                              {scan_variant("groups", 256),
                               scan_variant("groups", 512),
                               scan_variant("ahead", 512),
                               scan_variant("three_phases", 256),
                               {"cub", wb_launch_cub_scan, 256, {}},
                               {"cub (64-bit)", launch_cub_scan_64, 256, {}},
                               {"copy", launch_copy, 256, {}},
                               {"copy (memcpy)", launch_memcpy, 0, {}}});
      hold(&c);
      report(&c, "scan", bytes, "groups", "cub", large ? 1.2 : 1.0);
      if (large) report(&c, "scan", bytes, "groups", "copy", 0.9);
      report_others(&c, "scan", bytes, "groups");
      if (how == LONE) verify_scans(&c, "scan");
    }
  }
}

// --- the program --------------------------------------------------------------------------------

static const struct {
  const char *name;
  void (*run)();
} parts[] = {{"sum", sum_targets},
             {"misaligned", misaligned_target},
             {"histogram", histogram_targets},
             {"bytes", byte_targets},
             {"rows", row_target},
             {"normalise", normalise_targets},
             {"scan", scan_targets}};

static void open_device() {
  cudaDeviceProp device;
  int driver = 0, runtime = 0;
  std::vector<float> ones(n_columns, 1.0f);
  CONTEST_OK(cudaGetDeviceProperties(&device, 0));
  CONTEST_OK(cudaDriverGetVersion(&driver));
  CONTEST_OK(cudaRuntimeGetVersion(&runtime));
  CONTEST_OK(cudaMalloc(&in_buffer, total_floats * sizeof(float)));
  CONTEST_OK(cudaMalloc(&out_buffer, total_floats * sizeof(float)));
  CONTEST_OK(cudaMalloc(&scratch, (size_t)16 << 20));
  CONTEST_OK(cudaMalloc(&weights, n_columns * sizeof(float)));
  CONTEST_OK(cudaMemcpy(weights, ones.data(), n_columns * sizeof(float), cudaMemcpyDefault));
  char date[16];
  const time_t now = time(nullptr);
  strftime(date, sizeof date, "%Y-%m-%d", gmtime(&now));
  printf("# device: %s (%d SMs, %d MB L2)\n", device.name, device.multiProcessorCount,
         device.l2CacheSize >> 20);
  printf("# driver: CUDA %d.%d\n# toolkit: CUDA %d.%d\n# date: %s\n", driver / 1000,
         driver % 1000 / 10, runtime / 1000, runtime % 1000 / 10, date);
  printf("# method: bench/gpu_targets.cu; contestants in turns, each sample begins with a cold L2; "
         "medians of 21 or 31 rounds\n# key: target/n/regime/kernel/block/reference\n");
  printf("target,n,regime,kernel,block,median_us,p10_us,p90_us,gb_per_s,reference,ratio,ratio_p10,"
         "ratio_p90,wanted,verdict\n");
}

int main(int argc, char **argv) {
  int first = 1;
  if (argc > 1 && strchr(argv[1], '/') != nullptr) modules = argv[first++];
  open_device();
  for (size_t p = 0; p < WB_COUNT(parts); p++) {
    bool chosen = first == argc;
    for (int i = first; i < argc; i++) chosen |= strcmp(argv[i], parts[p].name) == 0;
    if (chosen) parts[p].run();
  }
  CONTEST_OK(cudaDeviceSynchronize());
  return n_wrong > 0;
}
