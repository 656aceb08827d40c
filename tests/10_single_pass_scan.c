// SPDX-License-Identifier: MIT
// 10_single_pass_scan.c - judges lesson 10's kernels. Every result has an error bound of its own,
// by the longest chain of additions up to it, and integers are exact.
#include "10_single_pass_scan.h"

typedef struct pass {
  const char *signature;
  unsigned rows;  // of 4 elements per thread
  unsigned reach; // how many tiles back the nearest inclusive prefix may be; or groups back
  bool ints;
  bool one_tile; // stores each tile's sum instead of looking back
  bool plain;    // words without the number of the launch: the state is reset before each
  bool ahead;    // a block takes tile after tile, until none is left
  bool groups;   // of 32 tiles: only the last of one publishes an inclusive prefix
} pass;

#define SCAN(name) name "(const float *in, float *out, unsigned long long *state, unsigned n)"
enum {
  TILE_SUMS,
  CHAINED,
  PLAIN,
  ONE_BY_ONE,
  WINDOW,
  VECTORS,
  FEW_VECTORS,
  AHEAD,
  GROUPS,
  GROUPS_INTS,
  N_PASSES
};
static const pass passes[N_PASSES] = {
    {"tile_sums(const float *in, float *out, float *sums, unsigned n)", 4, .one_tile = true},
    {SCAN("chained"), 4, .reach = 1},
    {SCAN("plain"), 1, .reach = 1000, .plain = true},
    {SCAN("one_by_one"), 4, .reach = 1000},
    {SCAN("window"), 4, .reach = 64},
    {SCAN("vectors"), 8, .reach = 64},
    {SCAN("few_vectors"), 2, .reach = 64},
    {SCAN("ahead"), 8, .reach = 64, .ahead = true},
    {SCAN("groups"), 8, .reach = 4, .ahead = true, .groups = true},
    {"groups_ints(const int *in, int *out, unsigned long long *state, unsigned n)", 8, .reach = 4,
     .ints = true, .ahead = true, .groups = true},
};
static unsigned tile_of(const pass *p, unsigned block) { return p->rows * 4 * block; }

// What tile t publishes last.
static status last_of(const pass *p, unsigned t) {
  return p->groups && t % LANES < LANES - 1 ? AGGREGATE : INCLUSIVE_PREFIX;
}

typedef struct scan_case {
  unsigned n, block, offset;
  bool exact;            // integer-valued
  bool in_place;         // the output is the input
  unsigned portion;      // blocks per launch; 0: all that are left
  unsigned done;         // tiles that count as done
  const uint64_t *words; // [done], without the number of the launch
  double before;         // what they come to
  double before_abs;     // and their magnitudes
  uint32_t launch;       // number of the launch
  const float *x;
  const char *about;
} scan_case;

// In a tile: 3 in a thread, 5 in a warp, its rows, 5 for the warps, 2 for what is before; and one
// for each tile before, or 7 within a group and one for each group.
static double deepest(const pass *p, const scan_case *one) {
  unsigned tiles = parts_for(one->n, tile_of(p, one->block));
  return 15.0 + p->rows + (p->one_tile ? 0 : p->groups ? 7 + tiles / LANES : tiles);
}

static uint64_t word_of(const pass *p, double value, status state) {
  float as_float = (float)value;
  uint32_t bits = (uint32_t)(int32_t)value;
  if (!p->ints) memcpy(&bits, &as_float, sizeof bits);
  return (uint64_t)bits << 32 | state;
}
static double value_at(const pass *p, const void *array, unsigned i) {
  return p->ints ? (double)((const int32_t *)array)[i] : (double)((const float *)array)[i];
}
static double value_in(const pass *p, uint64_t word) {
  uint32_t bits = (uint32_t)(word >> 32);
  return value_at(p, &bits, 0);
}

static void judge_value(wb_judge *judge, const scan_case *one, const char *array, unsigned index,
                        double expected, double bound, double got) {
  bound = one->exact ? 0.0 : bound;
  if (!is_right(expected, got, bound))
    wb_judge_fail(judge, "%s[%u]: expected %.9g, got %.9g (bound %.3g)", array, index, expected,
                  got, bound);
}

