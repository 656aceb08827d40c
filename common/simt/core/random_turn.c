// SPDX-License-Identifier: MIT
// core/random_turn.c - a warp's turn in the random schedule: whether it comes, how long it is,
// which split runs, and converged lanes that are split in two.
#include "core/random_turn.h"

#include "core/schedule.h"
#include "core/splits.h"
#include "core/state.h"

enum {
  SHORT_SLICE = 64, // memory accesses
  LONG_SLICE = 4096,
  SKIP_BITS = 10, // a warp is skipped for fewer than 2^(SKIP_BITS - 1) turns, mostly for far fewer
  MOST_SHAKEN = 4 // a warp with this many splits is not split further at random
};

// Any of the ready splits may run next: the chosen one goes to the end of the array.
static void choose_split(simt_core *core, simt_warp *w) {
  uint32_t ready[SIMT_MAX_SPLITS], n = 0;
  for (uint32_t i = 0; i < w->n_splits; i++)
    if (w->splits[i].state == SIMT_READY) ready[n++] = i;
  if (n < 2) return;
  uint32_t at = ready[simt_schedule_draw(core) % n];
  simt_split chosen = w->splits[at];
  simt_split_remove(w, at);
  simt_split_insert(w, w->n_splits, chosen);
}

// Converged lanes need not stay so, wherever they are: splits the last split in two.
static void shake(simt_core *core, simt_warp *w) {
  int at = simt_split_last_ready(w);
  if (at < 0 || w->n_splits >= MOST_SHAKEN || !simt_schedule_one_in(core, 8)) return;
  simt_split part = w->splits[at];
  part.mask &= simt_schedule_draw(core);
  if (!part.mask || part.mask == w->splits[at].mask) return;
  w->splits[at].mask &= ~part.mask;
  simt_split_insert(w, (uint32_t)at, part);
}

bool simt_random_turn(simt_core *core, simt_warp *w) {
  if (w->skipped_turns) return w->skipped_turns--, false;
  if (simt_schedule_one_in(core, 16)) {
    uint32_t bits = simt_schedule_draw(core) % SKIP_BITS;
    w->skipped_turns = simt_schedule_draw(core) & ((1u << bits) - 1);
  }
  core->steps =
      simt_schedule_one_in(core, 16) ? LONG_SLICE : 1 + simt_schedule_draw(core) % SHORT_SLICE;
  if (w->n_splits > 1 && simt_schedule_one_in(core, 2)) simt_split_merge(w);
  choose_split(core, w);
  shake(core, w);
  return true;
}
