// SPDX-License-Identifier: MIT
// 05_shuffle.c - judges lesson 05's kernels, or any module that offers exercise 05's kernel.
//
// Counters are asserted exactly for the lesson's kernels (the hand calculation stands beside them)
// and as upper bounds for the exercise: how many words a warp may store, how many barriers per
// block may have.
#include "inputs.h"
#include "judge.h"
#include "judge_blockwise.h"
#include "reference.h"

#include <math.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

// --- the exercise: block_argmax ---------------------------------------------------------------

static const char block_argmax[] =
    "block_argmax(const float *in, float *maxima, unsigned *indices, unsigned n)";

static const char block_argmin[] =
    "block_argmin(const float *in, float *minima, unsigned *indices, unsigned n)";

// A variant of the exercise: where is the smallest value? Its cases are those of the largest,
// negated.
static const char *const variants[] = {"min", NULL};
static bool is_minimum(void) { return wb_judge_is_variant("min"); }
static const char *extremes(void) { return is_minimum() ? "minima" : "maxima"; }

static const unsigned argmax_blocks[] = {32, 64, 96, 1024, 352, 256};

typedef struct argmax_case {
  const float *in; // [n]
  unsigned n, block;
  const char *about;
  size_t offset_bytes;
  const unsigned *start; // what both outputs hold before, as bits; NULL: poison
} argmax_case;

// The maximum of those of the block's elements whose lanes are a multiple of `step`, below `end`.
static double lanes_maximum(const wb_fold *fold, unsigned step, unsigned end) {
  double value = -INFINITY;
  for (uint64_t i = 0; i < fold->count; i++)
    if (i % 32 % step == 0 && i % 32 < end) value = fmax(value, (double)fold->a[fold->first + i]);
  return value;
}

// What goes wrong with shuffles in particular: asked before the judge's own hypotheses.
static wb_why shuffle_cause(const wb_fold *fold, float got) {
  double first_warp = -INFINITY;
  bool has_nan = false, is_element = false;
  for (uint64_t i = 0; i < fold->count; i++) {
    float x = fold->a[fold->first + i];
    if (i < 32) first_warp = fmax(first_warp, (double)x);
    has_nan |= isnan(x);
    is_element |= x == got;
  }
  if (isnan(got) || !is_element) return WB_UNKNOWN;
  if (has_nan)
    return WB_WHY(
        "there is a NaN among the elements, and a larger element was lost: write the comparison "
        "so that it is false for a NaN on either side");
  if (fold->count > 32 && (double)got == first_warp)
    return WB_WHY(
        "got the maximum of the first warp only: the other warps' slots must be folded as well");
  if (got == fold->a[fold->first]) return WB_UNKNOWN; // it may be the first element alone
  if ((double)got == lanes_maximum(fold, 1, 16))
    return WB_WHY("got the maximum of lanes 0 to 15: the first step of a warp's fold has s = 16");
  if ((double)got == lanes_maximum(fold, 2, 32))
    return WB_WHY(
        "got the maximum of the even lanes: is the last step of a warp's fold, s = 1, missing?");
  return WB_UNKNOWN;
}

// The most likely cause of a wrong index beside a right value; `best` is what was wanted.
static const char *wrong_index(const argmax_case *one, unsigned first, unsigned best,
                               unsigned got) {
  if (got == WB_POISON || (one->start && got == *one->start))
    return "nothing was written here: it still holds what the suite put in before the launch";
  if (got == WB_UNINITIALISED)
    return "the index comes from uninitialised shared memory: is every warp's slot "
           "stored, is there a __syncthreads() before they are read, and what do lanes without a "
           "slot hold?";
  if (first > 0 && got == best - first)
    return "the index counts from the start of the block, not of the array";
  if (best == one->n) return "there is no element to point at: the index of nothing is n";
  if (got == one->n && isinf(one->in[best]))
    return "the index is still that of the identity: an element as large as -INFINITY is at a "
           "lower index than n, and wins";
  if (got < one->n && one->in[got] == one->in[best])
    return "the value is right, but it also stands at a lower index: where two values are equal, "
           "the lower index must win, in every step and between warps as well";
  return "value and index come from different elements: who takes the other's value must take its "
         "index too";
}

