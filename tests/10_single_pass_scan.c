// SPDX-License-Identifier: MIT
// 10_single_pass_scan.c - judges lesson 10's kernels, or any module that offers exercise 10's kernel
// (stream compaction in one launch).
//
// How a block looks back depends on what the blocks before it have left so far, which no launch can
// be made to repeat. So the suite prepares the words itself: tiles 0 to k - 1 count as done, each
// with a word of the suite's choosing, the ticket counter stands at k, and the launch goes on from
// there. That gives every situation but one, a word not yet there, on every device and under every
// schedule. Launching the tiles in portions shows whether tiles are drawn: block 0 of the second
// launch is not tile 0.
#include "inputs.h"
#include "judge.h"
#include "reference.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { LANES = 32, FIRST_TILE = 16 };
typedef enum flag { NOTHING, OF_TILE, UP_TO_END } flag;

static unsigned tiles_for(unsigned n, unsigned per_tile) {
  unsigned tiles = n / per_tile + (n % per_tile != 0);
  return tiles ? tiles : 1;
}
static bool is_poison(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits == WB_POISON;
}

// --- the exercise: keep_larger ----------------------------------------------------------------

static const char *const signature =
    "keep_larger(const float *in, float *out, unsigned *n_kept, unsigned long long *state, "
    "unsigned n, float t)";

typedef struct compaction {
  unsigned n, block;
  float t;
  unsigned offset;       // of the input, in elements
  unsigned portion;      // blocks a launch; 0: all that are left
  bool tight;            // `out` ends behind the last kept element
  unsigned done;         // tiles that count as done; their elements are nobody's business
  const uint64_t *words; // [done]: what they have left
  const float *x;        // [n], no value twice
  const char *about;
} compaction;

static bool kept(const compaction *one, unsigned i) { return i < one->n && one->x[i] > one->t; }
static unsigned kept_in(const compaction *one, unsigned first, unsigned end) {
  unsigned count = 0;
  for (unsigned i = first; i < end && i < one->n; i++) count += kept(one, i) ? 1 : 0;
  return count;
}
static unsigned kept_in_tile(const compaction *one, unsigned tile) {
  return kept_in(one, tile * one->block, (tile + 1) * one->block);
}

// What the words of the tiles done say about the elements before tile `done`.
static unsigned sum_of_done(const compaction *one) {
  unsigned sum = 0;
  for (unsigned tile = one->done; tile-- > 0;) {
    sum += (unsigned)one->words[tile];
    if (one->words[tile] >> 32 == UP_TO_END) break;
  }
  return sum;
}
static unsigned kept_before_tile(const compaction *one, unsigned tile) {
  return sum_of_done(one) + kept_in(one, one->done * one->block, tile * one->block);
}
// What the word of a tile said when a later one looked: all launched before are at their end.
static unsigned count_of(const compaction *one, unsigned tile, flag *state) {
  *state = tile < one->done ? (flag)(one->words[tile] >> 32) : UP_TO_END;
  return tile < one->done ? (unsigned)one->words[tile]
                          : kept_before_tile(one, tile) + kept_in_tile(one, tile);
}

// --- what went wrong with a look back ---

typedef enum wrong_way {
  NOBODY, NEAREST_ONLY, TO_THE_START, NOT_THE_END, ONLY_32, NOT_NEAREST, FARTHEST_END, LAST_32,
  OWN_TOO, N_WRONG_WAYS
} wrong_way;

static const char *const way_causes[N_WRONG_WAYS] = {
    [NOBODY] = "only the tile itself is counted, not what the tiles before it keep",
    [NEAREST_ONLY] = "only the nearest tile's word is taken, whether it says COUNT_UP_TO_END or not",
    [TO_THE_START] = "the sum goes on behind the nearest COUNT_UP_TO_END, which holds all of that "
                     "already",
    [NOT_THE_END] = "the count of the tile that says COUNT_UP_TO_END is missing",
    [ONLY_32] = "only 32 words are added up; when none of them says COUNT_UP_TO_END, go on",
    [NOT_NEAREST] = "the nearest tile's word is missing: lane 0 looks at tile - 1",
    [FARTHEST_END] = "of several COUNT_UP_TO_END the nearest is the one to stop at",
    [LAST_32] = "what the 32 words before said is forgotten: add to it",
    [OWN_TOO] = "the tile's own count is added too; the tiles *before* it are asked for",
};

