// SPDX-License-Identifier: MIT
// 00_naive_atomic.c - judges lesson 00's kernels, or any module that offers exercise 00's kernel.
//
// Not modelled: contention between blocks of a real GPU cannot be forced; on the software GPU
// blocks run one after the other, so that the tests make the lanes and warps of a block compete.
#include "inputs.h"
#include "judge.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static unsigned grid_for(unsigned n, unsigned block) {
  unsigned blocks = n / block + (n % block != 0);
  return blocks ? blocks : 1;
}

// --- the exercise: max_all --------------------------------------------------------------------

static const char max_all[] = "max_all(const float *in, float *result, unsigned n)";
static const char min_all[] = "min_all(const float *in, float *result, unsigned n)";

// A variant of the exercise: the minimum. Its cases are those of the maximum, negated.
static const char *const variants[] = {"min", NULL};
static bool is_minimum(void) { return wb_judge_is_variant("min"); }

// Describes the case for people; its values are those of the maximum, also where the minimum is
// asked for.
static void say_case(wb_judge *judge, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static void say_case(wb_judge *judge, const char *format, ...) {
  char text[200];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  wb_judge_case(judge, "%s%s", text, is_minimum() ? "; all of it negated" : "");
}

// What only a compare-and-swap can get wrong: a converted number where its bits belong.
static wb_why swap_cause(const wb_fold *fold, float got) {
  uint32_t bits;
  double expected = wb_fold_expected(fold);
  memcpy(&bits, &got, sizeof bits);
  if (isnan(got) || (double)got == expected || bits == fold->start_bits) return WB_UNKNOWN;
  for (uint64_t i = 0; i < fold->count; i++) {
    float x = fold->a[i];
    if (got == x && !signbit(x) == !signbit(got))
      return WB_UNKNOWN; // an element: some other mistake
  }
  for (uint64_t i = 0; i < fold->count; i++) {
    float x = fold->a[i];
    if (fabsf(x) < 2e9f && bits != 0 && bits == (uint32_t)(int32_t)x)
      return WB_WHY_CONVERTED(
          "the bits swapped in are those of an integer: (unsigned)x converts the number, "
          "__float_as_uint(x) leaves the bits alone");
  }
  return WB_UNKNOWN;
}

typedef struct max_case {
  const float *in; // [n]
  unsigned n, block;
  float start; // what *result holds before
  size_t offset_bytes;
} max_case;

// The separating experiment where nothing is written to a *result of -inf: the same kernel on
// elements 1, 2 ... n, all with the sign given, and a *result that may be changed. Returns what it
// then holds.
static float try_elements(wb_judge *judge, const wb_kernel *kernel, unsigned n, unsigned block,
                          float sign, float start) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  for (unsigned i = 0; i < n; i++) x[i] = sign * (float)(i + 1);
  void *in = wb_judge_input(judge, "in", x, n * sizeof *x, 0);
  void *result = wb_judge_output(judge, "result", sizeof(float)), *arguments[] = {&in, &result, &n};
  wb_judge_put(judge, result, &start);
  wb_judge_launch(judge, kernel, grid_for(n, block), block, 0, arguments);
  return *(const float *)wb_judge_get(judge, result);
}

