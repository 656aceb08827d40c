// SPDX-License-Identifier: MIT
// 10_single_pass_scan_exercise.c - judges any module that offers exercise 10's kernel, stream
// compaction in one launch. Values are copied, so that equality is asked for; inputs have no value
// twice, so that a misplaced element can be traced to where it came from. The status words
// are judged first: the first wrong one says what was done wrong in looking back.
#include "10_single_pass_scan.h"

#define PARAMETERS                                                                                 \
  "(const float *in, float *out, unsigned *n_kept, unsigned long long *state, unsigned n, float "  \
  "t)"
static const char *signature(void) {
  return keeps_smaller() ? "keep_smaller" PARAMETERS : "keep_larger" PARAMETERS;
}

typedef struct compaction {
  unsigned n, block;
  float t;
  unsigned offset;       // of the input, in elements
  unsigned portion;      // blocks per launch; 0: all that are left
  bool tight;            // `out` ends behind the last kept element
  unsigned done;         // tiles that count as done; their elements are not looked at
  const uint64_t *words; // [done]: what they have published
  const float *x;        // [n], no value twice
  const char *about;
} compaction;

static bool kept(const compaction *one, unsigned i) {
  return i < one->n && is_kept(one->x[i], one->t);
}
static unsigned kept_in(const compaction *one, unsigned first, unsigned end) {
  unsigned count = 0;
  for (unsigned i = first; i < end && i < one->n; i++) count += kept(one, i) ? 1 : 0;
  return count;
}
static unsigned kept_in_tile(const compaction *one, unsigned tile) {
  return kept_in(one, tile * one->block, (tile + 1) * one->block);
}

// What the status words of the tiles done say about the elements before tile `done`.
static unsigned sum_of_done(const compaction *one) {
  unsigned sum = 0;
  for (unsigned tile = one->done; tile-- > 0;) {
    sum += (unsigned)one->words[tile];
    if (one->words[tile] >> 32 == INCLUSIVE_PREFIX) break;
  }
  return sum;
}
static unsigned kept_before_tile(const compaction *one, unsigned tile) {
  return sum_of_done(one) + kept_in(one, one->done * one->block, tile * one->block);
}
// The status word of a tile when a later one reads it: all launched before have ended.
static unsigned count_of(const compaction *one, unsigned tile, status *state) {
  *state = tile < one->done ? (status)(one->words[tile] >> 32) : INCLUSIVE_PREFIX;
  return tile < one->done ? (unsigned)one->words[tile]
                          : kept_before_tile(one, tile) + kept_in_tile(one, tile);
}

// --- what went wrong with a look back ---

typedef enum wrong_way {
  NO_TILE,
  NEAREST_ONLY,
  TO_THE_START,
  NOT_THE_END,
  ONLY_32,
  NOT_NEAREST,
  FARTHEST_END,
  LAST_32,
  OWN_TOO,
  N_WRONG_WAYS
} wrong_way;

static const char *const way_causes[N_WRONG_WAYS] = {
    [NO_TILE] = "only the tile itself is counted, not what the tiles before it keep",
    [NEAREST_ONLY] =
        "only the nearest tile's word is taken, whether it is an INCLUSIVE_PREFIX or not",
    [TO_THE_START] = ("the sum goes on beyond the nearest INCLUSIVE_PREFIX, which holds all of "
                      "that already"),
    [NOT_THE_END] = "the count of the nearest INCLUSIVE_PREFIX is missing",
    [ONLY_32] = "only 32 words are added up; when none of them is an INCLUSIVE_PREFIX, go on",
    [NOT_NEAREST] = "the nearest tile's word is missing: lane 0 reads that of tile - 1",
    [FARTHEST_END] = "of several INCLUSIVE_PREFIX the nearest is the one to stop at",
    [LAST_32] = "the sum of the nearer 32 words is forgotten: add to it",
    [OWN_TOO] = "the tile's own count is added too; the tiles *before* it are asked for",
};