// The index of the largest element, of the smallest in the variant; n: there are only NaNs.
static size_t first_extreme(const float *x, unsigned n) {
  if (!is_minimum()) return wb_argmax(x, n);
  size_t best = n;
  for (unsigned i = 0; i < n; i++)
    if (!isnan(x[i]) && (best == n || x[i] < x[best])) best = i;
  return best;
}

static void judge_pair(wb_judge *judge, const argmax_case *one, unsigned b, float got,
                       unsigned got_index) {
  unsigned first = b * one->block < one->n ? b * one->block : one->n;
  unsigned count = one->n - first < one->block ? one->n - first : one->block;
  size_t at = first_extreme(one->in + first, count);
  unsigned best = at < count ? first + (unsigned)at : one->n;
  wb_fold fold = {.op = is_minimum() ? WB_MIN : WB_MAX,
                  .input = "in",
                  .output = extremes(),
                  .a = one->in,
                  .n = one->n,
                  .first = first,
                  .count = count,
                  .index = b,
                  .block = one->block,
                  .start_bits = one->start ? *one->start : WB_POISON,
                  .own_cause = is_minimum() ? NULL : shuffle_cause};
  wb_judge_value(judge, &fold, got);
  if (got_index != best)
    wb_judge_fail_why(
        judge, WB_WHY(wrong_index(one, first, best, got_index)),
        "expected %s[%u] = %.9g at indices[%u] = %u\ngot      the value, but the index %u",
        extremes(), b, (double)got, b, best, got_index);
}

static argmax_case negated(wb_judge *judge, const argmax_case *one) {
  argmax_case other = *one;
  float *x = wb_judge_host(judge, one->n * sizeof *x);
  for (unsigned i = 0; i < one->n; i++) x[i] = -one->in[i];
  other.in = x;
  return other;
}

// Launches one case and judges it; the results live until wb_judge_release.
static void run_argmax(wb_judge *judge, const argmax_case *asked) {
  const argmax_case other = negated(judge, asked), *one = is_minimum() ? &other : asked;
  wb_kernel kernel = wb_judge_kernel(judge, is_minimum() ? block_argmin : block_argmax);
  unsigned n = one->n, n_blocks = wb_blockwise_grid(n, one->block);
  void *in = wb_judge_input(judge, "in", one->in, n * sizeof *one->in, one->offset_bytes);
  void *maxima = wb_judge_output(judge, extremes(), n_blocks * sizeof(float));
  void *indices = wb_judge_output(judge, "indices", n_blocks * sizeof(unsigned));
  if (one->start) {
    unsigned *start = wb_judge_host(judge, n_blocks * sizeof *start);
    for (unsigned b = 0; b < n_blocks; b++) start[b] = *one->start;
    wb_judge_put(judge, maxima, start);
    wb_judge_put(judge, indices, start);
  }
  wb_judge_case(judge, "n = %u, %s%s", n, one->about, is_minimum() ? "; all of it negated" : "");
  wb_judge_launch(judge, &kernel, n_blocks, one->block, 0, (void *[]){&in, &maxima, &indices, &n});
  const float *got = wb_judge_get(judge, maxima);
  const unsigned *got_indices = wb_judge_get(judge, indices);
  for (unsigned b = 0; b < n_blocks; b++) judge_pair(judge, one, b, got[b], got_indices[b]);
}

typedef float (*pattern)(unsigned i, unsigned n);
static float rising(unsigned i, unsigned n) { return (float)i - (float)n; }
static float falling(unsigned i, unsigned n) { return (float)n - (float)i; }
// All different (the modulus is a prime above every n here), no order, both signs.
static float scattered(unsigned i, unsigned n) { return (float)(i * 7919ull % 1048583) - (float)n; }
static float negative(unsigned i, unsigned n) { return scattered(i, n) - 0x1p21f; }
static float two_values(unsigned i, unsigned n) { return (i * 389u % 7 + n) % 2 ? -3.0f : -4.0f; }
static float all_equal(unsigned i, unsigned n) { return (void)i, (void)n, -2.5f; }