// Nothing was written, though an element is larger: is the blank empty, are bits compared as
// integers, is the number that the bits make converted, or is the comparison reversed?
static void judge_unchanged(wb_judge *judge, const wb_kernel *kernel, const max_case *one,
                            const wb_fold *fold) {
  wb_judge_experiment(judge);
  float got = try_elements(judge, kernel, one->n, one->block, 1, 0.0f), low = (float)one->n + 1.0f;
  wb_why why = WB_UNKNOWN;
  if (got == 0.0f && try_elements(judge, kernel, one->n, one->block, 1, low) < low)
    why = (wb_why){WB_CAUSE_WRONG_COMPARISON,
                   "*result is lowered, never raised: a comparison is the wrong way round",
                   "swap while the value is larger than what is there"};
  else if (got == (float)one->n &&
           try_elements(judge, kernel, one->n, one->block, -1, -0.5f) == -0.5f)
    why =
        WB_WHY_NEXT("values above 0 arrive, negative ones never: the value is compared with 0, and "
                    "not with what *result holds",
                    "begin with what *address holds when the thread comes to it");
  else if (got == (float)one->n)
    why = WB_WHY_NEXT(
        "float bits are compared as integers: a good trick, and right where no value is negative, "
        "but of negative floats the order is reversed, and -inf comes out as larger than any",
        "compare floats (__uint_as_float(seen)), and swap with atomicCAS");
  else if (got != 0.0f && isinf(try_elements(judge, kernel, 1, one->block, 1, -INFINITY)))
    why = WB_WHY_NEXT(
        "what *result holds is converted: (float)seen makes a number of the bits, and those of "
        "-inf make 4.3e9, which no value exceeds",
        "__uint_as_float(seen) leaves the bits alone");
  if (!why.text) return;
  wb_judge_case(judge, "n = %u", one->n);
  wb_judge_fail_why(judge, why, "expected result[0] = %.9g\ngot      %.9g, as before the launch",
                    wb_fold_expected(fold), (double)one->start);
}

static max_case negated(wb_judge *judge, const max_case *one) {
  max_case other = *one;
  float *x = wb_judge_host(judge, one->n * sizeof *x);
  for (unsigned i = 0; i < one->n; i++) x[i] = -one->in[i];
  other.in = x;
  other.start = -one->start;
  return other;
}

// Launches one case and judges it. Returns the maximum, of a minimum's negated case that of the
// case.
static float run_max(wb_judge *judge, const max_case *asked) {
  const max_case one = is_minimum() ? negated(judge, asked) : *asked;
  wb_kernel kernel = wb_judge_kernel(judge, is_minimum() ? min_all : max_all);
  unsigned n = one.n;
  void *in = wb_judge_input(judge, "in", one.in, n * sizeof *one.in, one.offset_bytes);
  void *result = wb_judge_output(judge, "result", sizeof(float));
  wb_judge_put(judge, result, &one.start);
  void *arguments[] = {&in, &result, &n};
  wb_judge_launch(judge, &kernel, grid_for(n, one.block), one.block, 0, arguments);
  float got = *(const float *)wb_judge_get(judge, result);
  wb_fold fold = {.op = is_minimum() ? WB_MIN : WB_MAX,
                  .input = "in",
                  .output = "result",
                  .a = one.in,
                  .n = n,
                  .count = n,
                  .block = one.block,
                  .takes_start = true,
                  .when_lost = "a swap that failed must be tried again, against the value that "
                               "atomicCAS returned",
                  .own_cause = swap_cause};
  memcpy(&fold.start_bits, &one.start, sizeof fold.start_bits);
  if (!is_minimum() && got == one.start && wb_fold_expected(&fold) > (double)got)
    judge_unchanged(judge, &kernel, &one, &fold);
  wb_judge_value(judge, &fold, got);
  return is_minimum() ? -got : got;
}

// n values from [low, high], the same in every run.
static float *some_values(wb_judge *judge, unsigned n, int low, int high) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  wb_fill_float_range(x, n, low, high, wb_judge_seed(judge) + n);
  return x;
}

static void run_values(wb_judge *judge, unsigned n, unsigned block, int low, int high) {
  say_case(judge, "n = %u, integers in [%d, %d]", n, low, high);
  max_case one = {
      .in = some_values(judge, n, low, high), .n = n, .block = block, .start = -INFINITY};
  run_max(judge, &one);
  wb_judge_release(judge);
}

static void check_one_warp(wb_judge *judge) {
  for (unsigned n = 32; n >= 1; n--) {
    run_values(judge, n, 32, 1, 9999);
    run_values(judge, n, 32, -9999, -1);
  }
}