// What `tile` would find before it, looking back that way.
static unsigned found(const compaction *one, unsigned tile, wrong_way way) {
  unsigned sum = 0, window = 0, seen = 0, end_sum = 0;
  bool ended = false;
  flag state = NOTHING;
  if (way == NOBODY || tile == 0) return way == OWN_TOO ? kept_in_tile(one, tile) : 0;
  for (unsigned k = tile; k-- > 0; seen++) {
    unsigned count = count_of(one, k, &state);
    if (seen > 0 && seen % LANES == 0) {
      if (way == ONLY_32 || (way == FARTHEST_END && ended)) break;
      window = 0;
    }
    if (way == NEAREST_ONLY) return count;
    if (way == NOT_THE_END && state == UP_TO_END) return sum;
    if (way != NOT_NEAREST || seen > 0) sum += count, window += count;
    if (state == UP_TO_END) ended = true, end_sum = sum;
    if (state == UP_TO_END && way != TO_THE_START && way != FARTHEST_END) break;
  }
  if (way == FARTHEST_END) return end_sum;
  if (way == LAST_32) return window;
  return way == OWN_TOO ? sum + kept_in_tile(one, tile) : sum;
}

static const char *base_cause(const compaction *one, unsigned tile, unsigned base) {
  for (wrong_way way = 0; way < N_WRONG_WAYS; way++)
    if (found(one, tile, way) == base && base != kept_before_tile(one, tile)) return way_causes[way];
  return "how many elements are kept in the tiles before?";
}

// --- what went wrong with the output ---

// Why an element of `tile` is nowhere, and `got` in its place.
static const char *lost_cause(const compaction *one, unsigned tile, unsigned place, float got) {
  if (is_poison(got)) return "nothing is written there. Is the blank filled in yet?";
  for (unsigned i = 0; i < one->n; i++) {
    unsigned first = i / one->block * one->block;
    if (one->x[i] == got && first != tile * one->block && kept_in(one, first, i) == place)
      return "every tile writes from out[0]: what is kept before the tile is not added";
  }
  return "another tile's elements were written over it, or its tile was never taken: blocks draw "
         "their tile, blockIdx.x is not its number";
}

static void fail_at(wb_judge *judge, const compaction *one, const float *got, unsigned room,
                    unsigned i, unsigned place) {
  unsigned at = 0, tile = i / one->block, in_tile = kept_in(one, tile * one->block, i);
  while (at < room && got[at] != one->x[i]) at++;
  if (at == room)
    wb_judge_fail(judge,
                  "in[%u] = %.9g, of tile %u, belongs in out[%u], but is nowhere\nlikely cause: %s",
                  i, (double)one->x[i], tile, place, lost_cause(one, tile, place, got[place]));
  wb_judge_fail(judge, "in[%u] = %.9g, of tile %u, belongs in out[%u], but was written to out[%u]\n"
                       "likely cause: %s",
                i, (double)one->x[i], tile, place, at,
                at < in_tile ? "the place in the tile is wrong" : base_cause(one, tile, at - in_tile));
}

static void judge_output(wb_judge *judge, const compaction *one, const float *got, unsigned room) {
  unsigned first = sum_of_done(one), place = first;
  for (unsigned i = one->done * one->block; i < one->n; i++) {
    if (!kept(one, i)) continue;
    if (got[place] != one->x[i]) fail_at(judge, one, got, room, i, place);
    place++;
  }
  for (unsigned at = 0; at < room; at++)
    if ((at < first || at >= place) && !is_poison(got[at]))
      wb_judge_fail(judge, "out[%u] was written as well: %.9g\nlikely cause: only threads that keep "
                           "their element may write",
                    at, (double)got[at]);
}

// --- what went wrong with the words ---

static void judge_tickets(wb_judge *judge, const compaction *one, uint64_t drawn, unsigned blocks) {
  if (drawn == one->done + blocks) return;
  const char *cause = "each block draws one ticket, with one atomicAdd";
  if (drawn == one->done) cause = "no ticket was drawn: a tile is not the block of that number. Is "
                                  "the blank filled in yet?";
  if (drawn == one->done + (uint64_t)blocks * one->block) cause = "every thread draws; one is to";
  wb_judge_fail(judge, "state[0], the number of tickets drawn: expected %u, got %llu\nlikely cause: %s",
                one->done + blocks, (unsigned long long)drawn, cause);
}