static void run_pattern(wb_judge *judge, unsigned n, unsigned block, pattern value,
                        const char *about) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  for (unsigned i = 0; i < n; i++) x[i] = value(i, n);
  argmax_case one = {.in = x, .n = n, .block = block, .about = about};
  run_argmax(judge, &one);
  wb_judge_release(judge);
}

static void check_one_warp(wb_judge *judge) {
  for (unsigned n = 32; n >= 1; n--) {
    run_pattern(judge, n, 32, falling, "values that fall with the index");
    run_pattern(judge, n, 32, rising, "negative values that rise with the index");
    run_pattern(judge, n, 32, scattered, "different values in no order");
  }
}

static void check_one_block(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(argmax_blocks); b++) {
    unsigned block = argmax_blocks[b];
    run_pattern(judge, block, block, rising, "negative values that rise with the index");
    run_pattern(judge, block, block, falling, "values that fall with the index");
    run_pattern(judge, block, block, scattered, "different values in no order");
    run_pattern(judge, block, block, negative, "different negative values in no order");
  }
  run_pattern(judge, 992, 992, negative, "different negative values in no order"); // 31 warps
}

static void check_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {256, 1024, 32, 257, 1025, 33, 1023, 255, 31, 2, 1, 0, 7919};
  for (size_t b = 0; b < COUNT(argmax_blocks); b++)
    for (size_t s = 0; s < COUNT(sizes); s++)
      run_pattern(judge, sizes[s], argmax_blocks[b], scattered, "different values in no order");
  run_pattern(judge, 16383, 1024, scattered, "different values in no order");
  run_pattern(judge, 65537, 256, scattered, "different values in no order");
  for (unsigned k = 0; k < 8; k++)
    run_pattern(judge, wb_drawn(wb_judge_seed(judge), k, 1, k % 2 ? 9999 : 999),
                argmax_blocks[k % COUNT(argmax_blocks)], scattered, "different values in no order");
}

static void check_tails(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(argmax_blocks); b++) {
    unsigned block = argmax_blocks[b], tails[] = {1, 2, 17, block / 2 + 1, block - 1};
    for (size_t t = 0; t < COUNT(tails); t++) {
      run_pattern(judge, 2 * block + tails[t], block, negative, "different negative values");
      run_pattern(judge, tails[t], block, negative, "different negative values");
    }
    run_pattern(judge, 0, block, negative, "no elements");
  }
}

// The same maximum in two places of a block, each time two other ones.
static void run_two_maxima(wb_judge *judge, unsigned block, unsigned low, unsigned high) {
  unsigned n = 2 * block;
  float *x = wb_judge_host(judge, n * sizeof *x);
  for (unsigned i = 0; i < n; i++) x[i] = negative(i, n);
  x[block + low] = x[block + high] = 9.0f;
  argmax_case one = {.in = x, .n = n, .block = block, .about = "block 1 has its maximum twice"};
  run_argmax(judge, &one);
  wb_judge_release(judge);
}

static void check_ties(wb_judge *judge) {
  static const unsigned lanes[] = {0, 1, 2, 7, 8, 15, 16, 17, 24, 30, 31};
  for (size_t low = 0; low < COUNT(lanes); low++)
    for (size_t high = low + 1; high < COUNT(lanes); high++)
      run_two_maxima(judge, 32, lanes[low], lanes[high]);
  for (unsigned low = 5; low < 256; low += 50)
    for (unsigned high = low + 1; high < 256; high += 37) run_two_maxima(judge, 256, low, high);
  for (size_t b = 0; b < COUNT(argmax_blocks); b++) {
    run_pattern(judge, 3 * argmax_blocks[b] - 5, argmax_blocks[b], two_values, "-3 and -4 only");
    run_pattern(judge, 3 * argmax_blocks[b] - 5, argmax_blocks[b], all_equal, "all values equal");
  }
}

static void check_every_position(wb_judge *judge) {
  static const unsigned blocks[] = {32, 96, 256};
  for (size_t b = 0; b < COUNT(blocks); b++) {
    unsigned block = blocks[b], n = block * block;
    float *x = wb_judge_host(judge, n * sizeof *x);
    for (unsigned i = 0; i < n; i++) x[i] = i % block == i / block ? -1.0f : -7.0f;
    argmax_case one = {.in = x, .n = n, .block = block, .about = "one large value in each block"};
    run_argmax(judge, &one);
    wb_judge_release(judge);
  }
}