static void judge_state(wb_judge *judge, const pass *p, const scan_case *one, const uint64_t *state,
                        unsigned tiles, unsigned at) {
  uint64_t drawn =
      at < tiles || p->plain ? (uint64_t)one->launch << 32 | at : (uint64_t)(one->launch + 1) << 32;
  if (state[0] != drawn)
    wb_judge_fail(judge,
                  "state[0]: expected %#llx, got %#llx: the launch in the upper half, the "
                  "tickets drawn in the lower",
                  (unsigned long long)drawn, (unsigned long long)state[0]);
  for (unsigned tile = one->done; tile < at; tile++)
    if ((uint32_t)state[FIRST_TILE + tile] != (one->launch << 2 | last_of(p, tile)))
      wb_judge_fail(judge, "the status word of tile %u is not its %s, in launch %u: %#llx", tile,
                    last_of(p, tile) == AGGREGATE ? "aggregate" : "inclusive prefix", one->launch,
                    (unsigned long long)state[FIRST_TILE + tile]);
}

// `last`: the state or the sums.
static void judge_scan(wb_judge *judge, const pass *p, const scan_case *one, const void *out,
                       const void *last) {
  const uint64_t *words = (const uint64_t *)last + FIRST_TILE; // but for one_tile
  unsigned tile = tile_of(p, one->block), tiles = parts_for(one->n, tile);
  double sum = one->before, sum_abs = one->before_abs, per_abs = wb_bound_sum(deepest(p, one), 1.0);
  for (unsigned t = one->done; t < tiles; t++) {
    double own = 0.0;
    if (p->one_tile) sum = sum_abs = 0.0;
    for (unsigned i = t * tile; i < (t + 1) * tile && i < one->n; i++) {
      own += (double)one->x[i], sum += (double)one->x[i], sum_abs += fabs((double)one->x[i]);
      judge_value(judge, one, "out", i, sum, per_abs * sum_abs, value_at(p, out, i));
    }
    double left = p->one_tile ? value_at(p, last, t) : value_in(p, words[t]);
    judge_value(judge, one, p->one_tile ? "sums" : "status word", t,
                last_of(p, t) == AGGREGATE ? own : sum, per_abs * sum_abs, left);
  }
}

static const void *host_input(wb_judge *judge, const pass *p, const scan_case *one) {
  int32_t *ints = wb_judge_host(judge, one->n * sizeof *ints);
  for (unsigned i = 0; p->ints && i < one->n; i++) ints[i] = (int32_t)one->x[i];
  return p->ints ? (const void *)ints : (const void *)one->x;
}

static uint64_t *first_state(wb_judge *judge, const scan_case *one, unsigned tiles) {
  uint64_t *state = wb_judge_host(judge, (FIRST_TILE + tiles) * sizeof *state);
  state[0] = (uint64_t)one->launch << 32 | one->done;
  for (unsigned t = 0; t < tiles; t++) // words of an earlier launch are invalid
    state[FIRST_TILE + t] = t < one->done ? one->words[t] | one->launch << 2
                            : one->launch ? (uint64_t)(one->launch - 1) << 2 | INCLUSIVE_PREFIX
                                          : 0;
  return state;
}

// Dynamic shared memory of a launch: `ahead` keeps a tile there, more than a kernel may have
// unasked.
static size_t shared_bytes(wb_judge *judge, const pass *p, const wb_kernel *kernel,
                           unsigned block) {
  size_t size_bytes = p->ahead ? tile_of(p, block) * sizeof(float) : 0;
  if (size_bytes > 0 && cudaFuncSetAttribute((const void *)kernel->handle,
                                             cudaFuncAttributeMaxDynamicSharedMemorySize,
                                             (int)size_bytes) != cudaSuccess)
    wb_judge_fail(judge, "%zu bytes of shared memory are more than the device has", size_bytes);
  return size_bytes;
}