// What `tile` would find before it, looking back that way.
static unsigned found(const compaction *one, unsigned tile, wrong_way way) {
  unsigned sum = 0, window = 0, seen = 0, end_sum = 0;
  bool ended = false;
  status state = INVALID;
  if (way == NO_TILE || tile == 0) return way == OWN_TOO ? kept_in_tile(one, tile) : 0;
  for (unsigned k = tile; k-- > 0; seen++) {
    unsigned count = count_of(one, k, &state);
    if (seen > 0 && seen % LANES == 0) {
      if (way == ONLY_32 || (way == FARTHEST_END && ended)) break;
      window = 0;
    }
    if (way == NEAREST_ONLY) return count;
    if (way == NOT_THE_END && state == INCLUSIVE_PREFIX) return sum;
    if (way != NOT_NEAREST || seen > 0) sum += count, window += count;
    if (state == INCLUSIVE_PREFIX) ended = true, end_sum = sum;
    if (state == INCLUSIVE_PREFIX && way != TO_THE_START && way != FARTHEST_END) break;
  }
  if (way == FARTHEST_END) return end_sum;
  if (way == LAST_32) return window;
  return way == OWN_TOO ? sum + kept_in_tile(one, tile) : sum;
}

static const char *base_cause(const compaction *one, unsigned tile, unsigned base) {
  for (wrong_way way = 0; way < N_WRONG_WAYS; way++)
    if (found(one, tile, way) == base && base != kept_before_tile(one, tile))
      return way_causes[way];
  if (base > kept_before_tile(one, tile))
    return "more is added up than the tiles before keep: up to the nearest INCLUSIVE_PREFIX, and "
           "nothing from beyond it";
  return "how many elements are kept in the tiles before? A word that is INVALID yet is to be "
         "read again";
}

// Whether one mistake alone explains what was found before `tile`, where all words that it looks at
// were there before the launch.
static bool is_known(const compaction *one, unsigned tile, unsigned base) {
  unsigned n = 0;
  for (wrong_way way = 0; way < N_WRONG_WAYS; way++) n += found(one, tile, way) == base ? 1 : 0;
  return n == 1 && tile == one->done && base != 0 && base != kept_before_tile(one, tile);
}

// Whether exactly what some neighbouring tiles keep is missing, and more was found behind them:
// they had not published anything when they were asked. (One tile, the nearest, may be skipped
// always.)
static bool did_not_wait(const compaction *one, unsigned tile, unsigned base) {
  const unsigned expected = kept_before_tile(one, tile);
  for (unsigned first = one->done > 0 ? one->done : 1; first < tile; first++) {
    unsigned missing = 0;
    for (unsigned end = first; end < tile; end++) {
      missing += kept_in_tile(one, end);
      if (missing > 0 && base + missing == expected && first + 1 < tile) return true;
    }
  }
  return false;
}

// --- what went wrong with the output ---

// Why an element of `tile` is nowhere, and `got` in its place.
static wb_why lost_cause(const compaction *one, unsigned tile, unsigned place, float got) {
  if (is_poison(got)) return WB_UNFILLED("nothing is written there. Is the blank filled in yet?");
  for (unsigned i = 0; i < one->n; i++) {
    unsigned first = i / one->block * one->block;
    if (one->x[i] == got && first != tile * one->block && kept_in(one, first, i) == place)
      return WB_WHY("every tile writes from out[0]: what is kept before the tile is not added");
  }
  return WB_WHY(
      "another tile's elements were written over it, or its tile was never taken: blocks draw "
      "their tile, blockIdx.x is not its number");
}

static void fail_at(wb_judge *judge, const compaction *one, const float *got, unsigned room,
                    unsigned i, unsigned place) {
  unsigned at = 0, tile = i / one->block, in_tile = kept_in(one, tile * one->block, i);
  while (at < room && got[at] != one->x[i]) at++;
  if (at == room)
    wb_judge_fail_why(judge, lost_cause(one, tile, place, got[place]),
                      "in[%u] = %.9g, of tile %u, belongs in out[%u], but is nowhere", i,
                      (double)one->x[i], tile, place);
  wb_judge_fail_why(
      judge,
      WB_WHY(at < in_tile ? "the place in the tile is wrong" : base_cause(one, tile, at - in_tile)),
      "in[%u] = %.9g, of tile %u, belongs in out[%u], but was written to out[%u]", i,
      (double)one->x[i], tile, place, at);
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
      wb_judge_fail_why(judge, WB_WHY("only threads that keep their element may write"),
                        "out[%u] was written as well: %.9g", at, (double)got[at]);
}

// --- what went wrong with the status words ---

static void judge_tickets(wb_judge *judge, const compaction *one, uint64_t drawn,
                          unsigned n_blocks) {
  if (drawn == one->done + n_blocks) return;
  wb_why why = WB_WHY("each block draws one ticket, with one atomicAdd");
  if (drawn == one->done)
    why = WB_UNFILLED("no ticket was drawn: a tile is not the block of that number. Is the blank "
                      "filled in yet?");
  if (drawn == one->done + (uint64_t)n_blocks * one->block)
    why = WB_WHY("every thread draws; one is to");
  wb_judge_fail_why(judge, why, "state[0], the number of tickets drawn: expected %u, got %llu",
                    one->done + n_blocks, (unsigned long long)drawn);
}

