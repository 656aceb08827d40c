// SPDX-License-Identifier: MIT
// 09_scan_exercise.c - judges any module that offers exercise 09's kernels: stream compaction in
// three launches, the middle one made here. It copies values, so that equality is asked for; its
// inputs have no value twice, so that a misplaced element can be traced to where it came from.
#include "09_scan.h"

static const char *const count_signature =
    "count_kept(const float *in, unsigned *counts, unsigned n, float t)";
static const char *const write_signature =
    "write_kept(const float *in, const unsigned *offsets, float *out, unsigned n, float t)";

typedef struct compaction {
  unsigned n, block;
  float t;
  unsigned offset; // of the input, in elements
  bool tight;      // `out` ends behind the last kept element
  const float *x;  // [n]
  const char *about;
} compaction;

static bool kept(const compaction *one, unsigned i) {
  return i < one->n && is_kept(one->x[i], one->t);
}
static unsigned kept_in(const compaction *one, unsigned first, unsigned end) {
  unsigned count = 0;
  for (unsigned i = first; i < end; i++) count += kept(one, i) ? 1 : 0;
  return count;
}

// --- what went wrong with a count ---

typedef enum wrong_count {
  EQUALS_TOO,
  NANS_TOO,
  DROPPED_ONES,
  NOBODYS_TOO,
  FIRST_WARP,
  NOT_LAST_WARP,
  NOT_LAST,
  NOT_FIRST,
  N_WRONG_COUNTS
} wrong_count;

static unsigned count_as(const compaction *one, wrong_count way, unsigned first) {
  unsigned end = first + one->block, count = 0;
  switch (way) {
  case FIRST_WARP: return kept_in(one, first, first + LANES);
  case NOT_LAST_WARP: return kept_in(one, first, end - LANES);
  case NOT_LAST: return kept_in(one, first, end - 1);
  case NOT_FIRST: return kept_in(one, first + 1, end);
  case NOBODYS_TOO: return kept_in(one, first, end) + (end > one->n ? end - one->n : 0);
  default: break;
  }
  for (unsigned i = first; i < end && i < one->n; i++) {
    float x = one->x[i];
    if (way == EQUALS_TOO) count += x == one->t || is_kept(x, one->t);
    if (way == NANS_TOO) count += isnan(x) || isnan(one->t) || is_kept(x, one->t);
    if (way == DROPPED_ONES) count += !is_kept(x, one->t);
  }
  return count;
}

static wb_why count_cause(const compaction *one, unsigned block, unsigned got) {
  static const char *const causes[N_WRONG_COUNTS] = {
      [EQUALS_TOO] = "elements that equal t are counted, which are not asked for",
      [NANS_TOO] = "NaNs are counted: !(x <= t) is true for them, x > t is not (nor is x < t)",
      [DROPPED_ONES] = "those that are to be dropped are counted",
      [NOBODYS_TOO] = "threads without an element are counted: is the bound checked?",
      [FIRST_WARP] = "only the first warp is counted; add up the numbers of all warps",
      [NOT_LAST_WARP] = "the last warp of the block is missing",
      [NOT_LAST] = "the block's last thread is missing: how many stand before it is not the total",
      [NOT_FIRST] = "the block's first thread is missing",
  };
  unsigned first = block * one->block, expected = kept_in(one, first, first + one->block);
  if (got == WB_POISON) return WB_UNFILLED("nothing was written here. Is the blank filled in yet?");
  for (wrong_count way = 0; way < N_WRONG_COUNTS; way++) {
    unsigned would_be = count_as(one, way, first);
    if (would_be == got && would_be != expected) return WB_WHY(causes[way]);
  }
  if (got > one->block)
    return WB_WHY("warp_kept is read before all warps have written it, or where no warp writes: a "
                  "__syncthreads() is missing, or the block has fewer warps than are added up");
  return WB_WHY("does every warp add its number of kept elements exactly once?");
}

// --- what went wrong with the output ---

// Where `x` comes from; n: from nowhere.
static unsigned origin_of(const compaction *one, float x) {
  for (unsigned i = 0; i < one->n; i++)
    if (one->x[i] == x) return i;
  return one->n;
}