// Returns the output, on the host.
static const void *run_scan(wb_judge *judge, const pass *p, const scan_case *one) {
  unsigned n = one->n, tiles = parts_for(n, tile_of(p, one->block));
  wb_kernel kernel = wb_judge_kernel(judge, p->signature);
  const void *data = host_input(judge, p, one);
  void *out = wb_judge_output(judge, "out", n * sizeof(float)), *in = out;
  void *last = p->one_tile
                   ? wb_judge_output(judge, "sums", tiles * sizeof(float))
                   : wb_judge_output(judge, "state", (FIRST_TILE + tiles) * sizeof(uint64_t));
  if (one->in_place) wb_judge_put(judge, out, data);
  else in = wb_judge_input(judge, "in", data, n * sizeof(float), one->offset * sizeof(float));
  if (!p->one_tile) wb_judge_put(judge, last, first_state(judge, one, tiles));
  void *arguments[] = {&in, &out, &last, &n};
  for (unsigned at = one->done; at < tiles;) {
    unsigned left = tiles - at, grid = one->portion && one->portion < left ? one->portion : left;
    wb_judge_case(judge, "n = %u, launch %u, %u tiles done, %s", n, one->launch, at, one->about);
    wb_judge_launch(judge, &kernel, grid, one->block, shared_bytes(judge, p, &kernel, one->block),
                    arguments);
    at = p->ahead ? tiles : at + grid;
    if (!p->one_tile) judge_state(judge, p, one, wb_judge_get(judge, last), tiles, at);
  }
  const void *got = wb_judge_get(judge, out);
  judge_scan(judge, p, one, got, wb_judge_get(judge, last));
  return got;
}

static void run_integers(wb_judge *judge, const pass *p, scan_case one) {
  one.x = integers(judge, one.n), one.exact = true, one.about = "integers of both signs";
  run_scan(judge, p, &one);
  wb_judge_release(judge);
}

static void lesson_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {1024, 0, 1, 2, 31, 32, 33, 511, 512, 513, 1025, 4097, 16385};
  for (size_t k = 0; k < N_PASSES; k++)
    for (size_t b = 0; b < COUNT(blocks); b++)
      for (size_t i = 0; i < COUNT(sizes); i++)
        run_integers(judge, &passes[k], (scan_case){.n = sizes[i], .block = blocks[b]});
}

static void lesson_mixed(wb_judge *judge) {
  for (size_t k = 0; k < GROUPS_INTS; k++)
    for (unsigned block = 32; block <= 1024; block *= 2) {
      scan_case one = {.n = 41 * block + 5, .block = block, .about = "fractions of both signs"};
      float *x = wb_judge_host(judge, one.n * sizeof *x);
      wb_fill_floats(WB_INPUT_MIXED, x, one.n, wb_judge_seed(judge));
      one.x = x;
      run_scan(judge, &passes[k], &one);
      wb_judge_release(judge);
    }
}

static void lesson_positions(wb_judge *judge) {
  enum { N = 1300 };
  for (size_t k = 0; k < N_PASSES; k++)
    for (unsigned hot = 0; hot < N; hot += hot < 140 ? 1 : 13) {
      float *x = one_hot(judge, N, hot);
      run_scan(
          judge, &passes[k],
          &(scan_case){.n = N, .block = 32, .exact = true, .x = x, .about = "all zero but one"});
      wb_judge_release(judge);
    }
}

// From here on lesson 09's checks again, with other kernels, sizes and blocks: those that cross a
// tile's boundary here. A check is read alone, so they are not made from one template.

// What comes before a NaN or an infinity must not notice.
static void lesson_specials(wb_judge *judge) {
  for (size_t k = 0; k < GROUPS_INTS; k++)
    for (size_t v = 0; v < COUNT(special_values); v++)
      for (unsigned at = 0; at < 2048; at += 157) {
        float *x = integers(judge, 2048);
        x[at] = special_values[v];
        run_scan(judge, &passes[k],
                 &(scan_case){.n = 2048,
                              .block = 32,
                              .exact = true,
                              .x = x,
                              .about = "a NaN, an infinity or -0"});
        wb_judge_release(judge);
      }
}