static wb_why word_cause(const compaction *one, unsigned tile, status state, unsigned count) {
  unsigned own = kept_in_tile(one, tile), end = kept_before_tile(one, tile) + own;
  if (state == INVALID)
    return WB_UNFILLED(
        "it publishes nothing, or in another tile's word. Is the blank filled in yet?");
  if (state == AGGREGATE)
    return WB_WHY("it never publishes its inclusive prefix: all tiles after it look further back");
  if (count == end - own)
    return WB_WHY("the aggregate of the tile itself is missing: the prefix is inclusive");
  if ((tile + 1) * one->block > one->n && count == end + (tile + 1) * one->block - one->n)
    return WB_WHY("threads without an element are counted: they keep nothing");
  if (did_not_wait(one, tile, count - own))
    return WB_WHY_TESTED(
        "what some of the tiles before it keep is missing: their words were INVALID yet when they "
        "were read. Such a word is to be read again, until none of those asked is INVALID");
  const char *cause = base_cause(one, tile, count - own);
  return is_known(one, tile, count - own) ? WB_WHY_TESTED(cause) : WB_WHY(cause);
}

static void judge_words(wb_judge *judge, const compaction *one, const uint64_t *state,
                        unsigned end_tile) {
  judge_tickets(judge, one, state[0], end_tile - one->done);
  for (unsigned tile = 0; tile < end_tile; tile++) {
    uint64_t got = state[FIRST_TILE + tile];
    if (tile < one->done) {
      if (got != one->words[tile])
        wb_judge_fail_why(judge, WB_WHY("a tile publishes in its own word only"),
                          "the status word of tile %u was changed by another tile's block", tile);
      continue;
    }
    unsigned expected = kept_before_tile(one, tile) + kept_in_tile(one, tile);
    if (got == ((uint64_t)INCLUSIVE_PREFIX << 32 | expected)) continue;
    wb_judge_fail_why(judge, word_cause(one, tile, (status)(got >> 32), (unsigned)got),
                      "the status word of tile %u: expected status %d, count %u; got status %u, "
                      "count %u",
                      tile, INCLUSIVE_PREFIX, expected, (unsigned)(got >> 32), (unsigned)got);
  }
}

static void judge_total(wb_judge *judge, const compaction *one, unsigned got, bool is_last) {
  unsigned n_tiles = parts_for(one->n, one->block), total = kept_before_tile(one, n_tiles);
  if (!is_last && got != WB_POISON)
    wb_judge_fail_why(judge, WB_WHY("the last block of a launch need not have the last tile"),
                      "*n_kept was written before the last tile was taken: %u", got);
  if (is_last && got != total)
    wb_judge_fail_why(
        judge,
        got == WB_POISON
            ? WB_WHY("no tile writes *n_kept: which one is the last, and what says so?")
            : WB_WHY("the last tile writes what is kept up to its end, and no other"),
        "*n_kept: expected %u, got %u", total, got);
}

// --- one case ---

static void run(wb_judge *judge, const compaction *asked) {
  compaction own = *asked;
  const compaction *one = &own;
  own.x = values_for_variant(judge, asked->x, asked->n);
  own.t = threshold_for_variant(asked->t);
  unsigned n = one->n, n_tiles = parts_for(n, one->block), total = kept_before_tile(one, n_tiles);
  unsigned room = one->tight ? total : 2 * (total + n) + 4096;
  size_t state_bytes = (FIRST_TILE + n_tiles) * sizeof(uint64_t);
  float t = one->t;
  uint64_t *words = wb_judge_host(judge, state_bytes);
  words[0] = one->done;
  for (unsigned tile = 0; tile < one->done; tile++) words[FIRST_TILE + tile] = one->words[tile];
  wb_kernel kernel = wb_judge_kernel(judge, signature());
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

static void run_half(wb_judge *judge, compaction one) {
  one.t = 1000.0f, one.about = "about half are kept";
  one.x = different_values(judge, one.n);
  run(judge, &one);
  wb_judge_release(judge);
}

// --- families ---

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
  for (unsigned k = 0; k < 8; k++)
    run_half(judge, (compaction){.n = wb_drawn(wb_judge_seed(judge), k, 1, 5999),
                                 .block = blocks[k % COUNT(blocks)]});
}