static const char *place_cause(const compaction *one, unsigned origin, unsigned place) {
  unsigned block_first = origin / one->block * one->block;
  unsigned warp_first = block_first + (origin - block_first) / LANES * LANES;
  unsigned in_grid = kept_in(one, 0, block_first);
  unsigned in_block = kept_in(one, block_first, origin);
  unsigned in_warp = kept_in(one, warp_first, origin);
  if (place == in_block && in_grid > 0)
    return "the elements of other blocks are not counted: add offsets[blockIdx.x]";
  if (place == in_grid + in_warp && in_block != in_warp)
    return "the warps before this one are not counted";
  if (place == in_grid + in_block + 1)
    return "the element itself is counted: those *before* it say where it goes";
  if (place == origin || place == in_grid + origin - block_first)
    return "it was left where it stood in its block: the place is the number of kept elements "
           "before it, not of all";
  if (place == in_grid + in_block - in_warp + kept_in(one, origin + 1, warp_first + LANES))
    return "the lanes above are counted in place of those below: the order is reversed";
  return "how many elements before it are kept, in its warp, in the warps before, in the blocks "
         "before?";
}

// --- mistakes that explain the whole output ---

// Which elements are kept, and how many count as before one of them, as wrong kernels have it.
typedef enum wrong_keep { KEEPS_RIGHT, KEEPS_NANS, KEEPS_EQUALS, KEEPS_OTHERS, N_KEEPS } wrong_keep;
typedef enum wrong_rank {
  RANKS_RIGHT,
  ITSELF_TOO,
  WHOLE_WARP_TOO,
  OWN_WARP_TOO,
  ONLY_ITSELF,
  ABOVE_IN_WARP,
  ABOVE_AND_ITSELF,
  NO_WARPS_BEFORE,
  NO_BLOCKS_BEFORE,
  NO_LANES_BELOW,
  WHERE_IT_STOOD,
  N_RANKS
} wrong_rank;

static const char *const wrong_keeps[N_KEEPS] = {
    [KEEPS_NANS] = "NaNs are kept: !(x <= t) is true for them, x > t is not (nor is x < t)",
    [KEEPS_EQUALS] = "elements that equal t are kept, which are not asked for",
    [KEEPS_OTHERS] = "those are kept that are to be dropped",
};
static const char *const wrong_ranks[N_RANKS] = {
    [ITSELF_TOO] = "the element itself is counted: those *before* it say where it goes",
    [WHOLE_WARP_TOO] = "all lanes of the warp are counted, not those below this one: which bits of "
                       "the vote are theirs?",
    [OWN_WARP_TOO] = "this warp's own number is counted as well: those of the warps before it say "
                     "where it begins",
    [ONLY_ITSELF] = "of the warp only the element itself is counted, not those of the lanes below "
                    "it: which bits of the vote are theirs?",
    [ABOVE_IN_WARP] = "the lanes above are counted in place of those below: the order is reversed",
    [ABOVE_AND_ITSELF] = "the lanes above and the element itself are counted in place of the lanes "
                         "below",
    [NO_WARPS_BEFORE] = "the warps before this one are not counted",
    [NO_BLOCKS_BEFORE] = "the elements of other blocks are not counted: add offsets[blockIdx.x]",
    [NO_LANES_BELOW] =
        "the lanes below this one are not counted: which bits of the vote are theirs?",
    [WHERE_IT_STOOD] = "it was left where it stood in its block: the place is the number of kept "
                       "elements before it, not of all",
};

static bool keeps_as(const compaction *one, wrong_keep way, unsigned i) {
  const float x = one->x[i];
  switch (way) {
  case KEEPS_NANS: return isnan(x) || isnan(one->t) || is_kept(x, one->t);
  case KEEPS_EQUALS: return x == one->t || is_kept(x, one->t);
  case KEEPS_OTHERS: return !is_kept(x, one->t);
  default: return is_kept(x, one->t);
  }
}

// How many elements are kept in each stretch that a place is made of.
typedef struct ranks {
  unsigned grid, block, warp; // before the element's block, warp, and the element itself
  unsigned whole_warp, lane;  // in its warp; its place in the block
} ranks;

static unsigned place_as(const ranks *r, wrong_rank way) {
  const unsigned before = r->grid + r->block;
  switch (way) {
  case ITSELF_TOO: return before + r->warp + 1;
  case WHOLE_WARP_TOO: return before + r->whole_warp;
  case OWN_WARP_TOO: return before + r->whole_warp + r->warp;
  case ONLY_ITSELF: return before + 1;
  case ABOVE_IN_WARP: return before + r->whole_warp - r->warp - 1;
  case ABOVE_AND_ITSELF: return before + r->whole_warp - r->warp;
  case NO_WARPS_BEFORE: return r->grid + r->warp;
  case NO_BLOCKS_BEFORE: return r->block + r->warp;
  case NO_LANES_BELOW: return before;
  case WHERE_IT_STOOD: return r->grid + r->lane;
  default: return before + r->warp;
  }
}