static void lesson_bounds(wb_judge *judge) {
  for (size_t k = 0; k < N_PASSES; k++)
    for (int guards = 0; guards < 2; guards++)
      for (unsigned offset = 0; offset < 5; offset++)
        for (unsigned n = 1021; n <= 1026; n++) {
          wb_judge_guards(judge, guards);
          run_integers(judge, &passes[k], (scan_case){.n = n, .block = 64, .offset = offset});
        }
}

static void lesson_in_place(wb_judge *judge) {
  for (size_t k = 0; k < N_PASSES; k++)
    for (unsigned n = 0; n < 9000; n += 1333)
      run_integers(judge, &passes[k], (scan_case){.n = n, .block = 64, .in_place = true});
}

// Block 0 of the second launch is not tile 0; and no launch reads what an earlier one has
// published.
static void lesson_launches(wb_judge *judge) {
  static const uint32_t launches[] = {0, 1, 2, 1000, 0x3fffffff};
  for (size_t k = CHAINED; k < N_PASSES; k++)
    for (size_t i = 0; i < (passes[k].plain ? 1 : COUNT(launches)); i++)
      for (unsigned portion = 0; portion < 6; portion += 2)
        run_integers(
            judge, &passes[k],
            (scan_case){.n = 7 * 512 - 3, .block = 32, .portion = portion, .launch = launches[i]});
}

static void run_order(wb_judge *judge) {
  for (size_t k = CHAINED; k < N_PASSES; k++)
    for (unsigned tiles = 2; tiles < 70; tiles = 3 * tiles - 1)
      run_integers(judge, &passes[k],
                   (scan_case){.n = tiles * tile_of(&passes[k], 32) - 9, .block = 32});
}
static void lesson_reverse(wb_judge *judge) {
  schedule_by("reverse");
  run_order(judge);
}
static void lesson_at_once(wb_judge *judge) {
  schedule_by("random:1");
  run_order(judge);
}

// A butterfly of 32 lanes, in floats.
static float sum_of_group(const float *own) {
  float sums[LANES], next[LANES];
  memcpy(sums, own, sizeof sums);
  for (unsigned d = LANES / 2; d > 0; d /= 2) {
    for (unsigned i = 0; i < LANES; i++) next[i] = sums[i] + sums[i ^ d];
    memcpy(sums, next, sizeof sums);
  }
  return sums[0];
}

// `done` tiles have published `own`, integers or fractions. Tile done - distance and those before
// it have inclusive prefixes; of groups, number done / 32 - distance and those before it. Each
// addition is rounded to a float, which changes no integer.
static void prepare_words(wb_judge *judge, const pass *p, scan_case *one, unsigned distance,
                          const float *own) {
  unsigned unit = p->groups ? LANES : 1, units = one->done / unit;
  uint64_t *words = wb_judge_host(judge, one->done * sizeof *words);
  volatile float sum = 0.0f; // up to the end of a unit, a tile or a group
  one->before_abs = 0.0;
  for (unsigned t = 0; t < one->done; t++) {
    words[t] = word_of(p, (double)own[t], AGGREGATE);
    one->before_abs += fabs((double)own[t]);
  }
  for (unsigned u = 0; u < units; u++) {
    sum = sum + (p->groups ? sum_of_group(own + u * unit) : own[u]);
    if (u + distance <= units)
      words[(u + 1) * unit - 1] = word_of(p, (double)sum, INCLUSIVE_PREFIX);
  }
  one->words = words;
  one->before = (double)sum;
  for (unsigned t = units * unit; t < one->done; t++) one->before += (double)own[t];
}

static scan_case prepare(wb_judge *judge, const pass *p, unsigned done, unsigned distance) {
  scan_case one = {.block = 32,
                   .exact = true,
                   .done = done,
                   .launch = p->plain ? 0 : distance % 5,
                   .about = "looking back at what was prepared"};
  float *own = wb_judge_host(judge, done * sizeof *own);
  for (unsigned t = 0; t < done; t++)
    own[t] = (float)(1 + wb_random(wb_judge_seed(judge), t) % 1000);
  prepare_words(judge, p, &one, distance, own);
  one.n = (done + 2) * tile_of(p, one.block) - 7;
  one.x = integers(judge, one.n);
  return one;
}

