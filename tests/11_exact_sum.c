// SPDX-License-Identifier: MIT
// 11_exact_sum.c - judges lesson 11's exact kernels: the correctly rounded sum, whatever the order,
// the block and the grid. Equal bits are asked for; of a NaN only that it is one.
#include "11_exact_sum.h"
#include "exact_sum_cases.h"

typedef struct exact_kernel {
  const char *signature;
  const exact_format *format;
  unsigned bytes_per_thread; // of shared memory
  unsigned most_threads;
} exact_kernel;

#define OF_FLOATS "(const float *in, float *out, void *state, size_t n)"
enum { GLOBAL, COLUMNS, VECTORS, WINDOW, N_FLOAT_KERNELS, WORDS = N_FLOAT_KERNELS, N_KERNELS };
static const exact_kernel kernels[N_KERNELS] = {
    [GLOBAL] = {"global" OF_FLOATS, &format_float, 0, 1024},
    [COLUMNS] = {"columns(const float *in, unsigned long long *sums, size_t n)", &format_float, 128,
                 352},
    [VECTORS] = {"sum_by_vectors" OF_FLOATS, &format_float, 128, 352},
    [WINDOW] = {"sum_by_window" OF_FLOATS, &format_float, 128, 352},
    [WORDS] = {"sum_of_doubles(const double *in, double *out, void *state, size_t n)",
               &format_double, 528, 64},
};
enum { STATE_BYTES = 1024, SUMS_BYTES = 33 * sizeof(uint64_t) };

typedef struct geometry {
  unsigned grid, block;
} geometry;
static const geometry geometries[] = {{1, 32}, {3, 256}, {2, 96}, {1, 352}, {7, 64}};

typedef struct exact_run_of {
  const exact_kernel *kernel;
  const void *x;
  size_t n;
  uint64_t expected;
  geometry on;
  size_t offset; // of the input, in elements
  const char *about;
} exact_run_of;

static bool is_nan_of(const exact_format *f, uint64_t bits) {
  return (bits & ~(UINT64_C(1) << (8 * f->bytes - 1))) > (uint64_t)f->field_max << f->fraction;
}

static double value_of(const exact_format *f, uint64_t bits) {
  double as_double;
  float as_float;
  uint32_t low = (uint32_t)bits;
  memcpy(&as_double, &bits, sizeof as_double);
  memcpy(&as_float, &low, sizeof as_float);
  return f == &format_float ? (double)as_float : as_double;
}

// `columns` leaves sums that are rounded by a launch of their own.
static void launch(wb_judge *judge, const exact_run_of *r, void *in, void *out, void *state) {
  wb_kernel kernel = wb_judge_kernel(judge, r->kernel->signature);
  size_t n = r->n, shared_bytes = (size_t)r->on.block * r->kernel->bytes_per_thread;
  if (r->kernel != &kernels[COLUMNS]) {
    void *arguments[] = {&in, &out, &state, &n};
    wb_judge_launch(judge, &kernel, r->on.grid, r->on.block, shared_bytes, arguments);
    return;
  }
  wb_kernel round = wb_judge_kernel(
      judge, "round_sums(const unsigned long long *sums, float *out, void *state, size_t n)");
  void *sums = wb_judge_output(judge, "sums", SUMS_BYTES);
  wb_judge_put(judge, sums, wb_judge_host(judge, SUMS_BYTES));
  void *arguments[] = {&in, &sums, &n}, *round_arguments[] = {&sums, &out, &state, &n};
  wb_judge_launch(judge, &kernel, r->on.grid, r->on.block, shared_bytes, arguments);
  wb_judge_launch(judge, &round, 1, LANES, 0, round_arguments);
}

// Twice, since the first launch must leave the state as it was.
static void run(wb_judge *judge, const exact_run_of *r) {
  const exact_format *f = r->kernel->format;
  if (r->on.block > r->kernel->most_threads) return;
  void *zeros = wb_judge_host(judge, STATE_BYTES);
  void *state = wb_judge_output(judge, "state", STATE_BYTES);
  wb_judge_put(judge, state, zeros);
  void *in = wb_judge_input(judge, "in", r->x, r->n * f->bytes, r->offset * f->bytes);
  void *out = wb_judge_output(judge, "out", f->bytes);
  wb_judge_case(judge, "n = %zu, %s", r->n, r->about);
  for (unsigned turn = 0; turn < 2; turn++) {
    launch(judge, r, in, out, state);
    uint64_t got = bits_at(f, wb_judge_get(judge, out), 0);
    if (got != r->expected && !(is_nan_of(f, got) && is_nan_of(f, r->expected)))
      wb_judge_fail(judge, "expected 0x%llx = %.17g, got 0x%llx = %.17g%s",
                    (unsigned long long)r->expected, value_of(f, r->expected),
                    (unsigned long long)got, value_of(f, got),
                    turn > 0 ? " from the second launch" : "");
  }
  if (memcmp(wb_judge_get(judge, state), zeros, STATE_BYTES) != 0)
    wb_judge_fail(judge, "the state is not all zeros after the launches");
}