// Each element is larger than the one before: a lost end shows as such.
static void run_rising(wb_judge *judge, unsigned n, unsigned block) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  for (unsigned i = 0; i < n; i++) x[i] = (float)i - (float)n;
  say_case(judge, "n = %u, negative values that rise", n);
  max_case one = {.in = x, .n = n, .block = block, .start = -INFINITY};
  run_max(judge, &one);
  wb_judge_release(judge);
}

static void check_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {256, 1024, 32, 257, 1025, 33, 1023, 255, 31, 2, 1, 7919, 0};
  static const unsigned blocks[] = {32, 96, 256, 1024};
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (size_t s = 0; s < COUNT(sizes); s++) {
      run_rising(judge, sizes[s], blocks[b]);
      run_values(judge, sizes[s], blocks[b], -999999, -1);
      run_values(judge, sizes[s], blocks[b], -999999, 999999);
    }
  run_values(judge, 65537, 256, -999999, -1);
  run_values(judge, 1u << 18, 1024, -999999, -1);
  for (unsigned k = 0; k < 8; k++)
    run_values(judge, wb_drawn(wb_judge_seed(judge), k, 1, k % 2 ? 9999 : 999),
               blocks[k % COUNT(blocks)], -999999, 999999);
}

static void check_every_position(wb_judge *judge) {
  static const unsigned sizes[] = {33, 257};
  for (size_t s = 0; s < COUNT(sizes); s++)
    for (unsigned at = 0; at < sizes[s]; at++) {
      unsigned n = sizes[s];
      float *x = wb_judge_host(judge, n * sizeof *x);
      wb_fill_one_hot(x, n, at, -1.0f, -7.0f);
      say_case(judge, "n = %u, all -7 but a -1 at index %u", n, at);
      max_case one = {.in = x, .n = n, .block = 128, .start = -INFINITY};
      run_max(judge, &one);
      wb_judge_release(judge);
    }
}

typedef float (*pattern)(unsigned i, unsigned n);
static float rising(unsigned i, unsigned n) { return (float)i - (float)n; }
static float falling(unsigned i, unsigned n) { return (float)n - (float)i; }
static float peak_in_each_warp(unsigned i, unsigned n) { // the middle lane, higher warp after warp
  return i % 32 == 13 ? (float)i : (float)i - (float)n;
}
static float scattered(unsigned i, unsigned n) { return (float)(i * 389u % n); }

static void check_contention(wb_judge *judge) {
  static const struct {
    const char *name;
    pattern value;
  } patterns[] = {
      {"values rising with the index", rising},
      {"values falling with the index", falling},
      {"the largest of each warp in lane 13", peak_in_each_warp},
      {"all values different, in no order", scattered},
  };
  enum { N = 1024 };
  for (size_t p = 0; p < COUNT(patterns); p++)
    for (unsigned block = 32; block <= N; block *= 4) {
      float *x = wb_judge_host(judge, N * sizeof *x);
      for (unsigned i = 0; i < N; i++) x[i] = patterns[p].value(i, N);
      say_case(judge, "n = %d, %s", N, patterns[p].name);
      max_case one = {.in = x, .n = N, .block = block, .start = -INFINITY};
      run_max(judge, &one);
      wb_judge_release(judge);
    }
}

// A running maximum: three arrays after each other, the second with the largest value.
static void check_keeps_larger(wb_judge *judge) {
  static const int high[] = {100, 5000, 2000};
  enum { N = 300 };
  float result = -INFINITY;
  for (size_t i = 0; i < COUNT(high); i++) {
    say_case(judge, "n = %d, *result holds %g before", N, (double)result);
    max_case one = {
        .in = some_values(judge, N, -50, high[i]), .n = N, .block = 128, .start = result};
    result = run_max(judge, &one);
    wb_judge_release(judge);
  }
}