static void look_back_from(wb_judge *judge, const pass *p, unsigned done, unsigned distance) {
  scan_case one = prepare(judge, p, done, distance);
  run_scan(judge, p, &one);
  wb_judge_release(judge);
}
static void lesson_look_back(wb_judge *judge) {
  for (size_t k = CHAINED; k < GROUPS; k++)
    for (unsigned done = 1; done < 80; done += 1 + done / 4)
      for (unsigned distance = 1; distance <= done && distance <= passes[k].reach; distance++)
        look_back_from(judge, &passes[k], done, distance);
}
static void lesson_groups(wb_judge *judge) {
  static const unsigned some[] = {1,  2,  30, 31,  32,  33,  63,  64,
                                  65, 95, 96, 127, 128, 129, 160, 200};
  for (size_t k = GROUPS; k < N_PASSES; k++)
    for (size_t i = 0; i < COUNT(some); i++)
      for (unsigned distance = 1; distance <= passes[k].reach; distance++)
        look_back_from(judge, &passes[k], some[i], distance);
}

// `done` tiles whose sums are fractions.
static scan_case prepare_fractions(wb_judge *judge, const pass *p, unsigned done,
                                   unsigned distance) {
  scan_case one = {.n = (done + 1) * tile_of(p, LANES),
                   .block = LANES,
                   .done = done,
                   .about = "fractions, the nearest prefix further and further back"};
  float *x = wb_judge_host(judge, one.n * sizeof *x),
        *own = wb_judge_host(judge, done * sizeof *own);
  wb_fill_floats(WB_INPUT_MIXED, x, one.n, wb_judge_seed(judge));
  for (unsigned t = 0; t < done; t++) own[t] = x[t] / 3.0f;
  prepare_words(judge, p, &one, distance, own);
  one.x = x;
  return one;
}

// Wherever the nearest inclusive prefix is, the additions are the same ones in the same order.
static void lesson_same_bits(wb_judge *judge) {
  enum { MOST = 4096 };
  static float first[MOST];
  for (size_t k = WINDOW; k <= GROUPS; k++) {
    unsigned done = passes[k].groups ? 10 * LANES + 9 : 70;
    unsigned ends = passes[k].groups ? done / LANES : done;
    for (unsigned distance = 1; distance <= passes[k].reach && distance <= ends; distance++) {
      scan_case one = prepare_fractions(judge, &passes[k], done, distance);
      unsigned begin = done * tile_of(&passes[k], LANES), count = one.n - begin;
      const float *got = (const float *)run_scan(judge, &passes[k], &one) + begin;
      if (distance == 1) memcpy(first, got, count * sizeof *first);
      for (unsigned i = 0; i < count; i++)
        if (memcmp(&first[i], &got[i], sizeof *got) != 0)
          wb_judge_fail(judge,
                        "out[%u] is %.9g when the nearest prefix is 1 tile back, and %.9g at %u",
                        begin + i, (double)first[i], (double)got[i], distance);
      wb_judge_release(judge);
    }
  }
}

#ifdef WORKBOOK_SIMT
static const char *const by_hand =
    "the hand calculation in tests/10_single_pass_scan.c says otherwise";

