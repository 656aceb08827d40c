// SPDX-License-Identifier: MIT
// 13_many_gpus.c - judges lesson 13's kernels: sums of shares that lie on several GPUs, vectors
// added through links, and the exact sum, whose bits do not depend on the number of GPUs. What
// crosses the links is compared with what is worked out here by hand. How the lesson orders its
// launches over the GPUs: tests/many_gpus.py.
#define _POSIX_C_SOURCE 200809L // setenv
#include "13_many_gpus.h"
#include "11_exact_sum.h"

typedef struct geometry {
  unsigned grid, block;
} geometry;
static const geometry geometries[] = {{1, 32}, {3, 256}, {2, 96}, {5, 64}};
static const size_t sizes[] = {0, 1, 31, 33, 1000, 4099};

typedef struct on_gpus { // one array per GPU
  float *of[MOST_GPUS];
} on_gpus;

static const char sum_share[] = "sum_share(const float *in, float *partials, unsigned n)";
static const char sum_of_all[] =
    "sum_of_all(const float *in[8], float *partials, unsigned n_gpus, unsigned n)";
static const char sum_chunk[] =
    "sum_chunk(const float *in, float *partials, unsigned n, unsigned is_first)";
static const char add_partials[] =
    "add_partials(const float *partials[8], float *out, unsigned n_gpus, unsigned n)";
static const char add_other[] =
    "add_other(const float *mine, const float *other, float *out, unsigned n)";
static const char add_all[] =
    "add_all(const float *in[8], float *out, unsigned n_gpus, unsigned n)";

static double sum_of(const float *x, size_t n) {
  double sum = 0.0; // exact: sixteenths
  for (size_t i = 0; i < n; i++) sum += (double)x[i];
  return sum;
}

static void judge_sum(wb_judge *judge, double expected, float got) {
  if (!((double)got == expected))
    wb_judge_fail(judge, "expected %.9g, got %.9g", expected, (double)got);
}

static void launch(wb_judge *judge, unsigned gpu, const char *signature, geometry on,
                   void **arguments) {
  wb_kernel kernel = wb_judge_kernel(judge, signature);
  on_gpu(gpu);
  wb_judge_launch(judge, &kernel, on.grid, on.block, 0, arguments);
}

// Shares of n floats on so many GPUs; *total is their sum.
static on_gpus make_shares(wb_judge *judge, unsigned n_gpus, unsigned n, double *total) {
  static const char *const names[] = {"in0", "in1", "in2", "in3", "in4", "in5", "in6", "in7"};
  on_gpus shares = {{NULL}};
  *total = 0.0;
  for (unsigned d = 0; d < n_gpus; d++) {
    const float *x = some_floats(judge, n, d);
    shares.of[d] = input_on(judge, d, names[d], x, n, d % 3);
    *total += sum_of(x, n);
  }
  return shares;
}

// --- one number ---

static void add_up(wb_judge *judge, on_gpus partials, unsigned n_gpus, unsigned n, double total) {
  void *out = output_on(judge, 0, "out", sizeof(float));
  void *arguments[] = {&partials, &out, &n_gpus, &n};
  launch(judge, 0, add_partials, (geometry){1, 64}, arguments);
  judge_sum(judge, total, *(const float *)wb_judge_get(judge, out));
}

// Each GPU adds up its own share; then GPU 0 adds up the partial sums, where they lie.
static void run_shares(wb_judge *judge, unsigned n_gpus, unsigned n, geometry on) {
  double total;
  on_gpus partials = {{NULL}}, shares = make_shares(judge, n_gpus, n, &total);
  wb_judge_case(judge, "%u GPUs, %u elements each", n_gpus, n);
  for (unsigned d = 0; d < n_gpus; d++) {
    partials.of[d] = output_on(judge, d, "partials", on.grid * sizeof(float));
    void *arguments[] = {&shares.of[d], &partials.of[d], &n};
    launch(judge, d, sum_share, on, arguments);
  }
  add_up(judge, partials, n_gpus, on.grid, total);
  wb_judge_release(judge);
}

