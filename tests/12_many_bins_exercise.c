// SPDX-License-Identifier: MIT
// 12_many_bins_exercise.c - judges any module that offers exercise 12's kernel: counters of 8 bits,
// four in a word, that lose no count. Counts are exact, so that equality is asked for. What went
// wrong is found by counting on the host in the wrong ways that are likely, sample after sample,
// until one gives what the kernel gave.
#include "12_many_bins.h"

static const unsigned blocks[] = {256, 32, 96, 64, 1024};

typedef enum way {
  RIGHT,
  WRAPS,
  SETTLES_255,
  LOSES_NEIGHBOUR, // before the one that has the same effect where the neighbour is full
  STOPS_AT_FULL,
  KEEPS_SURPLUS,
  ALWAYS_MINUS_ONE,
  PAST_THE_WORD,
  FIRST_ROUND_ONLY,
  EVERY_BLOCK,
  FIRST_BLOCK,
  TAIL_LOST,
  MERGES_ONE_EACH,
  STORES,
  NO_SHIFT,
  REVERSED,
  NOT_CUT,
  NOT_MIRRORED, // in the variant that mirrors
  MIRRORED_TOO_HIGH,
  N_WAYS
} way;

static const char *const reasons[N_WAYS] = {
    [WRAPS] = "a counter that overflows loses 256 samples, and its neighbour gets one too many",
    [SETTLES_255] = "a counter that goes from 255 to 0 has lost 256 samples: its own 255, and the "
                    "one that was just counted",
    [KEEPS_SURPLUS] = "the 1 that an overflow carries into the neighbour stays there: take it off "
                      "the neighbour's bin",
    [STOPS_AT_FULL] = "where the neighbour was full, too, the carry goes on to the one after it; "
                      "only the first was settled",
    [LOSES_NEIGHBOUR] =
        "a full neighbour goes from 255 to 0 without a sample: its bin must get 255",
    [ALWAYS_MINUS_ONE] = "a full neighbour does not have one too many: it went from 255 to 0",
    [PAST_THE_WORD] = "the correction goes on past the end of the carry: it ends at the first "
                      "counter that was not full",
    [FIRST_ROUND_ONLY] = "each thread counts one sample; let it walk on, a whole grid at a time",
    [EVERY_BLOCK] =
        "blocks count samples that are another block's: a thread's next sample is a whole "
        "grid further on",
    [FIRST_BLOCK] = "the samples of one block only are counted",
    [TAIL_LOST] = "the samples beyond the last whole block are missing",
    [MERGES_ONE_EACH] = "only as many bins are merged as the block has threads; let each thread "
                        "walk on",
    [STORES] = "the bins' counts are replaced: add to them",
    [NO_SHIFT] = "every sample is added to the lowest counter of its word: shift the 1 by 8 bits "
                 "for each bin",
    [REVERSED] = "the first bin of a word lies in the lowest 8 bits, not in the highest",
    [NOT_CUT] = "with a counter, those above it in its word are added to its bin: cut out its 8 "
                "bits",
    [NOT_MIRRORED] = "each sample is counted in the bin that has its own number: sample s belongs "
                     "to bin n_bins - 1 - s",
    [MIRRORED_TOO_HIGH] = "each sample is counted one bin too high: sample 0 belongs to bin n_bins "
                          "- 1, the last",
};

typedef struct evidence {
  const bins_case *one;
  const uint32_t *x;   // [n] the bin of each sample
  const uint32_t *got; // [n_bins]
  uint32_t *bins;      // [n_bins + 3] of the way at hand
  uint32_t *words;     // [(n_bins + 3) / 4 + 1] of one block, the last for MIRRORED_TOO_HIGH
} evidence;

static void add_to(const evidence *e, unsigned bin, uint32_t count) {
  if (bin < e->one->n_bins) e->bins[bin] += count;
}

