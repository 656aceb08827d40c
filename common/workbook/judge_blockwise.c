// SPDX-License-Identifier: MIT
// judge_blockwise.c - the families of cases that every block-by-block reduction must stand.
//
// Invariants: inputs have a deciding element where the family needs one and no symmetry that
// would let a wrong kernel through; every family launches at least one case whose right result
// differs from an output that was not written.
#include "judge_blockwise.h"

#include "inputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

unsigned wb_blockwise_grid(unsigned n, unsigned block) {
  unsigned blocks = n / block + (n % block != 0);
  return blocks ? blocks : 1;
}

static unsigned span(const wb_blockwise *kernel, unsigned block) {
  return kernel->per_thread > 1 ? kernel->per_thread * block : block;
}

static bool is_extreme(wb_operator op) { return op == WB_MAX || op == WB_MIN; }

static bool has_minimum(const wb_blockwise *kernel) {
  return kernel->op == WB_MIN || (kernel->second_output && kernel->second_op == WB_MIN);
}

// --- data -------------------------------------------------------------------------------------

static const char *data_name(const wb_blockwise_case *one) {
  static const char *const names[] = {
      "integers of both signs",    "fractions of both signs",
      "all values negative",       "negative values that rise by twos",
      "one large value per block", NULL,
      "all values positive"};
  return one->data == WB_DATA_GIVEN ? one->about : names[one->data];
}

// Every block's values are small but one, whose value tells its position; with a minimum to be
// found, one is low.
static void fill_one_hot(float *x, const wb_blockwise *kernel, const wb_blockwise_case *one) {
  unsigned elements = span(kernel, one->block);
  float background = kernel->op == WB_MAX && !has_minimum(kernel) ? -7.0f : 0.0f;
  for (unsigned i = 0; i < one->n; i++) {
    unsigned at = i % elements, hot = i / elements % elements, cold = elements - 1 - hot;
    x[i] = at == hot ? (float)(hot + 1) : background;
    if (at == cold && has_minimum(kernel)) x[i] = -(float)(cold + 1);
  }
}

static void fill(float *x, const wb_blockwise *kernel, const wb_blockwise_case *one,
                 uint64_t seed) {
  switch (one->data) {
  case WB_DATA_EXACT: // 1,024 products of up to 100 x 100 stay below 2^24
    wb_fill_float_range(x, one->n, -100, 100, seed);
    break;
  case WB_DATA_MIXED: wb_fill_floats(WB_INPUT_MIXED, x, one->n, seed); break;
  case WB_DATA_NEGATIVE: wb_fill_float_range(x, one->n, -4000, -1, seed); break;
  case WB_DATA_RISING:
    for (unsigned i = 0; i < one->n; i++)
      x[i] = (float)i - (float)((one->n - i) % 2 ? one->n : 2 * one->n);
    break;
  case WB_DATA_ONE_HOT: fill_one_hot(x, kernel, one); break;
  case WB_DATA_POSITIVE: wb_fill_float_range(x, one->n, 1, 4000, seed); break;
  case WB_DATA_GIVEN: break;
  }
}

// Second factor of a one-hot dot product: no zeros, so that the hot product decides.
static void fill_second(float *x, const wb_blockwise *kernel, const wb_blockwise_case *one,
                        uint64_t seed) {
  if (one->data == WB_DATA_ONE_HOT)
    for (unsigned i = 0; i < one->n; i++) x[i] = 2.0f;
  else fill(x, kernel, one, seed);
}

static const float *magnitudes_of(wb_judge *judge, const float *x, unsigned n) {
  float *magnitudes = wb_judge_host(judge, n * sizeof *magnitudes);
  for (unsigned i = 0; i < n; i++) magnitudes[i] = fabsf(x[i]);
  return magnitudes;
}

static const float *make_input(wb_judge *judge, const wb_blockwise *kernel,
                               const wb_blockwise_case *one, unsigned which) {
  if (one->data == WB_DATA_GIVEN) return which == 0 ? one->a : one->b;
  float *x = wb_judge_host(judge, one->n * sizeof *x);
  uint64_t seed = wb_random(wb_judge_seed(judge), (uint64_t)one->n * 4096 + one->block * 2 + which);
  if (which == 0) fill(x, kernel, one, seed);
  else fill_second(x, kernel, one, seed);
  return x;
}

