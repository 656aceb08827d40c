// SPDX-License-Identifier: MIT
// 11_exact_sum_exercise.c - judges any module that offers exercise 11's kernel: the
// superaccumulator. Its sums are whole numbers, so that equality is asked for. What went wrong is
// found by adding up on the host in the wrong ways that are likely, until one gives what the kernel
// gave.
#include "11_exact_sum.h"

enum { GROUPS = 16 };
#define MOST_OF_ONE (INT64_C(1) << 40) // 24 bits, shifted by 15
static const unsigned blocks[] = {256, 32, 96, 64, 384};

typedef struct sum_case {
  unsigned n, grid, block, offset;
  const float *x; // [n]
  const char *about;
} sum_case;

// What one element is counted as, rightly or in one of the wrong ways.
typedef enum way {
  RIGHT,
  NO_LEADING_ONE,
  SUBNORMALS_LEAD,
  SUBNORMALS_HALVED,
  WRONG_SIGN,
  NO_SHIFT,
  SHIFTED_AS_INT,
  SUM_AS_INT,
  SHIFTED_BY_FIELD,
  FIRST_GROUP_ONLY,
  FIRST_ROUND_ONLY,
  FIRST_WARP,
  NOT_LAST_WARP,
  FIRST_BLOCK,
  EVERY_LANE,
  N_WAYS
} way;

static const char *const reasons[N_WAYS] = {
    [NO_LEADING_ONE] = "the leading 1 of the significand is missing: 2^23 + fraction",
    [SUBNORMALS_LEAD] = "a subnormal (exponent field 0) has no leading 1",
    [SUBNORMALS_HALVED] = "a subnormal counts as field 1: its significand is 2 * fraction",
    [WRONG_SIGN] = "negative elements are added; they are to be subtracted",
    [NO_SHIFT] = "the significand is not shifted by e % 16",
    [SHIFTED_AS_INT] = "the significand is shifted in 32 bits and loses its upper ones: shift a "
                       "long long",
    [SUM_AS_INT] =
        "the sum over the columns has 32 bits and loses its upper ones: it takes a long long",
    [SHIFTED_BY_FIELD] = "the significand is shifted by more than e % 16",
    [FIRST_GROUP_ONLY] = "only as many groups are added up as the block has warps: each warp takes "
                         "a group after the other",
    [FIRST_ROUND_ONLY] = "each thread counts one element; let it walk on, a whole grid at a time",
    [FIRST_WARP] = "of each counter only the first 32 columns are added up: as many columns as "
                   "threads",
    [NOT_LAST_WARP] = "the columns of the block's last warp are missing",
    [FIRST_BLOCK] = "the sums of one block replace those of the others: add to them",
    [EVERY_LANE] = "every lane of the warp adds the sum, 32 times; one of them is enough",
};

static const char *reason_of(way w) {
  return w == WRONG_SIGN && sums_magnitudes()
             ? "negative elements are subtracted; their magnitudes are to be added"
             : reasons[w];
}

static int64_t counted_as(way w, float x, unsigned *group) {
  uint32_t bits, fraction;
  memcpy(&bits, &x, sizeof bits);
  fraction = bits & 0x7fffffu;
  unsigned e = bits >> 23 & 255;
  int64_t significand = e != 0 ? (1 << 23) + (int64_t)fraction : 2 * (int64_t)fraction;
  if (w == NO_LEADING_ONE && e != 0) significand = fraction;
  if (w == SUBNORMALS_LEAD && e == 0) significand = (1 << 23) + (int64_t)fraction;
  if (w == SUBNORMALS_HALVED && e == 0) significand = fraction;
  int64_t shifted = significand * (INT64_C(1) << e % 16);
  if (w == NO_SHIFT) shifted = significand;
  if (w == SHIFTED_AS_INT) shifted = (int32_t)(uint32_t)(uint64_t)shifted;
  if (w == SHIFTED_BY_FIELD) shifted = (int64_t)((uint64_t)significand << (e % 64));
  *group = e / 16;
  const bool subtracts = sums_magnitudes() == (w == WRONG_SIGN); // what is negative
  return bits >> 31 && subtracts ? -shifted : shifted;
}

// The sum of a group as the kernel would leave it if it went wrong in this way.
static int64_t sum_as(const sum_case *one, way w, const int64_t *before, unsigned group) {
  unsigned size = one->grid * one->block;
  uint64_t sum = (uint64_t)before[group]; // wraps as the device's sums do
  uint64_t added = 0;
  for (unsigned i = 0; i < one->n; i++) {
    unsigned g, thread = i % one->block, block = i % size / one->block;
    int64_t v = counted_as(w, one->x[i], &g);
    if (g != group || (w == FIRST_ROUND_ONLY && i >= size)) continue;
    if (w == FIRST_GROUP_ONLY && g >= one->block / LANES) continue;
    if (w == FIRST_WARP && thread >= LANES) continue;
    if (w == NOT_LAST_WARP && thread >= one->block - LANES) continue;
    if (w == FIRST_BLOCK && block != one->grid - 1) continue;
    added += (uint64_t)v;
  }
  if (w == FIRST_BLOCK) sum = 0;
  return (int64_t)(sum + (w == EVERY_LANE ? LANES * added : added));
}