static void settle_as(way w, const evidence *e, uint32_t old, unsigned v) {
  if (w == WRAPS || w == NO_SHIFT) return;
  add_to(e, v, w == SETTLES_255 ? 255 : 256);
  if (w == KEEPS_SURPLUS) return;
  for (unsigned k = v % 4 + 1; k < 4; k++) {
    const bool was_full = (old >> 8 * k & 255) == 255;
    uint32_t correction = was_full ? 255 : UINT32_MAX;
    if (w == LOSES_NEIGHBOUR && was_full) correction = 0;
    if (w == ALWAYS_MINUS_ONE) correction = UINT32_MAX;
    add_to(e, v / 4 * 4 + k, correction);
    if (w == STOPS_AT_FULL || (!was_full && w != PAST_THE_WORD)) return;
  }
}

static void count_as(way w, const evidence *e, unsigned v) {
  unsigned shift = v % 4 * 8;
  if (w == NO_SHIFT) shift = 0;
  if (w == REVERSED) shift = 24 - shift;
  const uint32_t old = e->words[v / 4];
  e->words[v / 4] += UINT32_C(1) << shift;
  if (w != REVERSED && (old >> shift & 255) == 255) settle_as(w, e, old, v);
}

static void merge_as(way w, const evidence *e) {
  const unsigned most = w == MERGES_ONE_EACH ? e->one->block : e->one->n_bins;
  for (unsigned v = 0; v < e->one->n_bins && v < most; v++) {
    const uint32_t rest = e->words[v / 4] >> v % 4 * 8, count = w == NOT_CUT ? rest : rest & 255;
    if (count > 0) e->bins[v] = count + (w == STORES ? 0 : e->bins[v]);
  }
}

// Where a sample of bin v is counted.
static unsigned bin_as(way w, const evidence *e, unsigned v) {
  if (is_mirrored() && w == NOT_MIRRORED) return e->one->n_bins - 1 - v;
  return v + (is_mirrored() && w == MIRRORED_TOO_HIGH);
}

// What the bins would be if the kernel went wrong in this way, its blocks one after another.
static void bins_as(way w, const evidence *e) {
  const bins_case *one = e->one;
  const unsigned size = w == EVERY_BLOCK ? one->block : one->grid * one->block;
  const unsigned n_words = (one->n_bins + 3) / 4;
  const unsigned end = w == TAIL_LOST ? one->n / one->block * one->block : one->n;
  for (unsigned v = 0; v < one->n_bins; v++) e->bins[v] = start_of(one, v);
  for (unsigned b = 0; b < one->grid; b++) {
    memset(e->words, 0, n_words * sizeof *e->words);
    for (unsigned first = b * one->block; first < end; first += size) {
      for (unsigned i = first; i < end && i < first + one->block; i++)
        count_as(w, e, w == FIRST_BLOCK && b > 0 ? one->n_bins - 1 : bin_as(w, e, e->x[i]));
      if (w == FIRST_ROUND_ONLY) break;
    }
    if (w != FIRST_BLOCK || b == 0) merge_as(w, e);
  }
}

static wb_why cause_of(const evidence *e) {
  bool unchanged = true;
  for (unsigned v = 0; v < e->one->n_bins; v++) unchanged &= e->got[v] == start_of(e->one, v);
  if (unchanged)
    return WB_UNFILLED("nothing was added: the bins are as they were. Is the blank filled in yet?");
  for (way w = RIGHT + 1; w < N_WAYS; w++) {
    bins_as(w, e);
    if (memcmp(e->bins, e->got, e->one->n_bins * sizeof *e->bins) == 0) return WB_WHY(reasons[w]);
  }
  return WB_WHY(
      "is every word 0 before the first sample, does each overflow change the bins by what "
      "it did to the word, and is every counter complete before it is added to its bin?");
}

// The samples that belong to these bins; in the variant they count from the other end, so that the
// cases are the same.
static const uint32_t *samples_for_variant(wb_judge *judge, const evidence *e) {
  if (!is_mirrored()) return e->x;
  uint32_t *x = wb_judge_host(judge, e->one->n * sizeof *x);
  for (unsigned i = 0; i < e->one->n; i++) x[i] = e->one->n_bins - 1 - e->x[i];
  return x;
}