static void run_special(wb_judge *judge, float value, const char *name, unsigned at,
                        unsigned step) {
  enum { N = 100 };
  float *x = some_values(judge, N, -999, -1);
  for (unsigned i = at; i < N; i += step) x[i] = value;
  say_case(judge, "n = %d, %s at index %u%s", N, name, at, step == 1 ? " and all after it" : "");
  max_case one = {.in = x, .n = N, .block = 64, .start = -INFINITY};
  run_max(judge, &one);
  wb_judge_release(judge);
}

static void check_specials(wb_judge *judge) {
  static const unsigned positions[] = {0, 1, 31, 32, 63, 64, 99};
  for (size_t p = 0; p < COUNT(positions); p++) {
    run_special(judge, NAN, "a NaN", positions[p], 1000);
    run_special(judge, -NAN, "a negative NaN", positions[p], 1000);
    run_special(judge, INFINITY, "+inf", positions[p], 1000);
    run_special(judge, -INFINITY, "-inf", positions[p], 1000);
    run_special(judge, -0.0f, "-0", positions[p], 1000);
    run_special(judge, 0.0f, "+0", positions[p], 1000);
  }
  run_special(judge, NAN, "NaN", 0, 1);
  run_special(judge, -INFINITY, "-inf", 0, 1);
  run_special(judge, -1e-40f, "a denormal", 0, 1);
}

static void check_bounds(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (unsigned n = 255; n <= 257; n++) {
        wb_judge_guards(judge, guards);
        say_case(judge, "n = %u, `in` starts %u floats after an aligned address", n, offset);
        max_case one = {.in = some_values(judge, n, -999, -1),
                        .n = n,
                        .block = 128,
                        .start = -INFINITY,
                        .offset_bytes = offset * sizeof(float)};
        run_max(judge, &one);
        wb_judge_release(judge);
      }
}

static void check_repeatable(wb_judge *judge) {
  for (unsigned again = 0; again < 3; again++) run_values(judge, 5000, 256, -999999, 999999);
}

#ifdef WORKBOOK_SIMT
static void check_looks_first(wb_judge *judge) {
  enum { N = 1000 };
  say_case(judge, "n = %d, *result starts as -inf", N);
  max_case one = {.in = some_values(judge, N, -999, -1), .n = N, .block = 128, .start = -INFINITY};
  run_max(judge, &one);
  wb_judge_cost_is(judge, "global_store_requests", 0,
                   "*result is written by a plain store; between the look and the "
                   "store another thread may have raised it");
  say_case(judge, "n = %d, *result is larger than every element before", N);
  one.start = 0.0f;
  run_max(judge, &one);
  wb_judge_cost_is(judge, "global_atomic_lanes", 0,
                   "a swap is tried before looking whether the value is larger");
  say_case(judge, "n = %d, *result is as large as the largest element before", N);
  float *alike = wb_judge_host(judge, N * sizeof *alike);
  for (unsigned i = 0; i < N; i++) alike[i] = -3.0f;
  max_case equal = {.in = alike, .n = N, .block = 128, .start = -3.0f};
  run_max(judge, &equal);
  wb_judge_cost_is(judge, "global_atomic_lanes", 0,
                   "a swap is tried for a value that is only as large as what is there: look for a "
                   "larger one, with >");
}
#endif

