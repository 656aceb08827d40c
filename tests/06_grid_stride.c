// SPDX-License-Identifier: MIT
// 06_grid_stride.c - judges lesson 06's own kernels.
//
// Counters are asserted exactly; the hand calculation stands beside them.
#include "06_grid_stride.h"

// --- the lesson's own kernels: one sum --------------------------------------------------------

enum { ROW = 2048, MOST_BLOCKS = 16 };

typedef struct sum_kernel {
  const char *signature;
  enum { PARTIALS, ATOMIC, LAST, COLLECTED } finish;
  unsigned per_block; // times blockDim.x: elements a block takes; 0: any grid will do
} sum_kernel;

#define PARTIAL_SUMS(name)                                                                         \
  { name "(const float *in, float *out, unsigned n)", PARTIALS, 0 }
enum {
  BUTTERFLY,
  CHUNKED,
  GRID_STRIDE,
  UNROLL_4,
  UNROLL_8,
  VECTORS,
  ATOMIC_FINISH,
  LAST_BLOCK,
  ADAPTIVE,
  OVERLAPPED
};
static const sum_kernel sums[] = {
    {"butterfly(const float *in, float *out, unsigned n)", PARTIALS, 2},
    PARTIAL_SUMS("chunked"),
    PARTIAL_SUMS("grid_stride"),
    PARTIAL_SUMS("unroll_4"),
    PARTIAL_SUMS("unroll_8"),
    PARTIAL_SUMS("vectors"),
    {"atomic_finish(const float *in, float *out, unsigned n)", ATOMIC, 0},
    {"last_block(const float *in, float *partials, float *out, unsigned n)", LAST, 0},
    {"adaptive(const float *in, float *out, unsigned n)", COLLECTED, 0},
    PARTIAL_SUMS("overlapped"),
};

typedef struct sum_case {
  const float *x;
  unsigned n, block, grid;
  bool exact;
  size_t offset_bytes;
  const char *about;
} sum_case;

// Launches a kernel and judges the whole sum; the partial sums are added up in double.
static float run_sum(wb_judge *judge, const sum_kernel *k, const sum_case *one) {
  wb_kernel kernel = wb_judge_kernel(judge, k->signature);
  unsigned n = one->n, span = k->per_block * one->block;
  unsigned grid = span ? n / span + (n % span != 0 || n == 0) : one->grid;
  void *in = wb_judge_input(judge, "in", one->x, n * sizeof(float), one->offset_bytes);
  void *partials = wb_judge_output(judge, "partials", grid * sizeof(float));
  void *out = wb_judge_output(judge, "out", sizeof(float));
  static const float zero = 0.0f;
  if (k->finish == ATOMIC) wb_judge_put(judge, out, &zero);
  void *two_outputs[] = {&in, &partials, &out, &n};
  void *one_output[] = {&in, k->finish == PARTIALS ? &partials : &out, &n};
  wb_judge_case(judge, "n = %u, %s", n, one->about);
  wb_judge_launch(judge, &kernel, grid, one->block, 0,
                  k->finish == LAST ? two_outputs : one_output);
  double sum = 0.0;
  const float *got = wb_judge_get(judge, k->finish == PARTIALS ? partials : out);
  for (unsigned b = 0; b < (k->finish == PARTIALS ? grid : 1); b++) sum += (double)got[b];
  wb_fold fold = {.op = WB_SUM,
                  .input = "in",
                  .output = "out",
                  .a = one->x,
                  .n = n,
                  .count = n,
                  .block = one->block,
                  .start_bits = WB_POISON};
  if (!one->exact) fold.tolerance = wb_fold_bound(&fold);
  wb_judge_value(judge, &fold, (float)sum);
  return got[0];
}

static void run_kind(wb_judge *judge, const sum_kernel *k, unsigned n, unsigned block,
                     unsigned grid, size_t offset_bytes) {
  for (int kind = WB_INPUT_INTEGERS; kind <= WB_INPUT_MIXED; kind++) {
    float *x = wb_judge_host(judge, n * sizeof *x);
    wb_fill_floats((wb_input_kind)kind, x, n, wb_judge_seed(judge) + n);
    sum_case one = {x,
                    n,
                    block,
                    grid,
                    kind == WB_INPUT_INTEGERS,
                    offset_bytes,
                    wb_input_kind_name((wb_input_kind)kind)};
    run_sum(judge, k, &one);
    wb_judge_release(judge);
  }
}