static const char *word_cause(const compaction *one, unsigned tile, flag state, unsigned count) {
  unsigned own = kept_in_tile(one, tile), end = kept_before_tile(one, tile) + own;
  if (state == NOTHING)
    return "it leaves no word, or another tile's place gets it. Is the blank filled in yet?";
  if (state == OF_TILE) return "it never says what is kept up to its end: all behind it look further";
  if (count == end - own) return "its own count is missing: the end is behind the tile";
  if ((tile + 1) * one->block > one->n && count == end + (tile + 1) * one->block - one->n)
    return "threads without an element are counted: they keep nothing";
  return base_cause(one, tile, count - own);
}

static void judge_words(wb_judge *judge, const compaction *one, const uint64_t *state,
                        unsigned end_tile) {
  judge_tickets(judge, one, state[0], end_tile - one->done);
  for (unsigned tile = 0; tile < end_tile; tile++) {
    uint64_t got = state[FIRST_TILE + tile];
    if (tile < one->done) {
      if (got != one->words[tile])
        wb_judge_fail(judge, "the word of tile %u was changed by another tile's block\nlikely cause: "
                             "a tile leaves its word at its own place only", tile);
      continue;
    }
    unsigned expected = kept_before_tile(one, tile) + kept_in_tile(one, tile);
    if (got == ((uint64_t)UP_TO_END << 32 | expected)) continue;
    wb_judge_fail(judge,
                  "the word of tile %u: expected flag %d, count %u; got flag %u, count %u\n"
                  "likely cause: %s",
                  tile, UP_TO_END, expected, (unsigned)(got >> 32), (unsigned)got,
                  word_cause(one, tile, (flag)(got >> 32), (unsigned)got));
  }
}

static void judge_total(wb_judge *judge, const compaction *one, unsigned got, bool is_last) {
  unsigned n_tiles = tiles_for(one->n, one->block), total = kept_before_tile(one, n_tiles);
  if (!is_last && got != WB_POISON)
    wb_judge_fail(judge, "*n_kept was written before the last tile was taken: %u\nlikely cause: the "
                         "last block of a launch need not have the last tile", got);
  if (is_last && got != total)
    wb_judge_fail(judge, "*n_kept: expected %u, got %u\nlikely cause: %s", total, got,
                  got == WB_POISON ? "nothing was written. Is the blank filled in yet?"
                                   : "the last tile writes what is kept up to its end, and no other");
}

// --- one case ---

static void run(wb_judge *judge, const compaction *one) {
  unsigned n = one->n, n_tiles = tiles_for(n, one->block), total = kept_before_tile(one, n_tiles);
  unsigned room = one->tight ? total : 2 * (total + n) + 4096;
  size_t state_bytes = (FIRST_TILE + n_tiles) * sizeof(uint64_t);
  float t = one->t;
  uint64_t *words = wb_judge_host(judge, state_bytes);
  words[0] = one->done;
  for (unsigned tile = 0; tile < one->done; tile++) words[FIRST_TILE + tile] = one->words[tile];
  wb_kernel kernel = wb_judge_kernel(judge, signature);
  void *in = wb_judge_input(judge, "in", one->x, n * sizeof *one->x, one->offset * sizeof(float));
  void *out = wb_judge_output(judge, "out", room * sizeof(float));
  void *n_kept = wb_judge_output(judge, "n_kept", sizeof(unsigned));
  void *state = wb_judge_output(judge, "state", state_bytes);
  void *arguments[] = {&in, &out, &n_kept, &state, &n, &t};
  wb_judge_put(judge, state, words);
  for (unsigned at = one->done; at < n_tiles;) {
    unsigned left = n_tiles - at, grid = one->portion && one->portion < left ? one->portion : left;
    wb_judge_case(judge, "n = %u, t = %.9g, %s%s", n, (double)t, one->about,
                  one->portion ? ", launched in portions" : "");
    wb_judge_launch(judge, &kernel, grid, one->block, 0, arguments);
    at += grid;
    judge_words(judge, one, wb_judge_get(judge, state), at);
    if (at == n_tiles) judge_output(judge, one, wb_judge_get(judge, out), room);
    judge_total(judge, one, *(const unsigned *)wb_judge_get(judge, n_kept), at == n_tiles);
  }
}

// Different values -2^19 … 2^19, in an order that looks like none; n up to 2^20.
static float *different_values(wb_judge *judge, unsigned n) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  unsigned start = (unsigned)wb_judge_seed(judge);
  for (unsigned i = 0; i < n; i++) x[i] = (float)((i * 407717u + start) & 0xfffffu) - 524288.0f;
  return x;
}