// --- cases from Python ---

static void run_case(wb_judge *judge, const exact_kernel *kernel, const exact_case *one,
                     const exact_run *runs, size_t which) {
  const exact_format *f = kernel->format;
  size_t n = 0, at = 0;
  for (size_t r = 0; r < one->n_runs; r++) n += runs[one->first + r].count;
  unsigned char *x = wb_judge_host(judge, (n + 1) * f->bytes);
  for (size_t r = 0; r < one->n_runs; r++)
    for (uint32_t k = 0; k < runs[one->first + r].count; k++)
      memcpy(x + f->bytes * at++, &runs[one->first + r].bits, f->bytes);
  exact_run_of r = {.kernel = kernel, .x = x, .n = n, .expected = one->sum_bits};
  r.about = one->name;
  uint64_t own = exact_sum_bits(judge, f, x, n);
  if (own != one->sum_bits)
    wb_judge_fail(judge, "%s: the suite's own reference says 0x%llx", one->name,
                  (unsigned long long)own);
  for (size_t order = 0; order < 2; order++) {
    r.on = geometries[(which + order) % COUNT(geometries)];
    if (r.on.block > kernel->most_threads) r.on.block = kernel->most_threads;
    run(judge, &r);
    shuffle_elements(x, n, f->bytes, which);
  }
  wb_judge_release(judge);
}

static void lesson_cases(wb_judge *judge) {
  for (size_t k = 0; k < N_FLOAT_KERNELS; k++)
    for (size_t c = 0; c < COUNT(float_cases); c++)
      run_case(judge, &kernels[k], &float_cases[c], float_runs, k + c);
}

static void lesson_doubles(wb_judge *judge) {
  for (size_t c = 0; c < COUNT(double_cases); c++)
    run_case(judge, &kernels[WORDS], &double_cases[c], double_runs, c);
}

typedef struct kind {
  unsigned low, high; // exponent fields
  const char *about;
} kind;
static const kind kinds[] = {{0, 254, "every exponent"},
                             {120, 126, "a few exponents: all fit a window"},
                             {110, 140, "30 exponents"},
                             {0, 3, "subnormals and the smallest"},
                             {250, 254, "the largest"}};

// --- the dot product: its products are doubles, whose sum the reference has ---

static void run_dot(wb_judge *judge, const float *a, const float *b, size_t n, geometry on,
                    const char *about) {
  double *products = wb_judge_host(judge, (n + 1) * sizeof *products);
  for (size_t i = 0; i < n; i++) products[i] = (double)a[i] * (double)b[i];
  const uint64_t expected = exact_sum_bits(judge, &format_double, products, n);
  void *zeros = wb_judge_host(judge, STATE_BYTES);
  void *state = wb_judge_output(judge, "state", STATE_BYTES);
  wb_judge_put(judge, state, zeros);
  void *on_a = wb_judge_input(judge, "a", a, n * sizeof *a, 0);
  void *on_b = wb_judge_input(judge, "b", b, n * sizeof *b, 0);
  void *out = wb_judge_output(judge, "out", sizeof(double));
  void *arguments[] = {&on_a, &on_b, &out, &state, &n};
  wb_kernel kernel = wb_judge_kernel(judge, "dot_of_floats(const float *a, const float *b, double "
                                            "*out, void *state, size_t n)");
  wb_judge_case(judge, "n = %zu, %s", n, about);
  wb_judge_launch(judge, &kernel, on.grid, on.block,
                  (size_t)on.block * kernels[WORDS].bytes_per_thread, arguments);
  const uint64_t got = bits_at(&format_double, wb_judge_get(judge, out), 0);
  if (got != expected && !(is_nan_of(&format_double, got) && is_nan_of(&format_double, expected)))
    wb_judge_fail(judge, "expected 0x%llx = %.17g, got 0x%llx = %.17g",
                  (unsigned long long)expected, value_of(&format_double, expected),
                  (unsigned long long)got, value_of(&format_double, got));
  if (memcmp(wb_judge_get(judge, state), zeros, STATE_BYTES) != 0)
    wb_judge_fail(judge, "the state is not all zeros after the launch");
  wb_judge_release(judge);
}