static const wb_check exercise_checks[] = {
    {"one_warp", 15, "up to 32 elements, one warp",
     "Two lanes saw the same old maximum and both try to swap. One succeeds; what does atomicCAS "
     "tell the other, and what must that one do next?",
     check_one_warp, false},
    {"sizes", 15, "n from 0 to 2^18, blocks from 32 to 1024", NULL, check_sizes, false},
    {"every_position", 15, "the largest element at every index",
     "Print nothing: look at the index in "
     "the message. Which thread owns it, and does it take part?",
     check_every_position, false},
    {"contention", 15, "many lanes and warps raise the maximum at once",
     "After a lost race the maximum "
     "has changed: compare your value with the new one and try again.",
     check_contention, false},
    {"keeps_larger", 10, "what *result held before takes part", NULL, check_keeps_larger, false},
    {"specials", 10, "NaN never wins; infinities and zeros are right",
     "Every comparison with a NaN is false. As integers, negative floats come in reverse order.",
     check_specials, false},
    {"bounds", 5, "stays inside its arrays, at any alignment", NULL, check_bounds, false},
    {"repeatable", 5, "the same result every time", NULL, check_repeatable, false},
#ifdef WORKBOOK_SIMT
    {"looks_first", 10, "no swap without need, no plain store",
     "Read *address first: a value that is not larger needs no atomicCAS.", check_looks_first,
     true},
#endif
};
static const wb_suite exercise = {"00_naive_atomic", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels -----------------------------------------------------------------

static const char add_to_one[] = "add_to_one(const float *in, float *sum, unsigned n)";
static const char add_to_slots[] =
    "add_to_slots(const float *in, float *slots, unsigned n, unsigned k)";
static const char add_ints_to_one[] = "add_ints_to_one(const int *in, int *sum, unsigned n)";

static const unsigned lesson_sizes[] = {0,   1,    2,    31,   32,   33,    255,  256,
                                        257, 1023, 1024, 1025, 7919, 65535, 65537};

// One launch of add_to_one over `x`, judged; returns the sum's bits.
static float run_add(wb_judge *judge, const float *x, unsigned n, unsigned block, bool exact,
                     size_t offset_bytes) {
  static const float zero = 0.0f;
  wb_kernel kernel = wb_judge_kernel(judge, add_to_one);
  void *in = wb_judge_input(judge, "in", x, n * sizeof *x, offset_bytes);
  void *sum = wb_judge_output(judge, "sum", sizeof(float)), *arguments[] = {&in, &sum, &n};
  wb_judge_put(judge, sum, &zero);
  wb_judge_launch(judge, &kernel, grid_for(n, block), block, 0, arguments);
  float got = *(const float *)wb_judge_get(judge, sum);
  wb_fold fold = {.op = WB_SUM,
                  .input = "in",
                  .output = "sum",
                  .a = x,
                  .n = n,
                  .count = n,
                  .block = block,
                  .start_bits = WB_POISON};
  if (!exact) fold.tolerance = wb_fold_bound(&fold);
  wb_judge_value(judge, &fold, got);
  return got;
}

static void lesson_sums(wb_judge *judge) {
  static const unsigned blocks[] = {32, 256, 1024};
  for (size_t s = 0; s < COUNT(lesson_sizes); s++)
    for (size_t b = 0; b < COUNT(blocks); b++)
      for (int kind = WB_INPUT_INTEGERS; kind <= WB_INPUT_MIXED; kind++) {
        unsigned n = lesson_sizes[s];
        float *x = wb_judge_host(judge, n * sizeof *x);
        wb_fill_floats((wb_input_kind)kind, x, n, wb_judge_seed(judge) + n);
        wb_judge_case(judge, "n = %u, %s", n, wb_input_kind_name((wb_input_kind)kind));
        run_add(judge, x, n, blocks[b], kind == WB_INPUT_INTEGERS, 0);
        wb_judge_release(judge);
      }
}

static void lesson_positions(wb_judge *judge) {
  for (unsigned at = 0; at < 257; at++) {
    float *x = wb_judge_host(judge, 257 * sizeof *x);
    wb_fill_one_hot(x, 257, at, (float)(at + 1), 0.0f);
    wb_judge_case(judge, "n = 257, all 0 but index %u", at);
    run_add(judge, x, 257, 128, true, 0);
    wb_judge_release(judge);
  }
}

static void lesson_specials(wb_judge *judge) {
  for (int s = 0; s < WB_SPECIAL_COUNT; s++)
    for (unsigned at = 0; at < 100; at += 33) {
      float *x = wb_judge_host(judge, 100 * sizeof *x);
      wb_fill_float_range(x, 100, 1, 9, wb_judge_seed(judge));
      wb_put_special(x, 100, at, (wb_special)s);
      wb_judge_case(judge, "n = 100, %s at index %u", wb_special_name((wb_special)s), at);
      run_add(judge, x, 100, 64, true, 0);
      wb_put_special(x, 100, 50, WB_SPECIAL_MINUS_INF); // inf - inf
      wb_judge_case(judge, "n = 100, %s at index %u, -inf at 50", wb_special_name((wb_special)s),
                    at);
      run_add(judge, x, 100, 64, true, 0);
      wb_judge_release(judge);
    }
}

static void lesson_bounds(wb_judge *judge) {
  for (unsigned offset = 0; offset < 4; offset++)
    for (unsigned n = 255; n <= 257; n++) {
      float *x = wb_judge_host(judge, n * sizeof *x);
      wb_fill_floats(WB_INPUT_INTEGERS, x, n, wb_judge_seed(judge));
      wb_judge_guards(judge, offset % 2);
      wb_judge_case(judge, "n = %u, `in` starts %u floats after an aligned address", n, offset);
      run_add(judge, x, n, 128, true, offset * sizeof(float));
      wb_judge_release(judge);
    }
}

// n values over k slots; slot j must hold the sum of in[j], in[j + k] …
static void run_slots(wb_judge *judge, unsigned n, unsigned k) {
  wb_kernel kernel = wb_judge_kernel(judge, add_to_slots);
  float *x = wb_judge_host(judge, n * sizeof *x);
  int64_t *want = wb_judge_host(judge, k * sizeof *want);
  wb_fill_floats(WB_INPUT_INTEGERS, x, n, wb_judge_seed(judge) + n);
  for (unsigned i = 0; i < n; i++) want[i % k] += (int)x[i];
  void *in = wb_judge_input(judge, "in", x, n * sizeof *x, 0);
  void *slots = wb_judge_output(judge, "slots", k * sizeof(float));
  void *arguments[] = {&in, &slots, &n, &k};
  wb_judge_put(judge, slots, wb_judge_host(judge, k * sizeof(float))); // zeros
  wb_judge_case(judge, "n = %u, k = %u slots", n, k);
  wb_judge_launch(judge, &kernel, grid_for(n, 256), 256, 0, arguments);
  const float *got = wb_judge_get(judge, slots);
  for (unsigned j = 0; j < k; j++)
    if (!((double)got[j] == (double)want[j]))
      wb_judge_fail(judge, "expected slots[%u] = %lld, got %.9g", j, (long long)want[j],
                    (double)got[j]);
}

static void lesson_slots(wb_judge *judge) {
  static const unsigned slots[] = {1, 3, 32, 1000, 32768};
  for (size_t k = 0; k < COUNT(slots); k++)
    for (unsigned n = 7919; n <= 7920; n++) {
      run_slots(judge, n, slots[k]);
      wb_judge_release(judge);
    }
}

static void lesson_ints(wb_judge *judge) {
  static const int zero = 0;
  for (size_t s = 0; s < COUNT(lesson_sizes); s++) {
    wb_kernel kernel = wb_judge_kernel(judge, add_ints_to_one);
    unsigned n = lesson_sizes[s];
    int *x = wb_judge_host(judge, n * sizeof *x), want = 0;
    wb_fill_ints(x, n, -30000, 30000, wb_judge_seed(judge));
    for (unsigned i = 0; i < n; i++) want += x[i];
    void *in = wb_judge_input(judge, "in", x, n * sizeof *x, 0);
    void *sum = wb_judge_output(judge, "sum", sizeof(int)), *arguments[] = {&in, &sum, &n};
    wb_judge_put(judge, sum, &zero);
    wb_judge_case(judge, "n = %u, ints of both signs", n);
    wb_judge_launch(judge, &kernel, grid_for(n, 256), 256, 0, arguments);
    int got = *(const int *)wb_judge_get(judge, sum);
    if (got != want) wb_judge_fail(judge, "expected sum = %d, got %d", want, got);
    wb_judge_release(judge);
  }
}

// 24 significant bits: 2^24 + 1 is not a float and rounds to even, back to 2^24.
static void lesson_sticks(wb_judge *judge) {
  static const float starts[] = {0x1p24f - 2, 0x1p24f, 0.0f}, ends[] = {0x1p24f, 0x1p24f, 5.0f};
  for (size_t s = 0; s < COUNT(starts); s++) {
    wb_kernel set = wb_judge_kernel(judge, "set_float(float *sum, float value)");
    wb_kernel count = wb_judge_kernel(judge, "count_in_float(float *sum, unsigned n)");
    unsigned n = 5;
    float start = starts[s];
    void *sum = wb_judge_output(judge, "sum", sizeof(float));
    wb_judge_case(judge, "counting %u ones from %.9g", n, (double)start);
    wb_judge_launch(judge, &set, 1, 1, 0, (void *[]){&sum, &start});
    wb_judge_launch(judge, &count, 1, 32, 0, (void *[]){&sum, &n});
    float got = *(const float *)wb_judge_get(judge, sum);
    if (!(got == ends[s]))
      wb_judge_fail(judge, "expected %.9g, got %.9g", (double)ends[s], (double)got);
    wb_judge_release(judge);
  }
}

#ifdef WORKBOOK_SIMT
// By hand, for n elements and k addresses: each of the n threads with an element does one lane
// operation, so lanes = n. A warp with at least one such thread makes one request: ceil(n / 32)
// (the block size is a multiple of 32). min(k, n) addresses are met, the busiest ceil(n / k) times.
static void expect_atomics(wb_judge *judge, unsigned n, unsigned k) {
  wb_judge_counter_is(judge, "global_atomic_lanes", n, "one add per element");
  wb_judge_counter_is(judge, "global_atomic_requests", (n + 31) / 32, "one request per warp");
  wb_judge_counter_is(judge, "global_atomic_addresses", k < n ? k : n, "as many queues as slots");
  wb_judge_counter_is(judge, "global_atomic_max_degree", (n + k - 1) / k, "length of a queue");
  wb_judge_counter_is(judge, "global_load_requests", (n + 31) / 32, "one load per warp");
}

static void lesson_counters(wb_judge *judge) {
  static const unsigned sizes[] = {1, 32, 33, 1000, 1024, 65537};
  static const unsigned slots[] = {1, 32, 1024};
  for (size_t s = 0; s < COUNT(sizes); s++) {
    float *x = wb_judge_host(judge, sizes[s] * sizeof *x);
    wb_fill_floats(WB_INPUT_INTEGERS, x, sizes[s], 1);
    wb_judge_case(judge, "n = %u", sizes[s]);
    run_add(judge, x, sizes[s], 256, true, 0);
    expect_atomics(judge, sizes[s], 1);
    for (size_t k = 0; k < COUNT(slots); k++) {
      wb_judge_release(judge);
      run_slots(judge, sizes[s], slots[k]);
      expect_atomics(judge, sizes[s], slots[k]);
    }
    wb_judge_release(judge);
  }
}
#endif

static const wb_check lesson_checks[] = {
    {"sums", 1, "add_to_one: sizes, block sizes, exact and mixed inputs", NULL, lesson_sums, false},
    {"positions", 1, "add_to_one: every position counts", NULL, lesson_positions, false},
    {"specials", 1, "add_to_one: infinities, NaN, -0", NULL, lesson_specials, false},
    {"bounds", 1, "add_to_one: stays inside its arrays, at any alignment", NULL, lesson_bounds,
     false},
    {"slots", 1, "add_to_slots: floats over k slots", NULL, lesson_slots, false},
    {"ints", 1, "add_ints_to_one: exact", NULL, lesson_ints, false},
    {"sticks", 1, "a float accumulator sticks at 2^24", NULL, lesson_sticks, false},
#ifdef WORKBOOK_SIMT
    {"counters", 1, "atomics, addresses and queue lengths as by hand", NULL, lesson_counters, true},
#endif
};
static const wb_suite lesson = {"00_naive_atomic", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &exercise);
}
