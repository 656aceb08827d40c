// SPDX-License-Identifier: MIT
// 08_histogram_diagnose.c - compares bins with what they must be; where they differ, tries the
// classic mistakes until one gives the very same bins.
//
// A mistake is a hypothesis about who counts what, about equal elements, or about the counts. One
// that is not among them is reported as wrong bins and the number of elements counted.
#include "08_histogram.h"

#include <stdio.h>
#include <string.h>

static void begin(evidence *e) {
  for (unsigned b = 0; b < BINS; b++) e->bins[b] = start_of(e->one, b);
}
static bool fits(const evidence *e) { return memcmp(e->bins, e->got, sizeof e->bins) == 0; }
static void take(evidence *e, unsigned first, unsigned end) {
  for (unsigned i = first; i < end && i < e->one->n; i++) e->bins[e->x[i]]++;
}

// --- hypotheses about who counts what

// The threads take turns, `group` elements each: 1, or as many as 16 bytes hold. With groups, what
// lies before the first multiple of 16 bytes (the head) and after the last whole group (the tail)
// is counted by the first threads, one each.
typedef enum part { HEAD, BODY, TAIL } part;
typedef struct place {
  part part;
  unsigned turn; // which thread it falls to, had the grid no end
} place;

static unsigned elements_of_16_bytes(const evidence *e) { return 16 / e->tally->element_bytes; }

static unsigned head_of(const evidence *e, unsigned group) {
  unsigned head = (group - e->one->offset % group) % group;
  return head < e->one->n ? head : e->one->n;
}

static place place_of(const evidence *e, unsigned i, unsigned group) {
  unsigned head = head_of(e, group), body = (e->one->n - head) / group * group;
  if (i < head) return (place){HEAD, i};
  if (i < head + body) return (place){BODY, (i - head) / group};
  return (place){TAIL, i - head - body};
}

// How often an element that lies there is counted.
typedef unsigned (*hypothesis)(const evidence *e, place at, unsigned parameter);

static bool holds(evidence *e, hypothesis times, unsigned parameter, unsigned group) {
  begin(e);
  for (unsigned i = 0; i < e->one->n; i++)
    e->bins[e->x[i]] += times(e, place_of(e, i, group), parameter);
  return fits(e);
}

// One element a turn, or 16 bytes.
static bool holds_somehow(evidence *e, hypothesis times, unsigned parameter) {
  return holds(e, times, parameter, 1) || holds(e, times, parameter, elements_of_16_bytes(e));
}

static unsigned all_but(const evidence *e, place at, unsigned lost) {
  (void)e;
  return at.part != lost;
}
static unsigned twice(const evidence *e, place at, unsigned unused) {
  (void)e, (void)at, (void)unused;
  return 2;
}
static unsigned by_every_block(const evidence *e, place at, unsigned repeated) {
  return at.part == repeated ? e->one->grid : 1;
}
static unsigned first_rounds(const evidence *e, place at, unsigned n_rounds) {
  return at.turn < n_rounds * e->one->grid * e->one->block;
}
// Two groups at a time, and a last one that has no other beside it is left out.
static unsigned in_pairs(const evidence *e, place at, unsigned unused) {
  unsigned group = elements_of_16_bytes(e), n_groups = (e->one->n - head_of(e, group)) / group;
  unsigned n_threads = e->one->grid * e->one->block;
  (void)unused;
  return at.part != BODY || at.turn / n_threads % 2 == 1 || at.turn + n_threads < n_groups;
}
static unsigned of_block(const evidence *e, place at, unsigned block) {
  return at.turn / e->one->block % e->one->grid == block;
}
static unsigned of_lane(const evidence *e, place at, unsigned lane) {
  (void)e;
  return at.turn % LANES == lane;
}
// Block b begins at its own elements, but goes on through those of the others.
static unsigned stride_of_one_block(const evidence *e, place at, unsigned unused) {
  unsigned n_before = at.turn / e->one->block + 1;
  (void)unused;
  return n_before < e->one->grid ? n_before : e->one->grid;
}

static bool only_one_block(evidence *e) {
  return e->one->grid > 1 &&
         (holds_somehow(e, of_block, 0) || holds_somehow(e, of_block, e->one->grid - 1));
}

static bool tail_lost(evidence *e, unsigned unit) {
  begin(e);
  take(e, 0, e->one->n / unit * unit);
  return e->one->n % unit != 0 && fits(e);
}

static bool any_tail_lost(evidence *e) {
  return holds(e, all_but, TAIL, elements_of_16_bytes(e)) || tail_lost(e, LANES) ||
         tail_lost(e, 4) || tail_lost(e, e->one->block);
}

// --- hypotheses about equal elements