static void check_portions(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (unsigned portion = 1; portion < 8; portion += 2)
      run_half(judge,
               (compaction){.n = 11 * blocks[b] - 5, .block = blocks[b], .portion = portion});
}

// Tiles 0 to done - 1 have published: tile `end` and those before their inclusive prefixes, the
// others their aggregates.
static void run_prepared(wb_judge *judge, unsigned done, unsigned end, unsigned block) {
  compaction one = {.n = (done + 2) * block - 7, .block = block, .done = done, .t = 1000.0f};
  uint64_t *words = wb_judge_host(judge, done * sizeof *words);
  unsigned sum = 0;
  for (unsigned tile = 0; tile < done; tile++) {
    unsigned count = 1 + (unsigned)(wb_random(wb_judge_seed(judge), tile) % block);
    sum += count;
    words[tile] =
        tile <= end ? (uint64_t)INCLUSIVE_PREFIX << 32 | sum : (uint64_t)AGGREGATE << 32 | count;
  }
  char about[100];
  snprintf(about, sizeof about, "%u tiles done, INCLUSIVE_PREFIX up to tile %u", done, end);
  one.words = words, one.about = about, one.x = different_values(judge, one.n);
  run(judge, &one);
  wb_judge_release(judge);
}

#ifdef WORKBOOK_SIMT
// Tile 0 is at work, and tile 1 waits for it for ever: what has it published by then?
static void run_waiting(wb_judge *judge, unsigned block) {
  compaction one = {.n = 3 * block, .block = block, .t = threshold_for_variant(1000.0f)};
  one.x = values_for_variant(judge, different_values(judge, one.n), one.n);
  unsigned n = one.n, expected = kept_in_tile(&one, 1);
  // Shared, since the host is to read it though the kernel does not end.
  uint64_t *state = wb_judge_managed(judge, (FIRST_TILE + 3) * sizeof *state);
  const wb_kernel kernel = wb_judge_kernel(judge, signature());
  void *in = wb_judge_input(judge, "in", one.x, n * sizeof *one.x, 0);
  void *out = wb_judge_output(judge, "out", n * sizeof(float));
  void *n_kept = wb_judge_output(judge, "n_kept", sizeof(unsigned));
  state[0] = 1;
  void *arguments[] = {&in, &out, &n_kept, &state, &n, &one.t};
  wb_judge_case(judge, "tile 1, while tile 0 has published nothing");
  if (!wb_judge_launch_waits(judge, &kernel, 1, block, arguments))
    wb_judge_fail_why(judge, WB_WHY("a word that is INVALID says nothing yet: wait for it"),
                      "tile 1 did not wait for the word of tile 0");
  const uint64_t got = state[FIRST_TILE + 1];
  if (got == ((uint64_t)AGGREGATE << 32 | expected)) return;
  wb_judge_fail_why(judge,
                    WB_WHY("a tile publishes its AGGREGATE before it waits: without it all tiles "
                           "wait for each other's INCLUSIVE_PREFIX, one after the other"),
                    "the status word of tile 1, which waits: expected status %d, count %u; got "
                    "status %u, count %u",
                    AGGREGATE, expected, (unsigned)(got >> 32), (unsigned)got);
}
#endif

static void check_look_back(wb_judge *judge) {
  run_prepared(judge, 70, 30, 64); // where every wrong way comes to a sum of its own
  run_prepared(judge, 20, 15, 64);
  for (unsigned done = 1; done < 40; done += 1 + done / 8)
    for (unsigned end = 0; end < done; end += 1 + done / 8) run_prepared(judge, done, end, 64);
  for (unsigned distance = 1; distance <= 100; distance++)
    run_prepared(judge, 101, 101 - distance, distance % 2 ? 32 : 96);
#ifdef WORKBOOK_SIMT
  run_waiting(judge, 96); // the last one: it does not end
#endif
}