// --- one case ---------------------------------------------------------------------------------

// Judges one output of the launch; returns it.
static const float *judge_output(wb_judge *judge, const wb_blockwise_case *one, wb_fold fold,
                                 void *out, uint64_t n_blocks) {
  const float *got = wb_judge_get(judge, out);
  bool exact = is_extreme(fold.op) || one->data == WB_DATA_EXACT || one->data == WB_DATA_ONE_HOT;
  if (fold.op == WB_DOT && !fold.b) fold.b = fold.a;
  wb_judge_blocks(judge, &fold, got, n_blocks, exact);
  return got;
}

static void *make_output(wb_judge *judge, const char *name, const wb_blockwise_case *one,
                         unsigned n_blocks) {
  void *out = name ? wb_judge_output(judge, name, n_blocks * sizeof(float)) : NULL;
  if (out && one->start) wb_judge_put(judge, out, one->start);
  return out;
}

const float *wb_blockwise_run(wb_judge *judge, const wb_blockwise *kernel,
                              const wb_blockwise_case *one) {
  wb_kernel handle = wb_judge_kernel(judge, kernel->signature);
  unsigned n = one->n, n_blocks = wb_blockwise_grid(n, span(kernel, one->block)), n_arguments = 0;
  bool two = kernel->op == WB_DOT;
  const float *a = make_input(judge, kernel, one, 0);
  const float *b = two ? make_input(judge, kernel, one, 1) : NULL;
  void *a_device = wb_judge_input(judge, kernel->inputs[0], a, n * sizeof *a, one->offset_bytes);
  void *b_device =
      two ? wb_judge_input(judge, kernel->inputs[1], b, n * sizeof *b, one->offset_bytes) : NULL;
  void *out = make_output(judge, kernel->output, one, n_blocks);
  void *out2 = make_output(judge, kernel->second_output, one, n_blocks);
  void *arguments[5];
  arguments[n_arguments++] = &a_device;
  if (two) arguments[n_arguments++] = &b_device;
  arguments[n_arguments++] = &out;
  if (out2) arguments[n_arguments++] = &out2;
  arguments[n_arguments++] = &n;
  size_t shared_bytes =
      kernel->shared_bytes ? kernel->shared_bytes(one->block) : one->block * sizeof(float);
  wb_judge_case(judge, "n = %u, %s", n, data_name(one));
  wb_judge_fault_cause(judge, kernel->fault_cause);
  wb_judge_launch(judge, &handle, n_blocks, one->block, shared_bytes, arguments);
  wb_fold fold = {.op = kernel->op,
                  .input = kernel->inputs[0],
                  .output = kernel->output,
                  .a = kernel->magnitudes ? magnitudes_of(judge, a, n) : a,
                  .b = two && kernel->magnitudes ? magnitudes_of(judge, b, n) : b,
                  .n = n,
                  .block = one->block,
                  .per_thread = kernel->per_thread,
                  .start_bits = WB_POISON,
                  .own_cause = kernel->own_cause};
  if (one->start) memcpy(&fold.start_bits, one->start, sizeof fold.start_bits);
  const float *got = judge_output(judge, one, fold, out, n_blocks);
  fold.op = kernel->second_op;
  fold.output = kernel->second_output;
  if (kernel->second_magnitudes) fold.a = magnitudes_of(judge, a, n);
  if (out2) judge_output(judge, one, fold, out2, n_blocks);
  return got;
}

static void run(wb_judge *judge, const wb_blockwise *kernel, unsigned n, unsigned block,
                wb_blockwise_data data) {
  wb_blockwise_case one = {.n = n, .block = block, .data = data};
  wb_blockwise_run(judge, kernel, &one);
  wb_judge_release(judge);
}

// Values of one sign, such that a wrong identity of 0 shows.
static void run_one_sign(wb_judge *judge, const wb_blockwise *kernel, unsigned n, unsigned block) {
  run(judge, kernel, n, block, WB_DATA_NEGATIVE);
  if (has_minimum(kernel)) run(judge, kernel, n, block, WB_DATA_POSITIVE);
}

// --- families ---------------------------------------------------------------------------------