// What 32 neighbours add when `each` is added by one of every group of equals (or, `all`, by every
// lane of it): 1, or the group's size.
static bool lanes_fit(evidence *e, bool size, bool all) {
  begin(e);
  for (unsigned first = 0; first < e->one->n; first += LANES) {
    unsigned in_group[BINS] = {0}, end = first + LANES < e->one->n ? first + LANES : e->one->n;
    for (unsigned i = first; i < end; i++) in_group[e->x[i]]++;
    for (unsigned b = 0; b < BINS; b++)
      e->bins[b] += in_group[b] == 0 ? 0 : (size ? in_group[b] : 1) * (all ? in_group[b] : 1);
  }
  return fits(e);
}

// What a thread's 16 bytes add when, if the first n_compared of them are like those `apart`
// further, the first of them gets `added` for all.
static bool sixteens_fit(evidence *e, unsigned apart, unsigned n_compared, unsigned added) {
  unsigned head = head_of(e, 16), first = head;
  if (e->tally->element_bytes != 1) return false;
  begin(e);
  take(e, 0, head);
  for (; first + 16 <= e->one->n; first += 16) {
    const unsigned char *x = e->x + first;
    if (memcmp(x, x + apart, n_compared) == 0) e->bins[*x] += added;
    else take(e, first, first + 16);
  }
  take(e, first, e->one->n);
  return fits(e);
}

// Threads that walk over 16 elements each and add a run when another element comes: none comes
// after the last run.
static bool last_runs_lost(evidence *e) {
  begin(e);
  for (unsigned first = 0; first < e->one->n; first += 16) {
    unsigned end = e->one->n - first < 16 ? e->one->n : first + 16, last = end - 1;
    while (last > first && e->x[last - 1] == e->x[last]) last--;
    take(e, first, last);
  }
  return fits(e);
}

// --- hypotheses about the counts

static bool old_counts_lost(evidence *e) {
  memset(e->bins, 0, sizeof e->bins);
  take(e, 0, e->one->n);
  return e->one->counted && fits(e);
}

static bool bins_lost(evidence *e, unsigned first, unsigned end) {
  begin(e);
  take(e, 0, e->one->n);
  for (unsigned b = first; b < end; b++) e->bins[b] = start_of(e->one, b);
  return fits(e);
}

// Each value counts in the bin of its own number, where the bins are those of the negative.
static bool not_negative(evidence *e) {
  begin(e);
  for (unsigned i = 0; i < e->one->n; i++) e->bins[BINS - 1 - e->x[i]]++;
  return e->tally->negative && fits(e);
}

// Some bin holds the rubbish that shared memory begins with, from one or several copies of each
// block. (A multiple of it may wrap round to something small, which is no rubbish.)
static bool rubbish(evidence *e) {
  begin(e);
  take(e, 0, e->one->n);
  for (unsigned b = 0; b < BINS; b++)
    for (unsigned n_copies = 1; n_copies <= LANES; n_copies++) {
      uint32_t excess = n_copies * e->one->grid * WB_UNINITIALISED;
      bool is_large = excess > e->one->n && -excess > e->one->n;
      if (is_large && e->got[b] - e->bins[b] == excess) return true;
    }
  return false;
}

// One bin has too much, by less than a warp for each warp of the grid; all others are right.
static bool phantom_elements(evidence *e, unsigned *bin) {
  unsigned n_wrong = 0;
  begin(e);
  take(e, 0, e->one->n);
  for (unsigned b = 0; b < BINS; b++)
    if (e->got[b] != e->bins[b]) n_wrong++, *bin = b;
  return n_wrong == 1 && e->got[*bin] > e->bins[*bin];
}

static void balance(const evidence *e, char *text, size_t text_bytes) {
  int64_t sum = 0;
  for (unsigned b = 0; b < BINS; b++) sum += (int64_t)e->got[b] - start_of(e->one, b);
  if (sum == (int64_t)e->one->n)
    snprintf(text, text_bytes, "%u elements were counted, as many as there are, but in wrong bins",
             e->one->n);
  else if (sum > (int64_t)e->one->n)
    snprintf(text, text_bytes,
             "of %u elements %lld were counted, more than there are: are some counted twice, do "
             "counters begin with what was there before, or is a number added that was added "
             "already?",
             e->one->n, (long long)sum);
  else
    snprintf(text, text_bytes,
             "of %u elements %lld were counted. Is there a __syncthreads() between clearing and "
             "counting, and another before the counts are added to the bins? Is every count an "
             "atomicAdd?",
             e->one->n, (long long)sum);
}