static void lesson_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {0,   1,    2,    31,   32,   33,   255,   256,
                                   257, 1023, 1024, 1025, 4095, 7919, 65537, 100003};
  static const struct { unsigned block, grid; } shapes[] = {{32, 1}, {256, 3}, {96, 7}, {1024, 2}};
  for (size_t k = 0; k < COUNT(sums); k++)
    for (size_t s = 0; s < COUNT(sizes); s++)
      for (size_t g = 0; g < COUNT(shapes); g++)
        run_kind(judge, &sums[k], sizes[s], shapes[g].block, shapes[g].grid, 0);
}

static void lesson_positions(wb_judge *judge) {
  enum { N = 3 * 64 * 9 + 5 }; // whole rounds of 2 x 32 threads, unrolled and not, and a rest
  for (size_t k = 0; k < COUNT(sums); k++)
    for (unsigned at = 0; at < N; at++) {
      float *x = wb_judge_host(judge, N * sizeof *x);
      wb_fill_one_hot(x, N, at, (float)(at + 1), 0.0f);
      sum_case one = {x, N, 32, 2, true, at % 4 * sizeof(float), "all 0 but one"};
      run_sum(judge, &sums[k], &one);
      wb_judge_release(judge);
    }
}

static void lesson_specials(wb_judge *judge) {
  static const unsigned positions[] = {0, 3, 150, 299};
  for (size_t k = 0; k < COUNT(sums); k++)
    for (int s = 0; s < WB_SPECIAL_COUNT; s++)
      for (size_t p = 0; p < COUNT(positions); p++) {
        float *x = wb_judge_host(judge, 300 * sizeof *x);
        wb_fill_float_range(x, 300, 1, 9, wb_judge_seed(judge));
        wb_put_special(x, 300, positions[p], (wb_special)s);
        sum_case one = {x, 300, 64, 2, true, 0, wb_special_name((wb_special)s)};
        run_sum(judge, &sums[k], &one);
        wb_judge_release(judge);
      }
}

// Every alignment, and so few elements that a head, vectors or a tail may be all there is.
static void lesson_alignment(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (size_t k = 0; k < COUNT(sums); k++)
      for (unsigned offset = 0; offset < 4; offset++)
        for (unsigned n = 0; n < 20; n++) {
          wb_judge_guards(judge, guards);
          run_kind(judge, &sums[k], n < 12 ? n : 1021 + n, 32, 2, offset * sizeof(float));
        }
}

// The last block must leave its counter as it found it; without atomic adds the bits are the same.
static void lesson_repeated(wb_judge *judge) {
  enum { N = 50001 };
  for (size_t k = 0; k < COUNT(sums); k++) {
    float first = 0.0f;
    for (unsigned again = 0; again < 3; again++) {
      float *x = wb_judge_host(judge, N * sizeof *x);
      wb_fill_floats(WB_INPUT_MIXED, x, N, wb_judge_seed(judge));
      sum_case one = {x, N, 128, MOST_BLOCKS, false, 0, "the same input again"};
      float got = run_sum(judge, &sums[k], &one);
      if (again == 0) first = got;
      if (memcmp(&got, &first, sizeof got) != 0 && sums[k].finish != ATOMIC)
        wb_judge_fail(judge, "%.9g the first time, now %.9g", (double)first, (double)got);
      wb_judge_release(judge);
    }
  }
}

// --- rows -------------------------------------------------------------------------------------

static const char *const row_kernels[] = {"block_rows(const float *in, float *out, unsigned n)",
                                          "warp_rows(const float *in, float *out, unsigned n)"};