static void run_half(wb_judge *judge, compaction one) {
  one.t = 1000.0f, one.about = "about half are kept";
  one.x = different_values(judge, one.n);
  run(judge, &one);
  wb_judge_release(judge);
}

// --- families ---

static const unsigned blocks[] = {256, 32, 96, 64, 512, 1024};

static void check_one_tile(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++) {
    run_half(judge, (compaction){.n = blocks[b], .block = blocks[b]});
    run_half(judge, (compaction){.n = blocks[b] / 2 + 1, .block = blocks[b]});
    run_half(judge, (compaction){.n = 1, .block = blocks[b]});
    run_half(judge, (compaction){.n = 0, .block = blocks[b]});
  }
}

static void check_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {257, 1023, 1024, 1025, 2048, 7919};
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (size_t s = 0; s < COUNT(sizes); s++)
      run_half(judge, (compaction){.n = sizes[s], .block = blocks[b]});
  run_half(judge, (compaction){.n = 65537, .block = 128});
}

static void check_portions(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (unsigned portion = 1; portion < 8; portion += 2)
      run_half(judge, (compaction){.n = 11 * blocks[b] - 5, .block = blocks[b], .portion = portion});
}

// Tiles 0 to done - 1 have left words, of which tile `end` and those before say COUNT_UP_TO_END.
static void run_prepared(wb_judge *judge, unsigned done, unsigned end, unsigned block) {
  compaction one = {.n = (done + 2) * block - 7, .block = block, .done = done, .t = 1000.0f};
  uint64_t *words = wb_judge_host(judge, done * sizeof *words);
  unsigned sum = 0;
  for (unsigned tile = 0; tile < done; tile++) {
    unsigned count = 1 + (unsigned)(wb_random(wb_judge_seed(judge), tile) % block);
    sum += count;
    words[tile] = tile <= end ? (uint64_t)UP_TO_END << 32 | sum : (uint64_t)OF_TILE << 32 | count;
  }
  char about[100];
  snprintf(about, sizeof about, "%u tiles done, COUNT_UP_TO_END up to tile %u", done, end);
  one.words = words, one.about = about, one.x = different_values(judge, one.n);
  run(judge, &one);
  wb_judge_release(judge);
}

static void check_look_back(wb_judge *judge) {
  run_prepared(judge, 70, 30, 64); // where every wrong way comes to a sum of its own
  run_prepared(judge, 20, 15, 64);
  for (unsigned done = 1; done < 40; done++)
    for (unsigned end = 0; end < done; end += 1 + done / 8) run_prepared(judge, done, end, 64);
  for (unsigned distance = 1; distance <= 100; distance++)
    run_prepared(judge, 101, 101 - distance, distance % 2 ? 32 : 96);
}

static void check_all_or_nothing(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (unsigned n = blocks[b] - 3; n < 4 * blocks[b]; n += blocks[b]) {
      compaction one = {.n = n, .block = blocks[b], .t = -1e6f, .about = "all are kept"};
      one.x = different_values(judge, n);
      run(judge, &one);
      one.t = 1e6f, one.about = "none is kept";
      run(judge, &one);
      wb_judge_release(judge);
    }
}

static void check_specials(wb_judge *judge) {
  static const float specials[] = {NAN, -INFINITY, INFINITY, 1000.0f};
  for (size_t v = 0; v < COUNT(specials); v++)
    for (unsigned at = 0; at < 300; at += 23) {
      compaction one = {.n = 300, .block = 64, .t = 1000.0f,
                        .about = "with a NaN, an infinity, or one that equals t"};
      float *x = different_values(judge, one.n);
      x[at] = specials[v];
      one.x = x;
      run(judge, &one);
      wb_judge_release(judge);
    }
}

static void check_bounds(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (unsigned n = 191; n <= 193; n++) {
        wb_judge_guards(judge, guards);
        run_half(judge, (compaction){.n = n, .block = 64, .offset = offset, .tight = true});
      }
}