static void run_one_gpu(wb_judge *judge, unsigned n_gpus, unsigned n, geometry on) {
  double total;
  on_gpus shares = make_shares(judge, n_gpus, n, &total), partials = {{NULL}};
  wb_judge_case(judge, "GPU 0 reads %u shares of %u elements", n_gpus, n);
  partials.of[0] = output_on(judge, 0, "partials", on.grid * sizeof(float));
  void *arguments[] = {&shares, &partials.of[0], &n_gpus, &n};
  launch(judge, 0, sum_of_all, on, arguments);
  add_up(judge, partials, 1, on.grid, total);
  wb_judge_release(judge);
}

// A share in chunks: the first begins the partial sums, whatever they held.
static void run_chunks(wb_judge *judge, unsigned n, unsigned chunk, geometry on) {
  const float *x = some_floats(judge, n, 1);
  on_gpus partials = {{output_on(judge, 0, "partials", on.grid * sizeof(float))}};
  wb_judge_case(judge, "%u elements in chunks of %u", n, chunk);
  for (unsigned first = 0; first == 0 || first < n; first += chunk) {
    unsigned count = n - first < chunk ? n - first : chunk, is_first = first == 0;
    void *in = input_on(judge, 0, "in", x + first, count, first % 4);
    void *arguments[] = {&in, &partials.of[0], &count, &is_first};
    launch(judge, 0, sum_chunk, on, arguments);
  }
  add_up(judge, partials, 1, on.grid, sum_of(x, n));
  wb_judge_release(judge);
}

static void lesson_chunks(wb_judge *judge) {
  for (size_t i = 0; i < COUNT(sizes); i++)
    run_chunks(judge, (unsigned)sizes[i], 300 + 7 * (unsigned)i, geometries[i % COUNT(geometries)]);
}

static void lesson_sums(wb_judge *judge) {
  for (unsigned n_gpus = 1; n_gpus <= MOST_GPUS; n_gpus += n_gpus < 4 ? 1 : 4)
    for (size_t i = 0; i < COUNT(sizes); i++) {
      const geometry on = geometries[(i + n_gpus) % COUNT(geometries)];
      run_shares(judge, n_gpus, (unsigned)sizes[i], on);
      run_one_gpu(judge, n_gpus, (unsigned)sizes[i], on);
    }
}

// --- vectors ---

static void judge_vector(wb_judge *judge, const double *expected, const float *got, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (!((double)got[i] == expected[i]))
      wb_judge_fail(judge, "element %u: expected %.9g, got %.9g", i, expected[i], (double)got[i]);
}

static void run_vectors(wb_judge *judge, unsigned n_gpus, unsigned n, geometry on) {
  on_gpus vectors = {{NULL}};
  double *sums = wb_judge_host(judge, (n + 1) * sizeof *sums);
  void *out = output_on(judge, 0, "out", n * sizeof(float));
  for (unsigned d = 0; d < n_gpus; d++) {
    const float *x = some_floats(judge, n, d);
    for (unsigned i = 0; i < n; i++) sums[i] += (double)x[i];
    vectors.of[d] = input_on(judge, d, "vector", x, n, 0);
  }
  wb_judge_case(judge, "%u vectors of %u elements", n_gpus, n);
  void *arguments[] = {&vectors, &out, &n_gpus, &n};
  launch(judge, 0, add_all, on, arguments);
  judge_vector(judge, sums, wb_judge_get(judge, out), n);
  if (n_gpus == 2) {
    void *two[] = {&vectors.of[0], &vectors.of[1], &out, &n};
    launch(judge, 0, add_other, on, two);
    judge_vector(judge, sums, wb_judge_get(judge, out), n);
  }
  wb_judge_release(judge);
}

static void lesson_vectors(wb_judge *judge) {
  for (unsigned n_gpus = 1; n_gpus <= MOST_GPUS; n_gpus += n_gpus < 4 ? 1 : 4)
    for (size_t i = 0; i < COUNT(sizes); i++)
      run_vectors(judge, n_gpus, (unsigned)sizes[i], geometries[i % COUNT(geometries)]);
}

// --- the same bits ---

enum { STATE_BYTES = 1024, COLUMN_BYTES = 128 };