static void run_rows(wb_judge *judge, unsigned which, unsigned n, unsigned block, unsigned offset) {
  wb_kernel kernel = wb_judge_kernel(judge, row_kernels[which]);
  unsigned rows = n / ROW + (n % ROW != 0), per_block = which == 0 ? 1 : block / 32;
  unsigned grid = rows / per_block + (rows % per_block != 0);
  float *x = wb_judge_host(judge, n * sizeof *x);
  wb_fill_float_range(x, n, -1000, 2000, wb_judge_seed(judge) + n);
  void *in = wb_judge_input(judge, "in", x, n * sizeof *x, offset * sizeof *x);
  void *out = wb_judge_output(judge, "out", rows * sizeof(float));
  wb_judge_case(judge, "n = %u, rows of %u", n, ROW);
  wb_judge_launch(judge, &kernel, grid, block, 0, (void *[]){&in, &out, &n});
  const float *got = wb_judge_get(judge, out);
  for (unsigned r = 0; r < rows; r++) {
    wb_fold fold = {.op = WB_SUM,
                    .input = "in",
                    .output = "out",
                    .a = x,
                    .n = n,
                    .first = (uint64_t)r * ROW,
                    .count = n - r * ROW < ROW ? n - r * ROW : ROW,
                    .index = r,
                    .block = block,
                    .start_bits = WB_POISON};
    wb_judge_value(judge, &fold, got[r]);
  }
  wb_judge_release(judge);
}

static void lesson_rows(wb_judge *judge) {
  static const unsigned sizes[] = {1, 31, 2047, 2048, 2049, 5 * ROW, 9 * ROW - 1, 9 * ROW + 3};
  static const unsigned blocks[] = {32, 96, 256, 1024};
  for (unsigned which = 0; which < COUNT(row_kernels); which++)
    for (size_t s = 0; s < COUNT(sizes); s++)
      for (size_t b = 0; b < COUNT(blocks); b++)
        for (unsigned offset = 0; offset < 4; offset++)
          run_rows(judge, which, sizes[s], blocks[b], offset);
}

// --- counters ---------------------------------------------------------------------------------

#ifdef WORKBOOK_SIMT
static const char by_hand[] = "the hand calculation in tests/06_grid_stride.c says otherwise";

static void run_counted(wb_judge *judge, unsigned which, unsigned n, size_t offset_bytes) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  wb_fill_floats(WB_INPUT_INTEGERS, x, n, wb_judge_seed(judge));
  sum_case one = {x, n, 256, 4, true, offset_bytes, "integers"};
  run_sum(judge, &sums[which], &one);
}

static void expect_loads(wb_judge *judge, uint64_t requests, uint64_t sectors, uint64_t groups) {
  wb_judge_counter_is(judge, "global_load_requests", requests, by_hand);
  wb_judge_counter_is(judge, "global_load_sectors", sectors, by_hand);
  wb_judge_counter_is(judge, "global_load_groups", groups, by_hand);
  wb_judge_release(judge);
}

// 4 blocks of 256 threads: T = 1,024, 32 warps. With n = 32 T every thread takes 32 elements: 1,024
// requests of a warp in all, or 256 of 16 bytes per lane. chunked: lanes 32 floats apart, which is
// a sector each: 32. Side by side: 32 floats are 4 sectors, 32 vectors 16. Loads under way
// together: 1, 4 or 8, and 4 vectors.
static void lesson_walks(wb_judge *judge) {
  enum { T = 1024, N = 32 * T };
  run_counted(judge, CHUNKED, N, 0);
  wb_judge_counter_is(judge, "global_load_requests", 1024, by_hand);
  wb_judge_counter_is(judge, "global_load_sectors", 32 * 1024, by_hand);
  wb_judge_release(judge);
  run_counted(judge, GRID_STRIDE, N, 0);
  expect_loads(judge, 1024, 4 * 1024, 1024);
  run_counted(judge, UNROLL_4, N, 0);
  expect_loads(judge, 1024, 4 * 1024, 1024 / 4);
  run_counted(judge, UNROLL_8, N, 0);
  expect_loads(judge, 1024, 4 * 1024, 1024 / 8);
  run_counted(judge, VECTORS, N, 0);
  expect_loads(judge, 256, 16 * 256, 256 / 4);
}

// One float after an aligned address: three scalars up to the next 16 bytes, by one warp and from
// one sector; then the vectors, in as many requests as ever, but begun in the middle of a sector:
// 17 of them. Two scalars more at the end, again one warp and one sector.
static void lesson_misaligned(wb_judge *judge) {
  enum { T = 1024, VECTORS_EACH = 4 };
  run_counted(judge, VECTORS, 3 + 4 * VECTORS_EACH * T + 2, sizeof(float));
  expect_loads(judge, VECTORS_EACH * 32 + 2, 17 * VECTORS_EACH * 32 + 2, 32 + 2);
  run_counted(judge, VECTORS, 4 * VECTORS_EACH * T, 0);
  expect_loads(judge, VECTORS_EACH * 32, 16 * VECTORS_EACH * 32, 32);
}