static bool has_bits(float a, float b) { return memcmp(&a, &b, sizeof a) == 0; }

// Whether the output is what these mistakes make of the input: each place that an element goes to
// holds one of those that do, and no other is written.
static bool makes(const compaction *one, const float *got, unsigned n_out, wrong_keep keep,
                  wrong_rank rank, unsigned char *state) {
  enum { FREE, MET, HELD };
  ranks r = {0};
  memset(state, FREE, n_out);
  for (unsigned i = 0; i < one->n; i++) {
    const unsigned in_block = i % one->block;
    if (in_block == 0) { // the offsets are right, however many are kept
      r.grid = kept_in(one, 0, i);
      r.block = r.warp = r.whole_warp = 0;
    }
    if (in_block % LANES == 0) {
      r.block += r.whole_warp;
      r.warp = r.whole_warp = 0;
      for (unsigned k = i; k < one->n && k < i + LANES; k++)
        r.whole_warp += keeps_as(one, keep, k) ? 1 : 0;
    }
    if (!keeps_as(one, keep, i)) continue;
    r.lane = in_block;
    const unsigned place = place_as(&r, rank);
    r.warp++;
    if (place >= n_out) return false;
    if (state[place] != HELD) state[place] = has_bits(got[place], one->x[i]) ? HELD : MET;
  }
  for (unsigned p = 0; p < n_out; p++)
    if (state[p] == MET || (state[p] == FREE && !is_poison(got[p]))) return false;
  return true;
}

// The mistake that explains the whole output; without one, what `otherwise` says of one element.
static wb_why output_cause(wb_judge *judge, const compaction *one, const float *got,
                           wb_why otherwise) {
  const unsigned n_out = one->tight ? kept_in(one, 0, one->n) : one->n;
  unsigned char *state = wb_judge_host(judge, n_out + 1);
  for (wrong_keep keep = KEEPS_NANS; keep < N_KEEPS; keep++)
    if (makes(one, got, n_out, keep, RANKS_RIGHT, state)) return WB_WHY_TESTED(wrong_keeps[keep]);
  for (wrong_rank rank = ITSELF_TOO; rank < N_RANKS; rank++)
    if (makes(one, got, n_out, KEEPS_RIGHT, rank, state)) return WB_WHY_TESTED(wrong_ranks[rank]);
  return otherwise;
}

// in[i] belongs at out[place], where nothing was written: did it go elsewhere?
static void fail_for_gap(wb_judge *judge, const compaction *one, const float *got, unsigned place,
                         unsigned i) {
  unsigned n_out = one->tight ? kept_in(one, 0, one->n) : one->n, at = 0;
  while (at < n_out && got[at] != one->x[i]) at++;
  if (at < n_out)
    wb_judge_fail_why(judge, output_cause(judge, one, got, WB_WHY(place_cause(one, i, at))),
                      "in[%u] = %.9g belongs in out[%u], but was written to out[%u]", i,
                      (double)one->x[i], place, at);
  wb_judge_fail_why(
      judge,
      output_cause(judge, one, got,
                   WB_UNFILLED("the place is wrong, or nothing is written at all. Is the blank "
                               "filled in yet?")),
      "in[%u] = %.9g belongs in out[%u], but nothing was written there", i, (double)one->x[i],
      place);
}

static void judge_output(wb_judge *judge, const compaction *one, const float *got) {
  unsigned n_kept = kept_in(one, 0, one->n), place = 0;
  for (unsigned i = 0; i < one->n; i++) {
    if (!kept(one, i)) continue;
    float value = got[place];
    if (value == one->x[i]) {
      place++;
      continue;
    }
    if (is_poison(value)) fail_for_gap(judge, one, got, place, i);
    unsigned origin = origin_of(one, value);
    if (origin == one->n || !kept(one, origin))
      wb_judge_fail_why(
          judge,
          output_cause(judge, one, got, WB_WHY("only threads that keep their element may write")),
          "out[%u] is to be in[%u] = %.9g, but is %.9g, which is not %s than t = %.9g", place, i,
          (double)one->x[i], (double)value, keeps_smaller() ? "smaller" : "larger", (double)one->t);
    wb_judge_fail_why(judge, output_cause(judge, one, got, WB_WHY(place_cause(one, origin, place))),
                      "out[%u] is in[%u] = %.9g; in[%u] belongs there, and in[%u] in out[%u]",
                      place, origin, (double)value, i, origin, kept_in(one, 0, origin));
  }
  for (; !one->tight && place < one->n; place++)
    if (!is_poison(got[place]))
      wb_judge_fail_why(
          judge,
          output_cause(judge, one, got, WB_WHY("only threads that keep their element may write")),
          "%u elements are kept, but out[%u] was written as well: %.9g", n_kept, place,
          (double)got[place]);
}