// The sum of x[n], spread over so many GPUs, correctly rounded.
static uint32_t exact_over(wb_judge *judge, unsigned n_gpus, const float *x, size_t n,
                           geometry on) {
  wb_kernel add = wb_judge_kernel(judge, "add_exactly(const float *in, void *state, size_t n)");
  wb_kernel round =
      wb_judge_kernel(judge, "round_states(void *states[8], float *out, unsigned n_gpus)");
  on_gpus states = {{NULL}};
  const void *zeros = wb_judge_host(judge, STATE_BYTES);
  for (unsigned d = 0; d < n_gpus; d++) {
    const size_t first = d * n / n_gpus, end = (d + 1) * n / n_gpus;
    size_t count = end - first;
    void *in = input_on(judge, d, "in", x + first, count, d % 4);
    states.of[d] = output_on(judge, d, "state", STATE_BYTES);
    wb_judge_put(judge, states.of[d], zeros);
    void *arguments[] = {&in, &states.of[d], &count};
    wb_judge_launch(judge, &add, on.grid, on.block, on.block * COLUMN_BYTES, arguments);
  }
  void *out = output_on(judge, 0, "out", sizeof(float));
  void *arguments[] = {&states, &out, &n_gpus};
  wb_judge_launch(judge, &round, 1, LANES, 0, arguments);
  return *(const uint32_t *)wb_judge_get(judge, out);
}

static void lesson_same_bits(wb_judge *judge) {
  for (unsigned kind = 0; kind < 4; kind++) {
    const size_t n = 2000 + 17 * kind;
    const unsigned low = kind < 2 ? 0 : 120; // every exponent, or a few
    for (unsigned n_gpus = 1; n_gpus <= MOST_GPUS; n_gpus += n_gpus < 4 ? 1 : 4) {
      float *x = floats_between(judge, (unsigned)n, low, kind < 2 ? 253 : 130);
      if (kind % 2) shuffle_elements(x, n, sizeof *x, n_gpus);
      const uint32_t expected = (uint32_t)exact_sum_bits(judge, &format_float, x, n);
      wb_judge_case(judge, "%zu elements on %u GPUs", n, n_gpus);
      const uint32_t got = exact_over(judge, n_gpus, x, n, geometries[n_gpus % COUNT(geometries)]);
      if (got != expected) wb_judge_fail(judge, "expected 0x%x, got 0x%x", expected, got);
      wb_judge_release(judge);
    }
  }
}

// --- links ---

#ifdef WORKBOOK_SIMT
static void expect_link(wb_judge *judge, unsigned from, uint64_t before, uint64_t expected) {
  const uint64_t crossed = link_bytes(from, 0) - before;
  if (crossed != expected)
    wb_judge_fail(judge, "%llu bytes crossed the link from GPU %u, by hand it is %llu",
                  (unsigned long long)crossed, from, (unsigned long long)expected);
}

// 1024 floats are 4096 bytes, read once; 3 partial sums are one sector.
static void lesson_links(wb_judge *judge) {
  enum { N = 1024, GPUS = 4, SECTOR = 32 };
  uint64_t before[GPUS];
  run_shares(judge, GPUS, N, geometries[1]); // loads the module everywhere
  for (unsigned d = 1; d < GPUS; d++) before[d] = link_bytes(d, 0);
  run_shares(judge, GPUS, N, geometries[1]);
  for (unsigned d = 1; d < GPUS; d++) expect_link(judge, d, before[d], SECTOR);
  for (unsigned d = 1; d < GPUS; d++) before[d] = link_bytes(d, 0);
  run_vectors(judge, GPUS, N, geometries[1]);
  for (unsigned d = 1; d < GPUS; d++) expect_link(judge, d, before[d], N * sizeof(float));
}
#endif

static const wb_check lesson_checks[] = {
    {"sums", 1, "one number from 1 to 8 GPUs, both ways", NULL, lesson_sums, false},
    {"chunks", 1, "a share in chunks, one after the other", NULL, lesson_chunks, false},
    {"vectors", 1, "vectors of 1 to 8 GPUs added", NULL, lesson_vectors, false},
    {"same_bits", 1, "the exact sum, the same bits on 1 to 8 GPUs", NULL, lesson_same_bits, false},
#ifdef WORKBOOK_SIMT
    {"links", 1, "bytes across the links as by hand", NULL, lesson_links, true},
#endif
};
static const wb_suite lesson = {"13_many_gpus", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  setenv("SIMT_DEVICES", "8", 0); // of the software GPU; a real machine has the number it has
  static const char *const variants[] = {"maximum", NULL};
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &butterfly_exercise);
}