static const char *name_for_variant(pattern p) {
  if (!is_mirrored()) return pattern_name(p);
  if (p == ZIPF) return "large values most often";
  if (p == ROUND) return "from n_bins - 1 down to 0, and again";
  return p == SORTED ? "in descending order" : pattern_name(p);
}

static void run(wb_judge *judge, const bins_case *one) {
  wb_kernel kernel = wb_judge_kernel(
      judge, "narrow_bins(const unsigned *in, unsigned *bins, unsigned n_bins, unsigned n)");
  unsigned n = one->n, n_bins = one->n_bins;
  const size_t bins_bytes = n_bins * sizeof(uint32_t), n_words = (n_bins + 3) / 4;
  evidence e = {.one = one, .x = samples_of(judge, one)};
  e.bins = wb_judge_host(judge, bins_bytes);
  e.words = wb_judge_host(judge, (n_words + 1) * sizeof *e.words);
  for (unsigned v = 0; v < n_bins; v++) e.bins[v] = start_of(one, v);
  void *in = wb_judge_input(judge, "in", samples_for_variant(judge, &e), n * sizeof *e.x,
                            one->offset * sizeof *e.x);
  void *bins = wb_judge_output(judge, "bins", bins_bytes);
  wb_judge_put(judge, bins, e.bins);
  void *arguments[] = {&in, &bins, &n_bins, &n};
  wb_judge_case(judge, "n = %u, n_bins = %u, %s%s", n, n_bins, name_for_variant(one->pattern),
                one->counted ? ", bins hold counts already" : "");
  wb_judge_launch(judge, &kernel, one->grid, one->block, n_words * sizeof(uint32_t), arguments);
  e.got = wb_judge_get(judge, bins);
  for (unsigned i = 0; i < n; i++) e.bins[e.x[i]]++;
  for (unsigned v = 0; v < n_bins; v++) {
    const uint32_t expected = e.bins[v], got = e.got[v];
    if (got != expected)
      wb_judge_fail_why(judge, cause_of(&e), "bins[%u]: expected %u, got %u", v, expected, got);
  }
}

static void run_one(wb_judge *judge, bins_case one) {
  run(judge, &one);
  wb_judge_release(judge);
}

// --- families ---------------------------------------------------------------------------------

// Few of each value: no counter overflows.
static void check_one_block(wb_judge *judge) {
  for (size_t b = 0; b < COUNT(blocks); b++) {
    run_one(judge, (bins_case){blocks[b], 256, 1, blocks[b], ROUND, 0, 0, false});
    run_one(judge, (bins_case){blocks[b], 1000, 1, blocks[b], UNIFORM, 0, 0, false});
  }
}

static void check_sizes(wb_judge *judge) {
  static const unsigned sizes[] = {0, 1, 2, 31, 33, 255, 257, 1023, 1025, 7919};
  static const unsigned bins[] = {1000, 4099, 256, 2002, 257, 8192};
  for (size_t b = 0; b < COUNT(blocks); b++)
    for (size_t s = 0; s < COUNT(sizes); s++)
      run_one(judge, (bins_case){sizes[s], bins[(s + b) % COUNT(bins)], 3, blocks[b], UNIFORM, 0, 0,
                                 false});
  for (unsigned k = 0; k < 8; k++) {
    const unsigned n = wb_drawn(wb_judge_seed(judge), 2 * k, 1, 9999);
    const unsigned n_bins = wb_drawn(wb_judge_seed(judge), 2 * k + 1, 100, 9999);
    run_one(judge, (bins_case){n, n_bins, 1 + k % 4, 256, UNIFORM, 0, 0, false});
  }
}

// One value: its counter overflows, in each of the four places, and its neighbours are empty.
static void check_overflow(wb_judge *judge) {
  static const unsigned sizes[] = {255, 256, 257, 511, 512, 70000};
  for (size_t s = 0; s < COUNT(sizes); s++)
    for (unsigned hot = 8; hot < 12; hot++)
      run_one(judge, (bins_case){sizes[s], 100, 1, 256, EQUAL, hot, 0, false});
  run_one(judge, (bins_case){20000, 4099, 3, 128, SKEWED, 0, 0, false});
  run_one(judge, (bins_case){20000, 64, 2, 256, UNIFORM, 0, 0, false});
}