static void run_special(wb_judge *judge, float value, unsigned at, unsigned step,
                        const char *about) {
  enum { N = 300 };
  float *x = wb_judge_host(judge, N * sizeof *x);
  for (unsigned i = 0; i < N; i++) x[i] = negative(i, N);
  for (unsigned i = at; i < N; i += step) x[i] = value;
  argmax_case one = {.in = x, .n = N, .block = 128, .about = about};
  run_argmax(judge, &one);
  wb_judge_release(judge);
}

static void check_specials(wb_judge *judge) {
  static const unsigned positions[] = {0, 1, 31, 32, 127, 128, 299};
  for (size_t p = 0; p < COUNT(positions); p++) {
    run_special(judge, NAN, positions[p], 1000, "one NaN");
    run_special(judge, INFINITY, positions[p], 1000, "one +inf");
    run_special(judge, -INFINITY, positions[p], 1000, "one -inf");
  }
  run_special(judge, NAN, 0, 2, "every other value NaN");
  run_special(judge, NAN, 0, 1, "nothing but NaN");
  run_special(judge, -INFINITY, 0, 1, "nothing but -inf");
  run_special(judge, -INFINITY, 1, 1, "-inf from index 1 on");
  enum { N = 64 };
  for (unsigned low = 0; low < 40; low += 3) { // -0 before +0: equal, so the lower index
    float x[N];
    for (unsigned i = 0; i < N; i++) x[i] = -1.0f;
    x[low] = -0.0f;
    x[low + 20] = 0.0f;
    argmax_case one = {.in = x, .n = N, .block = N, .about = "-0 at an index below that of +0"};
    run_argmax(judge, &one);
    wb_judge_release(judge);
  }
}

static void check_bounds(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (unsigned n = 383; n <= 385; n++) {
        float *x = wb_judge_host(judge, n * sizeof *x);
        for (unsigned i = 0; i < n; i++) x[i] = negative(i, n);
        argmax_case one = {.in = x,
                           .n = n,
                           .block = 128,
                           .about = "different negative values",
                           .offset_bytes = offset * sizeof *x};
        wb_judge_guards(judge, guards);
        run_argmax(judge, &one);
        wb_judge_release(judge);
      }
}

static void check_stale(wb_judge *judge) {
  static const float values[] = {-0x1p30f, 0.0f, 1000.0f, INFINITY, NAN};
  for (size_t v = 0; v < COUNT(values); v++) {
    enum { N = 509 };
    unsigned start;
    float *x = wb_judge_host(judge, N * sizeof *x);
    memcpy(&start, &values[v], sizeof start);
    for (unsigned i = 0; i < N; i++) x[i] = negative(i, N);
    argmax_case one = {
        .in = x, .n = N, .block = 128, .about = "outputs filled before", .start = &start};
    run_argmax(judge, &one);
    wb_judge_release(judge);
  }
}