// 5 whole tiles of B = 32 W threads with R rows, one after the other.
//
// Bytes: each element once in and once out. Status words besides: a tile after the first finds an
// inclusive prefix in the word before it (chained, plain, one_by_one: a load of one word by all 32
// lanes; the others: by the lanes that have a tile before them, 0 + 1 + 2 + 3 + 4 of them), and
// publishes twice, chained and those in groups once: 5 tiles make no whole group.
//
// Stores: R per warp, of sixteen bytes per lane, and 4 R for those without vectors. Shuffles: 5 to
// scan a row, 2 to pass it on (plain: 1), for R rows and W warps; 5 + 2 for the sums of the warps;
// 32 to add up a window of words, or 5 for a group and 1 for the prefix. Barriers: one for the
// ticket, 2 for the tile. Of `ahead` one block takes all 5: 3 for each time round but the last,
// when there is no next tile: 2. Tickets: one per tile, one more for a block of `ahead` that finds
// none left; and the block that draws the last adds once more, but for plain, which is reset.
static void run_counters(wb_judge *judge, const pass *p, unsigned block, unsigned load_words,
                         unsigned store_words, unsigned shuffles) {
  enum { TILES = 5 };
  uint64_t warps = block / LANES, n = TILES * tile_of(p, block);
  uint64_t per_row = p->plain ? 6 : 7; // shuffles, per warp
  scan_case one = {.n = (unsigned)n, .block = block, .exact = true, .about = "5 whole tiles"};
  if (p->ahead) one.portion = 1;
  one.x = integers(judge, one.n);
  run_scan(judge, p, &one);
  wb_judge_counter_is(judge, "global_load_bytes", 4 * n + 8 * load_words, by_hand);
  wb_judge_counter_is(judge, "global_store_bytes", 4 * n + 8 * store_words, by_hand);
  wb_judge_counter_is(judge, "shuffles", TILES * (per_row * p->rows * warps + 7 + shuffles),
                      by_hand);
  wb_judge_counter_is(judge, "global_atomic_lanes",
                      TILES + (p->plain ? 0u : 1u) + (p->ahead ? 1u : 0u), by_hand);
  wb_judge_counter_is(judge, "block_barriers", p->ahead ? 1 + TILES * 3 + 2 : TILES * 3, by_hand);
  wb_judge_counter_is(judge, "global_store_requests",
                      TILES * p->rows * warps * (p - passes < VECTORS ? 4 : 1) + store_words,
                      by_hand);
  wb_judge_release(judge);
}

static void lesson_counters(wb_judge *judge) {
  for (unsigned block = 32; block <= 1024; block *= 4) {
    run_counters(judge, &passes[CHAINED], block, 4 * 32, 5, 0);
    run_counters(judge, &passes[PLAIN], block, 4 * 32, 10, 0);
    run_counters(judge, &passes[ONE_BY_ONE], block, 4 * 32, 10, 0);
    for (size_t k = WINDOW; k < GROUPS; k++) run_counters(judge, &passes[k], block, 10, 10, LANES);
    for (size_t k = GROUPS; k < N_PASSES; k++) run_counters(judge, &passes[k], block, 10, 5, 6);
  }
}
#endif

static const wb_check lesson_checks[] = {
    {"sizes", 1, "sizes and block sizes, exact", NULL, lesson_sizes, false},
    {"mixed", 1, "fractions of both signs, within each element's bound", NULL, lesson_mixed, false},
    {"positions", 1, "every element reaches all results behind it", NULL, lesson_positions, false},
    {"specials", 1, "NaN, infinities, -0", NULL, lesson_specials, false},
    {"bounds", 1, "stays inside its arrays, input unchanged", NULL, lesson_bounds, false},
    {"in_place", 1, "in and out may be one array", NULL, lesson_in_place, false},
    {"launches", 1, "in portions, and after other launches, without a reset", NULL, lesson_launches,
     false},
    {"reverse", 1, "the last block begins", NULL, lesson_reverse, false},
    {"at_once", 1, "blocks run side by side and wait for each other", NULL, lesson_at_once, false},
    {"look_back", 1, "any status words before it", NULL, lesson_look_back, false},
    {"groups", 1, "the same by groups of tiles", NULL, lesson_groups, false},
    {"same_bits", 1, "the same bits wherever the nearest prefix is", NULL, lesson_same_bits, false},
#ifdef WORKBOOK_SIMT
    {"counters", 1, "one read and one write an element; words and shuffles as by hand", NULL,
     lesson_counters, true},
#endif
};
static const wb_suite lesson = {"10_single_pass_scan", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) {
  static const char *const variants[] = {"below", NULL};
  wb_judge_offers(variants);
  return wb_judge_main(argc, argv, &lesson, &single_pass_exercise);
}