void wb_blockwise_one_block(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                            size_t n_blocks) {
  for (size_t b = 0; b < n_blocks; b++) {
    unsigned block = blocks[b], n = span(kernel, block);
    if (is_extreme(kernel->op)) run(judge, kernel, n, block, WB_DATA_RISING);
    run(judge, kernel, n, block, WB_DATA_EXACT);
    run_one_sign(judge, kernel, n, block);
    run(judge, kernel, n, block, WB_DATA_MIXED);
  }
}

// Sizes and block sizes that a kernel cannot know beforehand: drawn from the check's seed.
static void run_drawn(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                      size_t n_blocks) {
  enum { DRAWN = 8, MOST = 20000 };
  for (unsigned k = 0; k < DRAWN; k++) {
    uint64_t drawn = wb_random(wb_judge_seed(judge), k);
    unsigned n = 1 + (unsigned)(drawn % (k % 2 ? MOST : MOST / 32));
    run(judge, kernel, n, blocks[(drawn >> 32) % n_blocks], WB_DATA_MIXED);
  }
}

void wb_blockwise_sizes(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                        size_t n_blocks) {
  static const unsigned small[] = {256, 1024, 32, 257, 1025, 33, 1023, 255, 31, 2, 1, 0};
  static const unsigned large[] = {7919, 65537};
  for (size_t b = 0; b < n_blocks; b++)
    for (size_t s = 0; s < COUNT(small); s++) {
      run(judge, kernel, small[s], blocks[b], WB_DATA_EXACT);
      run(judge, kernel, small[s], blocks[b], WB_DATA_MIXED);
    }
  for (size_t s = 0; s < COUNT(large); s++)
    run(judge, kernel, large[s], blocks[s % n_blocks], WB_DATA_MIXED);
  run(judge, kernel, 1u << 14, blocks[n_blocks - 1], WB_DATA_MIXED);
  run_drawn(judge, kernel, blocks, n_blocks);
}

void wb_blockwise_tails(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                        size_t n_blocks) {
  for (size_t b = 0; b < n_blocks; b++) {
    unsigned block = blocks[b], full = span(kernel, block);
    unsigned tails[] = {1, full - 1, full / 2 + 1, 2, 17};
    for (size_t t = 0; t < COUNT(tails); t++) {
      if (tails[t] == 0 || tails[t] > full) continue;
      run_one_sign(judge, kernel, 2 * full + tails[t], block);
      run_one_sign(judge, kernel, tails[t], block);
    }
    run_one_sign(judge, kernel, 0, block);
  }
}

void wb_blockwise_positions(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                            size_t n_blocks) {
  for (size_t b = 0; b < n_blocks; b++) {
    unsigned elements = span(kernel, blocks[b]);
    run(judge, kernel, elements * elements, blocks[b], WB_DATA_ONE_HOT);
  }
}

// One value at one or two places; blocks before and after must not notice.
static void run_special(wb_judge *judge, const wb_blockwise *kernel, unsigned block, unsigned at,
                        float value, float last, const char *about) {
  unsigned elements = span(kernel, block), n = 3 * elements;
  float *a = wb_judge_host(judge, n * sizeof *a), *b = wb_judge_host(judge, n * sizeof *b);
  char text[96];
  wb_fill_float_range(a, n, -100, -1, wb_judge_seed(judge));
  for (unsigned i = 0; i < n; i++) b[i] = 1.0f;
  a[elements + at] = value;
  if (!isnan(last)) a[2 * elements - 1] = last;
  snprintf(text, sizeof text, "%s at element %u of block 1", about, at);
  wb_blockwise_case one = {
      .n = n, .block = block, .data = WB_DATA_GIVEN, .a = a, .b = b, .about = text};
  wb_blockwise_run(judge, kernel, &one);
  wb_judge_release(judge);
}

// Elements at even places `even`, the others `odd`.
static void run_pattern(wb_judge *judge, const wb_blockwise *kernel, unsigned block, float even,
                        float odd, const char *about) {
  unsigned n = block + 1;
  float *a = wb_judge_host(judge, n * sizeof *a), *b = wb_judge_host(judge, n * sizeof *b);
  for (unsigned i = 0; i < n; i++) a[i] = i % 2 ? odd : even, b[i] = 1.0f;
  wb_blockwise_case one = {
      .n = n, .block = block, .data = WB_DATA_GIVEN, .a = a, .b = b, .about = about};
  wb_blockwise_run(judge, kernel, &one);
  wb_judge_release(judge);
}