#ifdef WORKBOOK_SIMT
static void check_shuffles(wb_judge *judge) {
  enum { BLOCKS = 4 };
  for (size_t b = 0; b < COUNT(argmax_blocks); b++) {
    unsigned block = argmax_blocks[b], warps = block / 32;
    run_pattern(judge, BLOCKS * block, block, scattered, "different values in no order");
    wb_judge_cost_at_most(judge, "shared_store_words", BLOCKS * 2 * warps,
                          "every thread stores its values; let lane 0 store what "
                          "its warp has found, a value and an index");
    wb_judge_cost_at_most(judge, "block_barriers", BLOCKS * 2,
                          "a barrier in a loop; within a warp a shuffle needs "
                          "none");
    wb_judge_cost_at_most(judge, "global_atomic_lanes", 0,
                          "atomics; thread 0 alone writes the block's result");
    wb_judge_cost_at_most(
        judge, "shuffles", BLOCKS * 10 * (warps + 1),
        "more shuffles than five steps of a value and an index need: a step of 32 "
        "or more reaches no other lane");
    // By one thread: a load for each warp's slot and word, in sequence.
    wb_judge_cost_at_most(judge, "shared_load_requests", BLOCKS * (warps > 4 ? 2 * warps : 8),
                          "slots read one after the other; let one lane read each "
                          "and fold by shuffles again");
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_warp", 15, "one warp, 1 to 32 elements",
     "Write down the pairs of 4 lanes: what does each hold after the step with s = 2, and with "
     "s = 1?",
     check_one_warp, false},
    {"one_block", 10, "one full block",
     "What does each warp leave in its slot, and which lanes of warp 0 read one?", check_one_block,
     false},
    {"sizes", 10, "n from 0 to 65,537, blocks from 32 to 1024", NULL, check_sizes, false},
    {"tails", 10, "a last block with few elements",
     "A thread without an element holds the identity, and still takes part in the shuffles.",
     check_tails, false},
    {"ties", 15, "of equal values the lowest index",
     "Compare indices where the values are equal; in the last step of the block as well.",
     check_ties, false},
    {"every_position", 10, "the largest value at every thread", NULL, check_every_position, false},
    {"specials", 10, "NaN never wins; infinities and zeros are right",
     "Start from (-INFINITY, n) and offer the element: what does your comparison do with a NaN, "
     "and with an element that is -INFINITY?",
     check_specials, false},
    {"bounds", 5, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
    {"stale_output", 5, "whatever the outputs held before", NULL, check_stale, false},
#ifdef WORKBOOK_SIMT
    {"shuffles", 10, "two words per warp, two barriers, no atomics",
     "Only what one warp must tell another goes through shared memory.", check_shuffles, true},
#endif
};
static const wb_suite exercise = {"05_shuffle", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels -----------------------------------------------------------------

static size_t no_shared(unsigned block) { return (void)block, 0; }

#define KERNEL(name)                                                                               \
  {                                                                                                \
    .signature = name "(const float *in, float *out, unsigned n)", .op = WB_SUM, .inputs = {"in"}, \
    .output = "out", .shared_bytes = no_shared, .per_thread = 2                                    \
  }
// NAME<SIZE>: a template's kernel has a mangled name, which begins with the length of its own.
#define SIZED(mangled, size) KERNEL("_Z" mangled "ILj" #size "EEvPKfPfj")
#define BY_SIZE(mangled)                                                                           \
  {                                                                                                \
    SIZED(mangled, 32), SIZED(mangled, 64), SIZED(mangled, 128), SIZED(mangled, 256),              \
        SIZED(mangled, 512), SIZED(mangled, 1024)                                                  \
  }

enum { UNROLLED, LAST_WARP, WARP_FIRST = 0, BUTTERFLY, MASKED };
static const unsigned tree_blocks[] = {32, 64, 128, 256, 512, 1024};
static const wb_blockwise trees[][6] = {BY_SIZE("8unrolled"), BY_SIZE("9last_warp")};
static const unsigned warp_blocks[] = {32, 96, 1024, 352, 256};
static const unsigned any_blocks[] = {1, 2, 31, 33, 48, 100, 1000, 1023, 64};
static const wb_blockwise by_warps[] = {KERNEL("warp_first"), KERNEL("butterfly"),
                                        KERNEL("masked")};

typedef void (*family)(wb_judge *judge, const wb_blockwise *kernel, const unsigned *blocks,
                       size_t n_blocks);

// Each kernel with every block size it is for.
static void run_family(wb_judge *judge, family run) {
  for (size_t k = 0; k < COUNT(trees); k++)
    for (size_t b = 0; b < COUNT(tree_blocks); b++) run(judge, &trees[k][b], &tree_blocks[b], 1);
  for (size_t k = 0; k < COUNT(by_warps); k++)
    run(judge, &by_warps[k], warp_blocks, COUNT(warp_blocks));
  run(judge, &by_warps[MASKED], any_blocks, COUNT(any_blocks));
}

static void lesson_one_block(wb_judge *judge) { run_family(judge, wb_blockwise_one_block); }
static void lesson_tails(wb_judge *judge) { run_family(judge, wb_blockwise_tails); }

static void lesson_sizes(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(trees); k++)
    for (size_t b = 1; b < COUNT(tree_blocks); b += 2)
      wb_blockwise_sizes(judge, &trees[k][b], &tree_blocks[b], 1);
  for (size_t k = 0; k < COUNT(by_warps); k++)
    wb_blockwise_sizes(judge, &by_warps[k], warp_blocks, COUNT(warp_blocks));
}

static void lesson_positions(wb_judge *judge) {
  static const unsigned some[] = {32, 96, 256};
  static const unsigned odd[] = {33, 100};
  for (size_t k = 0; k < COUNT(trees); k++)
    for (size_t b = 0; b < 4; b++) wb_blockwise_positions(judge, &trees[k][b], &tree_blocks[b], 1);
  for (size_t k = 0; k < COUNT(by_warps); k++)
    wb_blockwise_positions(judge, &by_warps[k], some, COUNT(some));
  wb_blockwise_positions(judge, &by_warps[MASKED], odd, COUNT(odd));
}

static void lesson_specials(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(trees); k++) wb_blockwise_specials(judge, &trees[k][1], 64);
  for (size_t k = 0; k < COUNT(by_warps); k++) wb_blockwise_specials(judge, &by_warps[k], 64);
}
static void lesson_bounds(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(trees); k++) wb_blockwise_bounds(judge, &trees[k][2], 128);
  for (size_t k = 0; k < COUNT(by_warps); k++) wb_blockwise_bounds(judge, &by_warps[k], 128);
}
static void lesson_stale(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(trees); k++) wb_blockwise_stale(judge, &trees[k][2], 128);
  for (size_t k = 0; k < COUNT(by_warps); k++) wb_blockwise_stale(judge, &by_warps[k], 128);
}