// Four blocks: an atomic each; the last block fences twice per block and reads four partial sums;
// three posts, read at once by one warp and emptied, and the result. Overlapped, four partial sums
// and nothing else: the order of the launches is the device's affair.
static void lesson_finish(wb_judge *judge) {
  enum { N = 32 * 1024 };
  run_counted(judge, VECTORS, N, 0);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
  wb_judge_release(judge);
  run_counted(judge, ATOMIC_FINISH, N, 0);
  wb_judge_counter_is(judge, "global_atomic_lanes", 4, by_hand);
  wb_judge_counter_is(judge, "global_atomic_max_degree", 4, by_hand);
  wb_judge_release(judge);
  run_counted(judge, LAST_BLOCK, N, 0);
  wb_judge_counter_is(judge, "global_atomic_lanes", 4, by_hand);
  wb_judge_counter_is(judge, "global_atomic_float_lanes", 0, by_hand);
  wb_judge_counter_is(judge, "fences", 2 * 4, by_hand);
  wb_judge_counter_is(judge, "global_load_requests", 256 + 1, by_hand);
  wb_judge_release(judge);
  run_counted(judge, ADAPTIVE, N, 0);
  wb_judge_counter_is(judge, "global_atomic_lanes", 4, by_hand);
  wb_judge_counter_is(judge, "fences", 0, by_hand);
  wb_judge_counter_is(judge, "global_load_requests", 256 + 1, by_hand);
  wb_judge_counter_is(judge, "global_store_requests", 3 + 1 + 1, by_hand);
  wb_judge_release(judge);
  run_counted(judge, OVERLAPPED, N, 0);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
  wb_judge_counter_is(judge, "fences", 0, by_hand);
  wb_judge_counter_is(judge, "global_load_requests", 256, by_hand);
  wb_judge_counter_is(judge, "global_store_requests", 4, by_hand);
  wb_judge_release(judge);
}

// Rows of 2,048 floats. A block of 256 reads one in 64 requests, with two barriers; a warp reads
// one in 16 requests of 16 bytes per lane, with none, and without shared memory.
static void lesson_row_counters(wb_judge *judge) {
  enum { ROWS = 16 };
  run_rows(judge, 0, ROWS * ROW, 256, 0);
  wb_judge_counter_is(judge, "global_load_requests", ROWS * 64, by_hand);
  wb_judge_counter_is(judge, "block_barriers", ROWS * 2, by_hand);
  run_rows(judge, 1, ROWS * ROW, 256, 0);
  wb_judge_counter_is(judge, "global_load_requests", ROWS * 16, by_hand);
  wb_judge_counter_is(judge, "global_load_bytes", ROWS * ROW * sizeof(float), by_hand);
  wb_judge_counter_is(judge, "block_barriers", 0, by_hand);
  wb_judge_counter_is(judge, "shared_store_words", 0, by_hand);
}
#endif

static const wb_check lesson_checks[] = {
    {"sizes", 1, "sizes, grids, exact and mixed inputs", NULL, lesson_sizes, false},
    {"positions", 1, "every position counts", NULL, lesson_positions, false},
    {"specials", 1, "infinities, NaN, -0", NULL, lesson_specials, false},
    {"alignment", 1, "inputs at every alignment, inside their bounds", NULL, lesson_alignment,
     false},
    {"repeated", 1, "the same again, with the same bits", NULL, lesson_repeated, false},
    {"rows", 1, "the sum of each row", NULL, lesson_rows, false},
#ifdef WORKBOOK_SIMT
    {"walks", 1, "32 sectors a request against 4, loads under way", NULL, lesson_walks, true},
    {"misaligned", 1, "16-byte loads after a scalar head", NULL, lesson_misaligned, true},
    {"finish", 1, "atomics and fences as by hand", NULL, lesson_finish, true},
    {"row_counters", 1, "a row by a block, a row by a warp", NULL, lesson_row_counters, true},
#endif
};
static const wb_suite lesson = {"06_grid_stride", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  static const char *const variants[] = {"length", NULL}; // of the exercise
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &rms_norm_exercise);
}