#ifdef WORKBOOK_SIMT
// One tile, not the last one, that keeps nothing: it stores two words, and loads its elements and as
// many lots of 32 words as it takes to come to the end.
static void run_effort(wb_judge *judge, unsigned distance, unsigned block) {
  enum { DONE = 120 };
  uint64_t *words = wb_judge_host(judge, (FIRST_TILE + DONE + 2) * sizeof *words);
  words[0] = DONE;
  for (unsigned tile = 0; tile < DONE; tile++)
    words[FIRST_TILE + tile] = (uint64_t)(tile + distance <= DONE ? UP_TO_END : OF_TILE) << 32 | 1u;
  compaction one = {.n = (DONE + 2) * block, .block = block, .done = DONE, .t = 1e6f};
  one.words = words + FIRST_TILE, one.x = different_values(judge, one.n);
  unsigned n = one.n, lots = (distance + LANES - 1) / LANES;
  wb_kernel kernel = wb_judge_kernel(judge, signature);
  void *in = wb_judge_input(judge, "in", one.x, n * sizeof *one.x, 0);
  void *out = wb_judge_output(judge, "out", 64), *n_kept = wb_judge_output(judge, "n_kept", 4);
  void *state = wb_judge_output(judge, "state", (FIRST_TILE + DONE + 2) * sizeof *words);
  void *arguments[] = {&in, &out, &n_kept, &state, &n, &one.t};
  wb_judge_put(judge, state, words);
  wb_judge_case(judge, "the nearest COUNT_UP_TO_END is %u tiles back", distance);
  wb_judge_launch(judge, &kernel, 1, block, 0, arguments);
  judge_words(judge, &one, wb_judge_get(judge, state), DONE + 1);
  wb_judge_counter_is(judge, "global_store_requests", 2,
                      "likely cause: a tile leaves two words, COUNT_OF_TILE as soon as it can and "
                      "COUNT_UP_TO_END later; it does not wait in silence");
  wb_judge_counter_at_most(judge, "global_load_requests", block / LANES + lots + 1,
                           "likely cause: 32 lanes look at 32 words at once, the sum is done at the "
                           "nearest COUNT_UP_TO_END, and one warp is enough");
  wb_judge_counter_at_most(judge, "block_barriers", 4, "likely cause: a barrier in a loop");
  wb_judge_release(judge);
}

static void check_effort(wb_judge *judge) {
  for (unsigned distance = 1; distance <= 96; distance += distance < 30 ? 6 : 1)
    for (unsigned block = 32; block <= 1024; block *= 4) run_effort(judge, distance, block);
}
#endif