static void lesson_dot(wb_judge *judge) {
  static const float odd[][4] = {// two pairs a[0] b[0], a[1] b[1]: the second is all that is left
                                 {0x1.fffffep127f, 0x1.fffffep127f, 0x1p-149f, 0x1p-149f},
                                 {-0.0f, 1.0f, 0.0f, -3.0f},
                                 {INFINITY, 2.0f, -INFINITY, 3.0f},
                                 {INFINITY, 0.0f, 1.0f, 1.0f},
                                 {INFINITY, -1.0f, 1.0f, 1.0f},
                                 {0x1.000002p0f, 0x1.000002p0f, 0x1p-60f, 0x1p-60f}};
  for (size_t k = 0; k < COUNT(kinds); k++)
    for (size_t g = 0; g < COUNT(geometries); g++) {
      geometry on = geometries[g];
      if (on.block > kernels[WORDS].most_threads) on.block = kernels[WORDS].most_threads;
      const unsigned n = 1003 * (unsigned)(g + 1) + (unsigned)k;
      float *a = floats_between(judge, n, kinds[k].low, kinds[k].high);
      float *b = wb_judge_host(judge, n * sizeof *b);
      memcpy(b, a, n * sizeof *b);
      shuffle_elements(b, n, sizeof *b, g);
      // The second half takes back the first, but for one product.
      for (unsigned i = n / 2; i + 1 < n; i++) a[i] = -a[i - n / 2], b[i] = b[i - n / 2];
      run_dot(judge, a, b, n, on, kinds[k].about);
    }
  for (size_t k = 0; k < COUNT(odd); k++) {
    float a[] = {odd[k][0], odd[k][2], odd[k][0]}, b[] = {odd[k][1], odd[k][3], -odd[k][1]};
    run_dot(judge, a, b, 2, (geometry){1, 32}, "the largest, zeros, infinities");
    run_dot(judge, a, b, 3, (geometry){2, 32}, "the same, and its first product taken back");
  }
  run_dot(judge, (const float[]){0}, (const float[]){0}, 0, (geometry){1, 32}, "nothing");
}

// --- larger inputs, the same bits in every order and on every geometry ---

static void lesson_orders(wb_judge *judge) {
  enum { N = 5003 };
  for (size_t k = 0; k < COUNT(kinds); k++) {
    float *x = floats_between(judge, N, kinds[k].low, kinds[k].high);
    uint64_t expected = exact_sum_bits(judge, &format_float, x, N);
    for (size_t g = 0; g < COUNT(geometries); g++)
      for (size_t j = 0; j < N_FLOAT_KERNELS; j++) {
        x = floats_between(judge, N, kinds[k].low, kinds[k].high);
        for (size_t turn = 0; turn <= g; turn++) shuffle_elements(x, N, sizeof *x, j + turn);
        run(judge, &(exact_run_of){&kernels[j], x, N, expected, geometries[g], 0, kinds[k].about});
        wb_judge_release(judge);
      }
  }
}

static void lesson_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {1, 2, 3, 4, 5, 31, 33, 127, 129, 1023, 1024, 1025, 4099};
  for (size_t s = 0; s < COUNT(sizes); s++) {
    const kind *of = &kinds[s % COUNT(kinds)];
    float *x = floats_between(judge, sizes[s], of->low, of->high);
    uint64_t expected = exact_sum_bits(judge, &format_float, x, sizes[s]);
    for (size_t j = 0; j < N_FLOAT_KERNELS; j++)
      run(judge, &(exact_run_of){&kernels[j], x, sizes[s], expected,
                                 geometries[(s + j) % COUNT(geometries)], 0, of->about});
    wb_judge_release(judge);
  }
}