// --- one case ---

typedef struct launches {
  wb_kernel count, write;
#ifdef WORKBOOK_SIMT
  simt_counters counted, written;
#endif
} launches;

// Judges the counts; returns the offsets they lead to, on the host.
static const unsigned *run_count(wb_judge *judge, const compaction *one, void *in,
                                 launches *launch) {
  unsigned n = one->n, grid = parts_for(n, one->block);
  float t = one->t;
  unsigned *offsets = wb_judge_host(judge, grid * sizeof *offsets);
  void *counts = wb_judge_output(judge, "counts", grid * sizeof(unsigned));
  void *arguments[] = {&in, &counts, &n, &t};
  launch->count = wb_judge_kernel(judge, count_signature);
  wb_judge_launch(judge, &launch->count, grid, one->block, 0, arguments);
  const unsigned *got = wb_judge_get(judge, counts);
  for (unsigned b = 0, sum = 0; b < grid; b++) {
    unsigned expected = kept_in(one, b * one->block, (b + 1) * one->block);
    if (got[b] != expected)
      wb_judge_fail_why(judge, count_cause(one, b, got[b]), "counts[%u]: expected %u, got %u", b,
                        expected, got[b]);
    offsets[b] = sum;
    sum += expected;
  }
  return offsets;
}

static void run(wb_judge *judge, const compaction *asked, launches *launch) {
  launches local;
  compaction own = *asked;
  const compaction *one = &own;
  own.x = values_for_variant(judge, asked->x, asked->n);
  own.t = threshold_for_variant(asked->t);
  if (!launch) launch = &local;
  unsigned n = one->n, grid = parts_for(n, one->block);
  float t = one->t;
  wb_judge_case(judge, "n = %u, t = %.9g, %s", n, (double)t, one->about);
  void *in = wb_judge_input(judge, "in", one->x, n * sizeof *one->x, one->offset * sizeof(float));
  const unsigned *offsets = run_count(judge, one, in, launch);
#ifdef WORKBOOK_SIMT
  launch->counted = *wb_judge_counters(judge);
#endif
  unsigned n_out = one->tight ? kept_in(one, 0, n) : n;
  void *offsets_device = wb_judge_input(judge, "offsets", offsets, grid * sizeof *offsets, 0);
  void *out = wb_judge_output(judge, "out", n_out * sizeof(float));
  void *arguments[] = {&in, &offsets_device, &out, &n, &t};
  launch->write = wb_judge_kernel(judge, write_signature);
  wb_judge_launch(judge, &launch->write, grid, one->block, 0, arguments);
#ifdef WORKBOOK_SIMT
  launch->written = *wb_judge_counters(judge);
#endif
  judge_output(judge, one, wb_judge_get(judge, out));
}

static void run_half(wb_judge *judge, unsigned n, unsigned block) {
  compaction one = {.n = n,
                    .block = block,
                    .t = 1000.0f,
                    .x = different_values(judge, n),
                    .about = "about half are kept"};
  run(judge, &one, NULL);
  wb_judge_release(judge);
}

// --- families ---

static void check_one_block(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++) run_half(judge, blocks[b], blocks[b]);
}

static void check_sizes(wb_judge *judge) {
  static const unsigned small[] = {256, 1024, 257, 1025, 2048, 7919};
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (size_t s = 0; s < COUNT(small); s++) run_half(judge, small[s], blocks[b]);
  run_half(judge, 65537, 128);
  for (unsigned k = 0; k < 8; k++)
    run_half(judge, wb_drawn(wb_judge_seed(judge), k, 1, 9999), blocks[k % COUNT(blocks)]);
}

static void check_tails(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++) {
    unsigned block = blocks[b], tails[] = {1, block - 1, block / 2 + 1, 17, 2};
    for (size_t t = 0; t < COUNT(tails); t++) {
      run_half(judge, 2 * block + tails[t], block);
      run_half(judge, tails[t], block);
    }
    run_half(judge, 0, block);
  }
}

static void check_positions(wb_judge *judge) {
  enum { N = 200 };
  for (unsigned hot = 0; hot < N; hot++) {
    float *x = wb_judge_host(judge, N * sizeof *x);
    for (unsigned i = 0; i < N; i++) x[i] = -1.0f - (float)i;
    x[hot] = 5.0f;
    char about[48];
    snprintf(about, sizeof about, "only in[%u] is kept", hot);
    run(judge, &(compaction){.n = N, .block = 96, .x = x, .about = about}, NULL);
    wb_judge_release(judge);
  }
}