// redux: ints, whose sums wrap.
static void run_ints(wb_judge *judge, unsigned n, unsigned block, int low, int high) {
  wb_kernel kernel = wb_judge_kernel(judge, "redux(const int *in, int *out, unsigned n)");
  unsigned n_blocks = wb_blockwise_grid(n, 2 * block);
  int *x = wb_judge_host(judge, n * sizeof *x);
  wb_fill_ints(x, n, low, high, wb_judge_seed(judge) + n);
  void *in = wb_judge_input(judge, "in", x, n * sizeof *x, 0);
  void *out = wb_judge_output(judge, "out", n_blocks * sizeof(int));
  wb_judge_case(judge, "n = %u, ints from %d to %d", n, low, high);
  wb_judge_launch(judge, &kernel, n_blocks, block, 0, (void *[]){&in, &out, &n});
  const unsigned *got = wb_judge_get(judge, out);
  for (unsigned b = 0; b < n_blocks; b++) {
    unsigned want = 0;
    for (unsigned i = 2 * block * b; i < n && i < 2 * block * (b + 1); i++) want += (unsigned)x[i];
    if (got[b] != want)
      wb_judge_fail(judge, "expected out[%u] = %d, got %d", b, (int)want, (int)got[b]);
  }
}

static void lesson_ints(wb_judge *judge) {
  static const unsigned sizes[] = {0, 1, 31, 32, 33, 255, 257, 1025, 7919, 65537};
  for (size_t b = 0; b < COUNT(warp_blocks); b++)
    for (size_t s = 0; s < COUNT(sizes); s++) {
      run_ints(judge, sizes[s], warp_blocks[b], -30000, 30000);
      run_ints(judge, sizes[s], warp_blocks[b], INT32_MIN, INT32_MAX);
      wb_judge_release(judge);
    }
}

#ifdef WORKBOOK_SIMT
// What one block of B = 32 W threads costs, by hand: words stored in shared memory, barriers,
// shuffles, votes (a warp reduction counts as one), __syncwarp().
typedef struct cost {
  uint64_t stored, barriers, shuffles, votes, syncs;
} cost;