// More elements for each thread than its columns may take before they are added up.
static void lesson_long(wb_judge *judge) {
  enum { N = 300007 };
  for (size_t j = COLUMNS; j < N_FLOAT_KERNELS; j++) {
    float *x = floats_between(judge, N, 254, 254);
    for (unsigned i = 0; i < N; i++) x[i] = i > 2 * (N / 3) ? -fabsf(x[i]) : 0.25f * fabsf(x[i]);
    x[0] = 0x1.000002p-20f;
    uint64_t expected = exact_sum_bits(judge, &format_float, x, N);
    run(judge, &(exact_run_of){&kernels[j], x, N, expected, {1, 32}, 0, "large, of both signs"});
    for (unsigned i = 1; i < N; i++) x[i] = i % 2 ? 0x1.8p-3f * x[i] : -x[i - 1];
    expected = exact_sum_bits(judge, &format_float, x, N);
    run(judge, &(exact_run_of){&kernels[j], x, N, expected, {1, 32}, 0, "nearly cancelling"});
    wb_judge_release(judge);
  }
}

static void lesson_bounds(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (size_t offset = 0; offset < 5; offset++)
      for (unsigned n = 509; n <= 514; n++) {
        wb_judge_guards(judge, guards);
        float *x = floats_between(judge, n, 100, 130);
        uint64_t expected = exact_sum_bits(judge, &format_float, x, n);
        for (size_t j = 0; j < N_FLOAT_KERNELS; j++)
          run(judge, &(exact_run_of){&kernels[j], x, n, expected, {2, 64}, offset, "offset input"});
        wb_judge_release(judge);
      }
}

#ifdef WORKBOOK_SIMT
static const char *const by_hand = "the hand calculation in tests/11_exact_sum.c says otherwise";

// 4 blocks of 256 threads, 16 elements for each. vectors: one read and one write of the shared
// memory for each element, 2 wavefronts each since they are of 8 bytes; window, where all fit: for
// each 8 elements at most 3 parts of their sum. Both read the columns once more, clear them twice,
// and keep the rounding's few words. No bank conflicts.
static void lesson_counters(wb_judge *judge) {
  enum { GRID = 4, BLOCK = 256, N = GRID * BLOCK * 16, WARPS = GRID * BLOCK / LANES, GROUPS = 16 };
  for (size_t j = VECTORS; j < N_FLOAT_KERNELS; j++) {
    float *x = floats_between(judge, N, 120, 126);
    uint64_t expected = exact_sum_bits(judge, &format_float, x, N);
    run(judge, &(exact_run_of){&kernels[j], x, N, expected, {GRID, BLOCK}, 0, kinds[1].about});
    const simt_counters *c = wb_judge_counters(judge);
    uint64_t adds = j == WINDOW ? 2 * 3 : 16;
    wb_judge_counter_at_most(judge, "shared_load_requests", WARPS * (adds + GROUPS) + 400, by_hand);
    wb_judge_counter_at_most(judge, "shared_store_requests", WARPS * (adds + 2 * GROUPS) + 400,
                             by_hand);
    // Three additions for the low and the high half of each of two groups; one for what was seen.
    wb_judge_counter_at_most(judge, "global_atomic_lanes", GRID * (3 * 2 * 3 + BLOCK / LANES + 1),
                             by_hand);
    if (c->shared_load_wavefronts != c->shared_load_ideal ||
        c->shared_store_wavefronts != c->shared_store_ideal)
      wb_judge_fail(judge, "there are bank conflicts: a thread's counters lie in its own banks");
    wb_judge_release(judge);
  }
}
#endif

static const wb_check lesson_checks[] = {
    {"cases", 1, "ties, subnormals, infinities, cancellation: as Python has them", NULL,
     lesson_cases, false},
    {"doubles", 1, "the same for doubles", NULL, lesson_doubles, false},
    {"dot", 1, "the dot product, rounded once", NULL, lesson_dot, false},
    {"orders", 1, "the same bits in every order, on every geometry", NULL, lesson_orders, false},
    {"sizes", 1, "sizes around those of vectors, warps and tiles", NULL, lesson_sizes, false},
    {"long", 1, "more elements than a column takes", NULL, lesson_long, false},
    {"bounds", 1, "stays inside its arrays, at every offset", NULL, lesson_bounds, false},
#ifdef WORKBOOK_SIMT
    {"counters", 1, "requests and atomics as by hand, no bank conflicts", NULL, lesson_counters,
     true},
#endif
};
static const wb_suite lesson = {"11_exact_sum", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  static const char *const variants[] = {"magnitudes", NULL};
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &exact_exercise);
}