static void check_all_or_nothing(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (unsigned n = blocks[b] - 3; n < 4 * blocks[b]; n += blocks[b]) {
      compaction one = {.n = n, .block = blocks[b], .t = -1e6f, .about = "all are kept"};
      one.x = different_values(judge, n);
      run(judge, &one, NULL);
      one.t = 1e6f, one.about = "none is kept";
      run(judge, &one, NULL);
      wb_judge_release(judge);
    }
}

static void check_specials(wb_judge *judge) {
  static const float thresholds[] = {1000.0f, 0.0f, -INFINITY, INFINITY, NAN};
  enum { N = 300 };
  for (size_t k = 0; k < COUNT(thresholds); k++) {
    float *x = different_values(judge, N);
    x[0] = NAN, x[40] = -INFINITY, x[130] = NAN, x[64] = INFINITY, x[299] = 1000.0f, x[7] = -0.0f;
    run(judge,
        &(compaction){.n = N,
                      .block = 64,
                      .t = thresholds[k],
                      .x = x,
                      .about = "with NaN, infinities, -0 and 1000"},
        NULL);
    wb_judge_release(judge);
  }
}

static void check_bounds(wb_judge *judge) {
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (unsigned n = 191; n <= 193; n++) {
        wb_judge_guards(judge, guards);
        run(judge,
            &(compaction){.n = n,
                          .block = 64,
                          .t = 0.0f,
                          .offset = offset,
                          .tight = true,
                          .x = different_values(judge, n),
                          .about = "about half are kept"},
            NULL);
        wb_judge_release(judge);
      }
}

#ifdef WORKBOOK_SIMT
static void check_effort(wb_judge *judge) {
  enum { BLOCKS = 4 };
  for (unsigned block = 32; block <= 1024; block *= 2) {
    unsigned n = BLOCKS * block, warps = block / LANES;
    launches launch;
    run(judge,
        &(compaction){.n = n,
                      .block = block,
                      .t = 0.0f,
                      .x = different_values(judge, n),
                      .about = "about half are kept"},
        &launch);
    const simt_counters *both[] = {&launch.counted, &launch.written};
    for (unsigned k = 0; k < 2; k++) {
      const char *name = k == 0 ? launch.count.name : launch.write.name;
      if (both[k]->block_barriers > 3 * BLOCKS)
        wb_judge_fail_why(
            judge,
            WB_COST("a barrier in a loop; a warp needs none, and the warps' numbers need one"),
            "%s: %llu barriers per block, 3 are allowed", name,
            (unsigned long long)(both[k]->block_barriers / BLOCKS));
      if (both[k]->global_atomic_lanes + both[k]->shared_atomic_lanes > 0)
        wb_judge_fail_why(judge,
                          WB_COST("places are drawn like tickets, first come, first served; the "
                                  "order of the elements must decide"),
                          "%s uses atomics", name);
      // A number from each warp for each warp, twice, and some; a flag from each thread is 32 times
      // that.
      if (both[k]->shared_load_requests > BLOCKS * (4 * warps * warps + 64))
        wb_judge_fail_why(
            judge,
            WB_COST("every thread looks at all the others; let the warps vote and add "
                    "up their numbers"),
            "%s: %llu loads from shared memory a block", name,
            (unsigned long long)(both[k]->shared_load_requests / BLOCKS));
    }
    wb_judge_release(judge);
  }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_block", 15, "one full block",
     "Write down which of 8 threads keep theirs. How many before thread 5 do?", check_one_block,
     false},
    {"sizes", 15, "full blocks and others, 32 to 1024 threads",
     "Where does block 1 begin to write? Who counted that?", check_sizes, false},
    {"tails", 10, "a last block with few elements, or none",
     "A thread without an element takes part in the vote. What does it say?", check_tails, false},
    {"every_position", 10, "one kept element, at every place", NULL, check_positions, false},
    {"all_or_nothing", 15, "all are kept, and none", NULL, check_all_or_nothing, false},
    {"specials", 10, "NaN, infinities, and elements that equal t", "x > t, and nothing else.",
     check_specials, false},
    {"bounds", 15, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
#ifdef WORKBOOK_SIMT
    {"effort", 10, "three barriers at most, no atomics, warps vote", NULL, check_effort, true},
#endif
};
const wb_suite compaction_exercise = {"09_scan", exercise_checks, COUNT(exercise_checks)};