// Neighbours that are full: the carry goes through them.
static void check_carries(wb_judge *judge) {
  for (unsigned hot = 8; hot < 12; hot++)
    for (unsigned n = 500; n <= 4500; n += 1000) {
      run_one(judge, (bins_case){n, 64, 1, 32, FILL, hot, 0, false});
      run_one(judge, (bins_case){n, 64, 2, 96, FILL, hot, 0, false});
      run_one(judge, (bins_case){n, 64, 1, 256, WORD, hot, 0, false});
    }
}

// The last word is not whole: what is carried out of the last bin belongs to none.
static void check_few_bins(wb_judge *judge) {
  for (unsigned n_bins = 1; n_bins < 12; n_bins++) {
    run_one(judge, (bins_case){3000, n_bins, 1, 64, EQUAL, n_bins - 1, 0, false});
    run_one(judge, (bins_case){3000, n_bins, 2, 96, ROUND, 0, 0, false});
  }
}

static void check_counted_before(wb_judge *judge) {
  for (unsigned n = 0; n <= 3000; n += 1000)
    for (pattern p = UNIFORM; p < N_PATTERNS; p++)
      run_one(judge, (bins_case){n, 1001, 3, 128, p, 500, 0, true});
}

static void check_bounds(wb_judge *judge) {
  static const unsigned sizes[] = {0, 1, 63, 64, 65, 191};
  for (int guards = 0; guards < 2; guards++)
    for (unsigned offset = 0; offset < 4; offset++)
      for (size_t s = 0; s < COUNT(sizes); s++) {
        wb_judge_guards(judge, guards);
        run_one(judge, (bins_case){sizes[s], 61 + (unsigned)s, 2, 64, UNIFORM, 0, offset, false});
      }
}

#ifdef WORKBOOK_SIMT
// Each block adds each bin once; an overflow takes two additions, or up to four where it goes on.
static void check_private(wb_judge *judge) {
  static const char *const cause = "samples go to the bins in global memory one by one; count in "
                                   "`words`, and add to the bins only what overflows and, at the "
                                   "end, each counter once";
  enum { N = 8000, N_BINS = 500 };
  for (unsigned grid = 1; grid <= 4; grid *= 2)
    for (pattern p = UNIFORM; p < N_PATTERNS; p++) {
      run(judge, &(bins_case){N, N_BINS, grid, 256, p, 77, 0, false});
      wb_judge_cost_at_most(judge, "global_atomic_lanes", N_BINS * grid + N / 50, cause);
      wb_judge_cost_at_most(judge, "shared_atomic_lanes", N + N / 50,
                            "a sample takes one atomic in shared memory");
      wb_judge_release(judge);
    }
}
#endif

static const wb_check exercise_checks[] = {
    {"one_block", 10, "as many samples as threads, few of each",
     "Which word holds the counter of bin v, and where in it?", check_one_block, false},
    {"sizes", 15, "sizes, blocks and numbers of bins, where nothing overflows",
     "Does each loop walk on until all words, samples and bins are done?", check_sizes, false},
    {"overflow", 15, "more than 255 samples of a value",
     "What was the word before the addition, and what is it after it?", check_overflow, false},
    {"carries", 20, "overflow beside counters that are full",
     "Work out 0x00ffffff + 1 by hand: what did each of the four counters lose or gain?",
     check_carries, false},
    {"few_bins", 10, "the last word has counters without a bin",
     "Which bin does the carry out of the last one belong to?", check_few_bins, false},
    {"counted_before", 10, "adds to what the bins held", NULL, check_counted_before, false},
    {"bounds", 10, "stays inside its arrays, input unchanged", NULL, check_bounds, false},
#ifdef WORKBOOK_SIMT
    {"private_counts", 10, "global memory sees what overflows, and each counter once", NULL,
     check_private, true},
#endif
};
const wb_suite many_bins_exercise = {"12_many_bins", exercise_checks, COUNT(exercise_checks)};