void wb_blockwise_specials(wb_judge *judge, const wb_blockwise *kernel, unsigned block) {
  unsigned positions[] = {0, 1, block / 2 - 1, block / 2, span(kernel, block) - 2};
  for (size_t p = 0; p < COUNT(positions); p++) {
    run_special(judge, kernel, block, positions[p], INFINITY, NAN, "+inf");
    run_special(judge, kernel, block, positions[p], -INFINITY, NAN, "-inf");
    run_special(judge, kernel, block, positions[p], NAN, NAN, "NaN");
    run_special(judge, kernel, block, positions[p], -0.0f, NAN, "-0");
    run_special(judge, kernel, block, positions[p], INFINITY, -INFINITY, "+inf (and -inf)");
  }
  run_pattern(judge, kernel, block, -INFINITY, -INFINITY, "nothing but -inf");
  // fmaxf passes the first two, and needs the identity for the third.
  run_pattern(judge, kernel, block, NAN, -7.0f, "NaN at every even place");
  run_pattern(judge, kernel, block, -7.0f, NAN, "NaN at every odd place");
  run_pattern(judge, kernel, block, NAN, NAN, "nothing but NaN");
  run_pattern(judge, kernel, block, -0.0f, -0.0f, "nothing but -0");
}

void wb_blockwise_bounds(wb_judge *judge, const wb_blockwise *kernel, unsigned block) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (unsigned full = 3 * span(kernel, block), n = full - 1; n <= full + 1; n++) {
        wb_blockwise_case one = {.n = n,
                                 .block = block,
                                 .data = WB_DATA_NEGATIVE,
                                 .offset_bytes = offset * sizeof(float)};
        wb_judge_guards(judge, guards);
        wb_blockwise_run(judge, kernel, &one);
        wb_judge_release(judge);
      }
}

void wb_blockwise_stale(wb_judge *judge, const wb_blockwise *kernel, unsigned block) {
  static const float values[] = {0.0f, 1000.0f, -1000.0f, INFINITY, NAN};
  enum { GRID = 4 };
  float start[GRID], first[GRID];
  for (size_t v = 0; v < COUNT(values); v++) {
    for (unsigned b = 0; b < GRID; b++) start[b] = values[v];
    unsigned n = GRID * span(kernel, block) - 3;
    wb_blockwise_case one = {.n = n, .block = block, .data = WB_DATA_MIXED, .start = start};
    const float *got = wb_blockwise_run(judge, kernel, &one);
    if (v == 0) memcpy(first, got, sizeof first);
    for (unsigned b = 0; b < GRID; b++)
      if (memcmp(&first[b], &got[b], sizeof(float)) != 0)
        wb_judge_fail_why(
            judge,
            (wb_why){WB_CAUSE_DEPENDS_ON_ORDER,
                     "the result depends on what the output held before, or on the order in which "
                     "threads run",
                     "assign the result; and look for a missing __syncthreads()"},
            "%s[%u] was %.9g the first time and %.9g with the same input again", kernel->output, b,
            (double)first[b], (double)got[b]);
    wb_judge_release(judge);
  }
}

// --- counters ---------------------------------------------------------------------------------

#ifdef WORKBOOK_SIMT
void wb_blockwise_count(wb_judge *judge, const wb_blockwise *kernel, unsigned n, unsigned block) {
  wb_blockwise_case one = {.n = n, .block = block, .data = WB_DATA_EXACT};
  wb_blockwise_run(judge, kernel, &one);
}

unsigned wb_blockwise_steps(unsigned power_of_two) {
  unsigned steps = 0;
  while (power_of_two > 1u << steps) steps++;
  return steps;
}

void wb_blockwise_is_tree(wb_judge *judge, const wb_tree_limits *limits) {
  wb_judge_cost_at_most(judge, "block_barriers", limits->barriers, limits->barriers_cause);
  wb_judge_cost_at_most(judge, "global_atomic_lanes", 0,
                        "atomics; thread 0 alone writes the block's result");
  wb_judge_cost_at_most(judge, "shared_load_requests", limits->shared_loads,
                        "the threads at work are spread over all warps, as "
                        "with t % (2 * s) == 0, or one thread reads the values one after the "
                        "other; fold with neighbouring threads, as many as there are pairs");
}
#endif