static void run_orders(wb_judge *judge) {
  for (unsigned block = 512; block >= 32; block /= 4)
    for (unsigned tiles = 2; tiles < 60 && tiles * block < 8192; tiles = 3 * tiles - 1)
      run_half(judge, (compaction){.n = tiles * block - 9, .block = block});
}
static void check_reverse(wb_judge *judge) {
  schedule_by("reverse");
  run_orders(judge);
}
static void check_at_once(wb_judge *judge) {
  schedule_by("random:1");
  wb_judge_experiment(judge); // how often a block looks while it waits says nothing
  run_orders(judge);
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
      compaction one = {.n = 300,
                        .block = 64,
                        .t = 1000.0f,
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
// One tile, not the last one, that keeps nothing: it stores two words, and loads its elements and
// as many windows of 32 words as it takes to reach an inclusive prefix.
static void run_effort(wb_judge *judge, unsigned distance, unsigned block) {
  enum { DONE = 120 };
  uint64_t *words = wb_judge_host(judge, (FIRST_TILE + DONE + 2) * sizeof *words);
  words[0] = DONE;
  for (unsigned tile = 0; tile < DONE; tile++)
    words[FIRST_TILE + tile] =
        (uint64_t)(tile + distance <= DONE ? INCLUSIVE_PREFIX : AGGREGATE) << 32 | 1u;
  compaction one = {.n = (DONE + 2) * block, .block = block, .done = DONE, .t = 1e6f};
  one.words = words + FIRST_TILE, one.t = threshold_for_variant(one.t);
  one.x = values_for_variant(judge, different_values(judge, one.n), one.n);
  unsigned n = one.n, windows = (distance + LANES - 1) / LANES;
  wb_kernel kernel = wb_judge_kernel(judge, signature());
  void *in = wb_judge_input(judge, "in", one.x, n * sizeof *one.x, 0);
  void *out = wb_judge_output(judge, "out", 64), *n_kept = wb_judge_output(judge, "n_kept", 4);
  void *state = wb_judge_output(judge, "state", (FIRST_TILE + DONE + 2) * sizeof *words);
  void *arguments[] = {&in, &out, &n_kept, &state, &n, &one.t};
  wb_judge_put(judge, state, words);
  wb_judge_case(judge, "the nearest INCLUSIVE_PREFIX is %u tiles back", distance);
  wb_judge_launch(judge, &kernel, 1, block, 0, arguments);
  judge_words(judge, &one, wb_judge_get(judge, state), DONE + 1);
  wb_judge_cost_is(judge, "global_store_requests", 2,
                   "a tile publishes twice: its AGGREGATE before it waits, its INCLUSIVE_PREFIX "
                   "as soon as it is known");
  wb_judge_cost_at_most(judge, "global_load_requests", block / LANES + windows + 1,
                        "32 lanes read 32 words at once, the sum is complete at the nearest "
                        "INCLUSIVE_PREFIX, and one warp is enough");
  wb_judge_cost_at_most(judge, "block_barriers", 4, "a barrier in a loop");
  wb_judge_release(judge);
}

static void check_effort(wb_judge *judge) {
  static const unsigned distances[] = {1, 7, 31, 32, 33, 34, 63, 64, 65, 66, 95, 96}; // windows
  for (size_t d = 0; d < COUNT(distances); d++)
    for (unsigned block = 32; block <= 1024; block *= 4) run_effort(judge, distances[d], block);
}
#endif

static const wb_check exercise_checks[] = {
    {"one_tile", 10, "one tile, full or not, or empty",
     "Take one block of 32 threads. Which ticket does it draw? What stands before tile 0?",
     check_one_tile, false},
    {"sizes", 10, "many tiles, 32 to 1024 threads",
     "Tile 1 has one tile before it. What does its word say, and what does tile 1 publish?",
     check_sizes, false},
    {"portions", 15, "tiles are drawn, whichever block comes first",
     "Which of the two numbers tells the tile, blockIdx.x or the ticket?", check_portions, false},
    {"look_back", 20, "any status words before it, up to 100 tiles back",
     "On paper: (inclusive prefix, 7), (aggregate, 2), (aggregate, 0), (aggregate, 3), and you. "
     "What is your exclusive prefix?",
     check_look_back, false},
    {"reverse", 5, "the last block begins",
     "If the block with the highest number runs first and waits for one that has not begun?",
     check_reverse, false},
    {"at_once", 10, "blocks run side by side and wait for each other",
     "A word that is INVALID now may be published later.", check_at_once, false},
    {"all_or_nothing", 5, "all are kept, and none", NULL, check_all_or_nothing, false},
    {"specials", 5, "NaN, infinities, and elements that equal t", "x > t, and nothing else.",
     check_specials, false},
    {"bounds", 10, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
#ifdef WORKBOOK_SIMT
    {"effort", 10, "published twice per tile, 32 words read together", NULL, check_effort, true},
#endif
};
const wb_suite single_pass_exercise = {"10_single_pass_scan", exercise_checks,
                                       COUNT(exercise_checks)};