// The same where each block's sum has 32 bits.
static int64_t sum_of_ints(const sum_case *one, const int64_t *before, unsigned group) {
  const unsigned size = one->grid * one->block;
  uint64_t sum = (uint64_t)before[group];
  for (unsigned block = 0; block < one->grid; block++) {
    uint64_t added = 0;
    for (unsigned i = 0; i < one->n; i++) {
      unsigned g;
      const int64_t v = counted_as(RIGHT, one->x[i], &g);
      if (g == group && i % size / one->block == block) added += (uint64_t)v;
    }
    sum += (uint64_t)(int64_t)(int32_t)(uint32_t)added;
  }
  return (int64_t)sum;
}

static bool fits(const sum_case *one, way w, const int64_t *before, const int64_t *got) {
  for (unsigned g = 0; g < GROUPS; g++) {
    const int64_t would_be =
        w == SUM_AS_INT ? sum_of_ints(one, before, g) : sum_as(one, w, before, g);
    if (would_be != got[g]) return false;
  }
  return true;
}

// Of one element the significand is the sum: other checks tell which of the two lost its bits.
static const wb_why lost_bits = {WB_CAUSE_NONE,
                                 "the upper bits are lost: the significand is shifted, or the "
                                 "sum over the columns is kept, in 32 bits",
                                 NULL};

// One element: what it is made of, and what it added. No text: more than any element makes.
static wb_why cause_of_one(const sum_case *one, const int64_t *before, const int64_t *got) {
  static char text[240];
  unsigned group, at = 0;
  uint32_t bits;
  memcpy(&bits, one->x, sizeof bits);
  const int64_t wanted = counted_as(RIGHT, *one->x, &group);
  while (at < GROUPS && got[at] == before[at]) at++;
  const int64_t added = (int64_t)((uint64_t)got[at] - (uint64_t)before[at]);
  if (added <= -MOST_OF_ONE || added >= MOST_OF_ONE) return (wb_why){.text = NULL};
  snprintf(text, sizeof text,
           "the element has sign %u, exponent field %u and fraction 0x%06x: it counts as %lld in "
           "counter %u, and %lld was added to counter %u",
           bits >> 31, bits >> 23 & 255, bits & 0x7fffff, (long long)wanted, group,
           (long long)added, at);
  return WB_WHY_NEXT(text, "work these three out by hand from its bits: which of them is it?");
}

static wb_why cause_of(const sum_case *one, const int64_t *before, const int64_t *got) {
  bool unchanged = true;
  for (unsigned g = 0; g < GROUPS; g++) unchanged &= got[g] == before[g];
  if (unchanged) return WB_UNFILLED("nothing was added to the sums. Is the blank filled in yet?");
  if (fits(one, SHIFTED_AS_INT, before, got) && fits(one, SUM_AS_INT, before, got))
    return lost_bits;
  for (way w = RIGHT + 1; w < N_WAYS; w++)
    if (fits(one, w, before, got)) return WB_WHY(reason_of(w));
  const wb_why of_one =
      one->n == 1 && one->grid == 1 ? cause_of_one(one, before, got) : (wb_why){.text = NULL};
  if (of_one.text) return of_one;
  return WB_WHY("is every column 0 before the first element, complete before it is added up, and "
                "added once?");
}

static void judge_sums(wb_judge *judge, const sum_case *one, const int64_t *before,
                       const int64_t *got) {
  for (unsigned g = 0; g < GROUPS; g++) {
    int64_t expected = sum_as(one, RIGHT, before, g);
    if (got[g] != expected)
      wb_judge_fail_why(judge, cause_of(one, before, got), "sums[%u]: expected %lld, got %lld", g,
                        (long long)expected, (long long)got[g]);
  }
}

static void run(wb_judge *judge, const sum_case *one) {
  wb_kernel kernel =
      wb_judge_kernel(judge, "add_exactly(const float *in, long long *sums, unsigned n)");
  int64_t before[GROUPS];
  for (unsigned g = 0; g < GROUPS; g++) before[g] = 1000000007 * ((int64_t)g - 7);
  unsigned n = one->n;
  void *in = wb_judge_input(judge, "in", one->x, n * sizeof *one->x, one->offset * sizeof(float));
  void *sums = wb_judge_output(judge, "sums", sizeof before);
  wb_judge_put(judge, sums, before);
  void *arguments[] = {&in, &sums, &n};
  wb_judge_case(judge, "n = %u, %s", n, one->about);
  wb_judge_launch(judge, &kernel, one->grid, one->block,
                  (size_t)GROUPS * one->block * sizeof(int64_t), arguments);
  judge_sums(judge, one, before, wb_judge_get(judge, sums));
}

static void run_between(wb_judge *judge, sum_case one, unsigned low, unsigned high) {
  one.x = floats_between(judge, one.n, low, high);
  run(judge, &one);
  wb_judge_release(judge);
}

// --- families ---