// unrolled: every thread stores once, and then s threads for s = B/2 … 32, 16 … 1: B - 1 more.
// Block barriers before the steps with s >= 32: log2(B) - 5; five __syncwarp() in one warp.
static cost unrolled_cost(unsigned block) {
  return (cost){.stored = 2 * block - 1, .barriers = wb_blockwise_steps(block) - 5, .syncs = 5};
}
// last_warp: without the steps s = 16 … 1, which stored 31 words; five shuffles in one warp. (With
// B = 32 a thread reads only what it stored itself, and a compiler may do without the memory.)
static cost last_warp_cost(unsigned block) {
  return (cost){.stored = 2 * block - 32, .barriers = wb_blockwise_steps(block) - 5, .shuffles = 5};
}
// warp_first: one word a warp, one barrier; five shuffles in each warp and five more in the first.
static cost warp_first_cost(unsigned block) {
  return (cost){.stored = block / 32, .barriers = 1, .shuffles = 5 * (block / 32) + 5};
}
// butterfly: a second barrier, and all warps shuffle twice.
static cost butterfly_cost(unsigned block) {
  return (cost){.stored = block / 32, .barriers = 2, .shuffles = 10 * (block / 32)};
}
static cost redux_cost(unsigned block) {
  return (cost){.stored = block / 32, .barriers = 1, .votes = block / 32 + 1};
}

static void expect(wb_judge *judge, cost want, uint64_t n_blocks) {
  const char *by_hand = "the hand calculation in tests/05_shuffle.c says otherwise";
  wb_judge_counter_is(judge, "shared_store_words", want.stored * n_blocks, by_hand);
  wb_judge_counter_is(judge, "block_barriers", want.barriers * n_blocks, by_hand);
  wb_judge_counter_is(judge, "shuffles", want.shuffles * n_blocks, by_hand);
  wb_judge_counter_is(judge, "votes", want.votes * n_blocks, by_hand);
  wb_judge_counter_is(judge, "warp_syncs", want.syncs * n_blocks, by_hand);
  wb_judge_counter_is(judge, "global_atomic_lanes", 0, by_hand);
}

static void lesson_counters(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(tree_blocks); b++)
    for (unsigned n_blocks = 1; n_blocks <= 5; n_blocks += 4) {
      unsigned block = tree_blocks[b], n = 2 * n_blocks * block;
      wb_blockwise_count(judge, &trees[UNROLLED][b], n, block);
      expect(judge, unrolled_cost(block), n_blocks);
      if (block > 32) {
        wb_blockwise_count(judge, &trees[LAST_WARP][b], n, block);
        expect(judge, last_warp_cost(block), n_blocks);
      }
      wb_blockwise_count(judge, &by_warps[WARP_FIRST], n, block);
      expect(judge, warp_first_cost(block), n_blocks);
      wb_blockwise_count(judge, &by_warps[BUTTERFLY], n, block);
      expect(judge, butterfly_cost(block), n_blocks);
      wb_blockwise_count(judge, &by_warps[MASKED], n, block);
      expect(judge, warp_first_cost(block), n_blocks);
      run_ints(judge, n, block, -9, 99);
      expect(judge, redux_cost(block), n_blocks);
      wb_judge_release(judge);
    }
}

// The lesson's claim: at most 32 words a block go through shared memory, with 1 or 2 barriers.
static void lesson_claim(wb_judge *judge) {
  for (size_t k = 0; k < COUNT(by_warps); k++) {
    wb_blockwise_count(judge, &by_warps[k], 2048, 1024);
    wb_judge_counter_at_most(judge, "shared_store_words", 32, "one word for each of 32 warps");
    wb_judge_counter_at_most(judge, "block_barriers", 2, "stored by one, read by another");
    wb_judge_release(judge);
  }
}
#endif

static const wb_check lesson_checks[] = {
    {"one_block", 1, "one full block of every size", NULL, lesson_one_block, false},
    {"sizes", 1, "sizes, block sizes, exact and mixed inputs", NULL, lesson_sizes, false},
    {"tails", 1, "a last block with few elements", NULL, lesson_tails, false},
    {"positions", 1, "every position counts", NULL, lesson_positions, false},
    {"specials", 1, "infinities, NaN, -0", NULL, lesson_specials, false},
    {"bounds", 1, "stays inside its arrays, input unchanged", NULL, lesson_bounds, false},
    {"stale_output", 1, "whatever the output held before", NULL, lesson_stale, false},
    {"ints", 1, "sums of ints by warp reductions", NULL, lesson_ints, false},
#ifdef WORKBOOK_SIMT
    {"claim", 1, "at most 32 words and 2 barriers per block", NULL, lesson_claim, true},
    {"counters", 1, "words, barriers and shuffles as by hand", NULL, lesson_counters, true},
#endif
};
static const wb_suite lesson = {"05_shuffle", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &exercise);
}