static const wb_check exercise_checks[] = {
    {"one_tile", 15, "one tile, full or not, or empty",
     "Take one block of 32 threads. Which ticket does it draw? What stands before tile 0?",
     check_one_tile, false},
    {"sizes", 15, "many tiles, 32 to 1024 threads",
     "Tile 1 finds one word before it. What does it say, and what does tile 1 leave?", check_sizes,
     false},
    {"portions", 15, "tiles are drawn, whichever block comes first",
     "Which of the two numbers tells the tile, blockIdx.x or the ticket?", check_portions, false},
    {"look_back", 20, "any words before it, up to 100 tiles back",
     "Write down five words: (end, 7) (tile, 2) (tile, 0) (tile, 3), and you. What is before you?",
     check_look_back, false},
    {"all_or_nothing", 10, "all are kept, and none", NULL, check_all_or_nothing, false},
    {"specials", 5, "NaN, infinities, and elements that equal t", "x > t, and nothing else.",
     check_specials, false},
    {"bounds", 10, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
#ifdef WORKBOOK_SIMT
    {"effort", 10, "two words a tile, 32 looked at together", NULL, check_effort, true},
#endif
};
static const wb_suite exercise = {"10_single_pass_scan", exercise_checks, COUNT(exercise_checks)};

// --- the lesson's own kernels -----------------------------------------------------------------

typedef struct pass {
  const char *signature;
  unsigned rows;  // of 4 elements a thread
  bool ints;
  bool one_tile;  // leaves each tile's sum instead of looking back
  unsigned reach; // how many tiles back the nearest UP_TO_END may be
} pass;

#define SCAN(name) name "(const float *in, float *out, unsigned long long *state, unsigned n)"
enum { TILE_SUMS, CHAINED, ONE_BY_ONE, WINDOW, VECTORS, VECTOR_INTS, N_PASSES };
static const pass passes[N_PASSES] = {
    {"tile_sums(const float *in, float *out, float *sums, unsigned n)", 4, .one_tile = true},
    {SCAN("chained"), 4, .reach = 1},
    {SCAN("one_by_one"), 4, .reach = 1000},
    {SCAN("window"), 4, .reach = 32},
    {SCAN("vectors"), 4, .reach = 32},
    {"vector_ints(const int *in, int *out, unsigned long long *state, unsigned n)", 4, .ints = true,
     .reach = 32},
};
static unsigned tile_of(const pass *p, unsigned block) { return p->rows * 4 * block; }

typedef struct scan_case {
  unsigned n, block, offset;
  bool exact;            // integer-valued
  bool in_place;         // the output is the input
  unsigned portion;      // blocks a launch; 0: all that are left
  unsigned done;         // tiles that count as done
  const uint64_t *words; // [done], without the number of the launch
  double before;         // what they come to
  uint32_t launch;       // number of the launch
  const float *x;
  const char *about;
} scan_case;

// In a tile: 3 in a thread, 5 in a warp, its rows, 5 for the warps, 2 for what is before.
static double deepest(const pass *p, const scan_case *one) {
  return 15.0 + p->rows + (p->one_tile ? 0 : tiles_for(one->n, tile_of(p, one->block)));
}

static uint64_t word_of(const pass *p, double value, flag state) {
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
  bool right = isnan(expected)   ? isnan(got)
               : isinf(expected) ? got == expected
                                 : fabs(got - expected) <= (one->exact ? 0.0 : bound);
  if (!right)
    wb_judge_fail(judge, "%s[%u]: expected %.9g, got %.9g (bound %.3g)", array, index, expected, got,
                  one->exact ? 0.0 : bound);
}

static void judge_state(wb_judge *judge, const scan_case *one, const uint64_t *state, unsigned tiles,
                        unsigned at) {
  uint64_t drawn = at < tiles ? (uint64_t)one->launch << 32 | at : (uint64_t)(one->launch + 1) << 32;
  if (state[0] != drawn)
    wb_judge_fail(judge, "state[0]: expected %#llx, got %#llx: the launch in the upper half, the "
                         "tickets drawn in the lower", (unsigned long long)drawn,
                  (unsigned long long)state[0]);
  for (unsigned tile = one->done; tile < at; tile++)
    if ((uint32_t)state[FIRST_TILE + tile] != (one->launch << 2 | UP_TO_END))
      wb_judge_fail(judge, "the word of tile %u is not that of the end, in launch %u: %#llx", tile,
                    one->launch, (unsigned long long)state[FIRST_TILE + tile]);
}

// `last`: the state or the sums.
static void judge_scan(wb_judge *judge, const pass *p, const scan_case *one, const void *out,
                       const void *last) {
  unsigned tile = tile_of(p, one->block);
  double sum = one->before, sum_abs = fabs(one->before), per_abs = wb_bound_sum(deepest(p, one), 1.0);
  for (unsigned t = one->done; t < tiles_for(one->n, tile); t++) {
    if (p->one_tile) sum = sum_abs = 0.0;
    for (unsigned i = t * tile; i < (t + 1) * tile && i < one->n; i++) {
      sum += (double)one->x[i], sum_abs += fabs((double)one->x[i]);
      judge_value(judge, one, "out", i, sum, per_abs * sum_abs, value_at(p, out, i));
    }
    double left = p->one_tile ? value_at(p, last, t)
                              : value_in(p, ((const uint64_t *)last)[FIRST_TILE + t]);
    judge_value(judge, one, p->one_tile ? "sums" : "word", t, sum, per_abs * sum_abs, left);
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
  for (unsigned t = 0; t < tiles; t++) // what a launch before has left says nothing
    state[FIRST_TILE + t] = t < one->done ? one->words[t] | one->launch << 2
                            : one->launch ? (uint64_t)(one->launch - 1) << 2 | UP_TO_END : 0;
  return state;
}

// Returns the output, on the host.
static const void *run_scan(wb_judge *judge, const pass *p, const scan_case *one) {
  unsigned n = one->n, tiles = tiles_for(n, tile_of(p, one->block));
  wb_kernel kernel = wb_judge_kernel(judge, p->signature);
  const void *data = host_input(judge, p, one);
  void *out = wb_judge_output(judge, "out", n * sizeof(float)), *in = out;
  void *last = p->one_tile ? wb_judge_output(judge, "sums", tiles * sizeof(float))
                           : wb_judge_output(judge, "state", (FIRST_TILE + tiles) * sizeof(uint64_t));
  if (one->in_place) wb_judge_put(judge, out, data);
  else in = wb_judge_input(judge, "in", data, n * sizeof(float), one->offset * sizeof(float));
  if (!p->one_tile) wb_judge_put(judge, last, first_state(judge, one, tiles));
  void *arguments[] = {&in, &out, &last, &n};
  for (unsigned at = one->done; at < tiles;) {
    unsigned left = tiles - at, grid = one->portion && one->portion < left ? one->portion : left;
    wb_judge_case(judge, "n = %u, launch %u, %u tiles done, %s", n, one->launch, at, one->about);
    wb_judge_launch(judge, &kernel, grid, one->block, 0, arguments);
    at += grid;
    if (!p->one_tile) judge_state(judge, one, wb_judge_get(judge, last), tiles, at);
  }
  const void *got = wb_judge_get(judge, out);
  judge_scan(judge, p, one, got, wb_judge_get(judge, last));
  return got;
}

static float *integers(wb_judge *judge, unsigned n) {
  float *x = wb_judge_host(judge, n * sizeof *x);
  wb_fill_float_range(x, n, -100, 100, wb_random(wb_judge_seed(judge), n));
  return x;
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
  for (size_t k = 0; k < VECTOR_INTS; k++)
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
      float *x = wb_judge_host(judge, N * sizeof *x);
      x[hot] = (float)(hot + 1);
      run_scan(judge, &passes[k], &(scan_case){.n = N, .block = 32, .exact = true, .x = x,
                                               .about = "all zero but one"});
      wb_judge_release(judge);
    }
}

// What comes before a NaN or an infinity must not notice.
static void lesson_specials(wb_judge *judge) {
  static const float specials[] = {NAN, INFINITY, -INFINITY, -0.0f};
  for (size_t k = 0; k < VECTOR_INTS; k++)
    for (size_t v = 0; v < COUNT(specials); v++)
      for (unsigned at = 0; at < 2048; at += 157) {
        float *x = integers(judge, 2048);
        x[at] = specials[v];
        run_scan(judge, &passes[k], &(scan_case){.n = 2048, .block = 32, .exact = true, .x = x,
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

// Block 0 of the second launch is not tile 0; and no launch minds what an earlier one has left.
static void lesson_launches(wb_judge *judge) {
  static const uint32_t launches[] = {0, 1, 2, 1000, 0x3fffffff};
  for (size_t k = CHAINED; k < N_PASSES; k++)
    for (size_t i = 0; i < COUNT(launches); i++)
      for (unsigned portion = 0; portion < 6; portion += 2)
        run_integers(judge, &passes[k], (scan_case){.n = 7 * 512 - 3, .block = 32, .portion = portion,
                                                    .launch = launches[i]});
}

// `done` tiles have left integers; tile done - distance and those before it know all up to their end.
static scan_case prepare(wb_judge *judge, const pass *p, unsigned done, unsigned distance) {
  scan_case one = {.block = 32, .exact = true, .done = done, .launch = distance % 5,
                   .about = "looking back at what was prepared"};
  uint64_t *words = wb_judge_host(judge, done * sizeof *words);
  for (unsigned t = 0; t < done; t++) {
    double own = (double)(1 + wb_random(wb_judge_seed(judge), t) % 1000);
    one.before += own;
    words[t] = t + distance <= done ? word_of(p, one.before, UP_TO_END) : word_of(p, own, OF_TILE);
  }
  one.n = (done + 2) * tile_of(p, one.block) - 7;
  one.words = words, one.x = integers(judge, one.n);
  return one;
}

static void lesson_look_back(wb_judge *judge) {
  for (size_t k = CHAINED; k < N_PASSES; k++)
    for (unsigned done = 1; done < 70; done += 1 + done / 4)
      for (unsigned distance = 1; distance <= done && distance <= passes[k].reach; distance++) {
        scan_case one = prepare(judge, &passes[k], done, distance);
        run_scan(judge, &passes[k], &one);
        wb_judge_release(judge);
      }
}

// `done` tiles whose sums are fractions, added up from left to right, each addition rounded.
static scan_case prepare_fractions(wb_judge *judge, const pass *p, unsigned done, unsigned distance) {
  scan_case one = {.n = (done + 1) * tile_of(p, LANES), .block = LANES, .done = done,
                   .about = "fractions, the nearest end further and further back"};
  float *x = wb_judge_host(judge, one.n * sizeof *x);
  uint64_t *words = wb_judge_host(judge, done * sizeof *words);
  volatile float sum = 0.0f;
  wb_fill_floats(WB_INPUT_MIXED, x, one.n, wb_judge_seed(judge));
  for (unsigned t = 0; t < done; t++) {
    float own = x[t] / 3.0f;
    sum = sum + own;
    words[t] = t + distance <= done ? word_of(p, (double)sum, UP_TO_END)
                                    : word_of(p, (double)own, OF_TILE);
  }
  one.words = words, one.before = (double)sum, one.x = x;
  return one;
}

// Wherever the nearest end is, the additions are the same ones in the same order.
static void lesson_same_bits(wb_judge *judge) {
  enum { DONE = 40, MOST = 4096 };
  static float first[MOST];
  for (size_t k = WINDOW; k <= VECTORS; k++)
    for (unsigned distance = 1; distance <= LANES; distance++) {
      scan_case one = prepare_fractions(judge, &passes[k], DONE, distance);
      unsigned begin = DONE * tile_of(&passes[k], LANES), count = one.n - begin;
      const float *got = (const float *)run_scan(judge, &passes[k], &one) + begin;
      if (distance == 1) memcpy(first, got, count * sizeof *first);
      for (unsigned i = 0; i < count; i++)
        if (memcmp(&first[i], &got[i], sizeof *got) != 0)
          wb_judge_fail(judge, "out[%u] is %.9g when the nearest end is 1 tile back, and %.9g at %u",
                        begin + i, (double)first[i], (double)got[i], distance);
      wb_judge_release(judge);
    }
}

#ifdef WORKBOOK_SIMT
static const char *const by_hand = "the hand calculation in tests/10_single_pass_scan.c says otherwise";

// 5 whole tiles of B = 32 W threads with R rows, one after the other.
//
// Bytes: each element once in and once out. Words besides: a tile after the first finds the end in
// the word before it (chained, one_by_one: a load of one word by all 32 lanes; window and vectors:
// the lanes that have a tile before them, 0 + 1 + 2 + 3 + 4 of them), and leaves 2 words, chained 1.
//
// Requests of `vectors`: R a warp, of sixteen bytes a lane; the others take 4 R. Shuffles: 5 to scan
// a row, 2 to pass it on, for R rows and W warps; 5 + 2 for the sums of the warps; window and
// vectors 32 more to add up. One ticket a tile, and a second addition by the last one of the launch.
static void lesson_counters(wb_judge *judge) {
  enum { TILES = 5 };
  static const unsigned words_in[N_PASSES] = {0, 4 * 32, 4 * 32, 10, 10, 10};
  static const unsigned words_out[N_PASSES] = {0, TILES, 2 * TILES, 2 * TILES, 2 * TILES, 2 * TILES};
  for (unsigned block = 32; block <= 1024; block *= 4)
    for (size_t k = CHAINED; k < N_PASSES; k++) {
      const pass *p = &passes[k];
      uint64_t warps = block / LANES, n = TILES * tile_of(p, block);
      scan_case one = {.n = (unsigned)n, .block = block, .exact = true, .about = "5 whole tiles"};
      one.x = integers(judge, one.n);
      run_scan(judge, p, &one);
      wb_judge_counter_is(judge, "global_load_bytes", 4 * n + 8 * words_in[k], by_hand);
      wb_judge_counter_is(judge, "global_store_bytes", 4 * n + 8 * words_out[k], by_hand);
      uint64_t shuffles = 7 * (p->rows * warps + 1) + (k >= WINDOW ? LANES : 0);
      wb_judge_counter_is(judge, "shuffles", TILES * shuffles, by_hand);
      wb_judge_counter_is(judge, "global_atomic_lanes", TILES + 1, by_hand);
      wb_judge_counter_is(judge, "block_barriers", TILES * 3, by_hand);
      if (k >= VECTORS)
        wb_judge_counter_is(judge, "global_store_requests", TILES * (p->rows * warps + 2), by_hand);
      wb_judge_release(judge);
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
    {"look_back", 1, "any words before it", NULL, lesson_look_back, false},
    {"same_bits", 1, "the same bits wherever the nearest end is", NULL, lesson_same_bits, false},
#ifdef WORKBOOK_SIMT
    {"counters", 1, "one read and one write an element; words and shuffles as by hand", NULL,
     lesson_counters, true},
#endif
};
static const wb_suite lesson = {"10_single_pass_scan", lesson_checks, COUNT(lesson_checks)};

int main(int argc, char **argv) { return wb_judge_main(argc, argv, &lesson, &exercise); }