static void check_one_element(wb_judge *judge) {
  static const unsigned fields[] = {0, 1, 7, 14, 15}; // of the 16 whose sum is the same
  for (unsigned group = 0; group < GROUPS; group++)
    for (size_t f = 0; f < COUNT(fields); f++) {
      const unsigned e = 16 * group + fields[f];
      if (e > 0 && e < 255)
        run_between(judge, (sum_case){.n = 1, .grid = 1, .block = 32, .about = "one element"}, e,
                    e);
    }
}

static void check_subnormals(wb_judge *judge) {
  for (unsigned n = 1; n < 100; n += 7) {
    sum_case one = {.n = n, .grid = 1, .block = 64, .about = "subnormals"};
    run_between(judge, one, 0, 0);
    one.about = "subnormals and the smallest normal numbers";
    run_between(judge, one, 0, 2);
  }
}

static void check_one_block(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (unsigned turns = 1; turns < 4; turns++)
      run_between(
          judge,
          (sum_case){
              .n = turns * blocks[b], .grid = 1, .block = blocks[b], .about = "every exponent"},
          0, 254);
}

static void check_tails(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++) {
    unsigned block = blocks[b], tails[] = {0, 1, block - 1, block + 1, 3 * block - 5};
    for (size_t t = 0; t < COUNT(tails); t++)
      run_between(judge,
                  (sum_case){.n = tails[t], .grid = 1, .block = block, .about = "30 exponents"},
                  110, 140);
  }
}

static void check_grids(wb_judge *judge) {
  for (unsigned grid = 1; grid < 8; grid += 2)
    for (size_t b = 0; b < COUNT(blocks); b++)
      run_between(judge,
                  (sum_case){.n = 2 * grid * blocks[b] + 17,
                             .grid = grid,
                             .block = blocks[b],
                             .about = "every exponent, several blocks"},
                  0, 254);
}

static void check_positions(wb_judge *judge) {
  enum { N = 110 };
  for (unsigned hot = 0; hot < N; hot++) {
    float *x = wb_judge_host(judge, N * sizeof *x);
    char about[48];
    x[hot] = hot % 2 ? -1.5f : 0x1.8p-70f;
    snprintf(about, sizeof about, "all 0 but in[%u]", hot);
    run(judge, &(sum_case){.n = N, .grid = 1, .block = 96, .x = x, .about = about});
    wb_judge_release(judge);
  }
}

// One exponent and one sign: what 63 bits must hold.
static void check_large(wb_judge *judge) {
  enum { N = 1 << 16 };
  float *x = wb_judge_host(judge, N * sizeof *x);
  for (unsigned i = 0; i < N; i++) x[i] = -0x1.fffffep127f;
  run(judge, &(sum_case){.n = N, .grid = 1, .block = 256, .x = x, .about = "all -3.4e38"});
}

static void check_bounds(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (unsigned n = 191; n <= 193; n++) {
        wb_judge_guards(judge, guards);
        run_between(judge,
                    (sum_case){.n = n,
                               .grid = 2,
                               .block = 64,
                               .offset = offset,
                               .about = "every exponent, offset input"},
                    0, 254);
      }
}

#ifdef WORKBOOK_SIMT
static void check_effort(wb_judge *judge) {
  enum { GRID = 3 };
  for (unsigned block = 32; block <= 256; block *= 2) {
    run_between(
        judge,
        (sum_case){.n = 8 * GRID * block, .grid = GRID, .block = block, .about = "every exponent"},
        0, 254);
    const simt_counters *c = wb_judge_counters(judge);
    wb_judge_cost_at_most(judge, "global_atomic_lanes", GRID * GROUPS,
                          "each block adds one sum per group; add its columns up first");
    if (c->shared_load_wavefronts != c->shared_load_ideal ||
        c->shared_store_wavefronts != c->shared_store_ideal)
      wb_judge_fail_why(judge,
                        WB_COST("lanes use the same bank for different counters: neighbouring "
                                "threads' counters of a group lie side by side"),
                        "there are bank conflicts");
    wb_judge_cost_at_most(judge, "shared_atomic_lanes", 0,
                          "a thread's column is its own, so no atomic is needed there");
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_element", 15, "one element, of every exponent",
     "Write the bits of 1.5 down: sign 0, field 127, fraction 0x400000.", check_one_element, false},
    {"subnormals", 10, "numbers without a leading 1", "What is the value of the bits 0x00000001?",
     check_subnormals, false},
    {"one_block", 15, "one block, every exponent and both signs",
     "How many counters does a thread have, and how many columns has the block?", check_one_block,
     false},
    {"tails", 10, "n that is no multiple of the block, and 0", NULL, check_tails, false},
    {"grids", 15, "several blocks add to the same sums", NULL, check_grids, false},
    {"every_position", 10, "each element reaches its sum", NULL, check_positions, false},
    {"large", 5, "65,536 of the largest", NULL, check_large, false},
    {"bounds", 10, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
#ifdef WORKBOOK_SIMT
    {"effort", 10, "16 additions to global memory per block, no bank conflicts", NULL, check_effort,
     true},
#endif
};
const wb_suite exact_exercise = {"11_exact_sum", exercise_checks, COUNT(exercise_checks)};