// Equal elements that were counted together wrongly; NULL: none.
static const char *about_equals(evidence *e) {
  if (lanes_fit(e, false, false))
    return "a group of equal bytes counts as one: add the number of its lanes, __popc(same)";
  if (lanes_fit(e, true, true))
    return "every lane of a group adds the group's size: only one of them may";
  if (sixteens_fit(e, 1, 15, 1)) return "sixteen equal bytes count as one: add 16";
  if (sixteens_fit(e, 1, 15, 32))
    return "sixteen equal bytes are added as 16, and then once more one by one: is there an else?";
  if (last_runs_lost(e))
    return "the last run of a thread's sixteen bytes is not added: no other byte comes after it";
  if (sixteens_fit(e, 4, 12, 16))
    return "16 is added although not all sixteen bytes are equal, but only the four words";
  for (unsigned n_compared = 3; n_compared < 15; n_compared += 4)
    if (sixteens_fit(e, 1, n_compared, 16))
      return "16 is added although not all sixteen bytes are equal: compare all four words";
  return NULL;
}

// Elements that the wrong threads took, or none; NULL: none.
static const char *about_turns(evidence *e) {
  if (holds(e, twice, 0, 1)) return "every element was counted twice";
  if (holds(e, in_pairs, 0, elements_of_16_bytes(e)))
    return "sixteen bytes that have no second sixteen beside them are left out: what follows the "
           "loop with two loads?";
  if (holds_somehow(e, first_rounds, 1) || holds_somehow(e, first_rounds, 2))
    return "each thread counts once only: with more elements than threads it must go on, "
           "gridDim.x * blockDim.x further, until n";
  if (holds(e, by_every_block, TAIL, elements_of_16_bytes(e)))
    return "the last few elements are counted by every block: they fall to threads of the grid, "
           "not "
           "of each block";
  if (holds(e, by_every_block, HEAD, elements_of_16_bytes(e)))
    return "the first few elements are counted by every block: they fall to threads of the grid, "
           "not of each block";
  if (any_tail_lost(e)) return "the last few elements are missing: is the tail counted?";
  if (holds(e, all_but, HEAD, elements_of_16_bytes(e)))
    return "the first few elements are missing: those before the first address that is a multiple "
           "of 16";
  if (holds_somehow(e, stride_of_one_block, 0))
    return "a block goes on with elements that are another block's: the next one is gridDim.x * "
           "blockDim.x further";
  if (only_one_block(e))
    return "only one block's counts are there: add to the bins (atomicAdd), do not overwrite them";
  for (unsigned lane = 0; lane < LANES; lane += LANES - 1)
    if (holds_somehow(e, of_lane, lane))
      return "only what one lane of each warp counted is there: add up all copies of a count";
  return NULL;
}

static wb_why diagnose(evidence *e, char *text, size_t text_bytes) {
  unsigned bin = 0, block = e->one->block;
  begin(e);
  if (fits(e))
    return WB_UNFILLED("nothing was added: the bins are as they were. Is the blank filled in yet?");
  if (old_counts_lost(e))
    return WB_WHY("what the bins held before is gone: add to them (atomicAdd), do not overwrite "
                  "them");
  if (rubbish(e))
    return WB_WHY("the block's counts did not begin at 0: shared memory holds rubbish until it is "
                  "written. Are all counts set, of every copy, also by a block of fewer threads?");
  if (not_negative(e))
    return WB_WHY("each byte counts in the bin of its own number: byte v belongs in bin 255 - v");
  const char *cause = about_equals(e);
  if (!cause) cause = about_turns(e);
  if (cause) return WB_WHY(cause);
  if (bins_lost(e, block, BINS))
    snprintf(text, text_bytes,
             "the bins from %u on got nothing: there are 256 of them, but a block may have fewer "
             "threads",
             block);
  else if (e->tally->negative && block < BINS && bins_lost(e, 0, BINS - block))
    snprintf(text, text_bytes,
             "the bins below %u got nothing: there are 256 of them, but a block may have fewer "
             "threads",
             BINS - block);
  else if (phantom_elements(e, &bin))
    snprintf(text, text_bytes,
             "bin %u alone has too much: are lanes without an element counted as a value of %u?",
             bin, e->tally->negative ? BINS - 1 - bin : bin);
  else balance(e, text, text_bytes);
  return WB_WHY(text);
}

void judge_bins(wb_judge *judge, evidence *e) {
  begin(e);
  take(e, 0, e->one->n);
  if (fits(e)) return;
  unsigned first = 0, n_wrong = 0;
  for (unsigned b = BINS; b-- > 0;)
    if (e->got[b] != e->bins[b]) first = b, n_wrong++;
  uint32_t expected = e->bins[first];
  char text[600];
  wb_judge_fail_why(judge, diagnose(e, text, sizeof text),
                    "%u of 256 bins are wrong; bins[%u]: expected %u, got %u", n_wrong, first,
                    expected, e->got[first]);
}
