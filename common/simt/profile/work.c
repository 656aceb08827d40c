// SPDX-License-Identifier: MIT
// profile/work.c - per warp: the lanes that have loaded, and the number of its requests.
#include "profile/work.h"

#include <stdlib.h>
#include <string.h>

typedef struct warp_work {
  uint32_t global_lanes, shared_lanes; // that have loaded from there
  uint32_t requests;                   // loads, stores, atomics and shuffles
} warp_work;

typedef struct work_observer {
  simt_observer hooks; // first: a simt_observer * is a work_observer *
  warp_work *warps;    // [capacity], the first n_warps of the running launch
  uint64_t n_warps, capacity;
  uint32_t warps_per_block;
  simt_work work;
} work_observer;

static warp_work *warp_at(simt_observer *observer, uint32_t block, uint32_t warp) {
  work_observer *self = (work_observer *)observer;
  uint64_t index = (uint64_t)block * self->warps_per_block + warp;
  return index < self->n_warps ? &self->warps[index] : NULL;
}

static void on_access(simt_observer *observer, const simt_access *a) {
  warp_work *w = a->mask ? warp_at(observer, a->block, a->warp) : NULL;
  if (!w) return;
  w->requests++;
  if (a->kind != SIMT_LOAD) return;
  if (a->space == PTX_SPACE_GLOBAL) w->global_lanes |= a->mask;
  else if (a->space == PTX_SPACE_SHARED) w->shared_lanes |= a->mask;
}

static void on_sync(simt_observer *observer, simt_sync_kind kind, uint32_t pc, uint32_t block,
                    uint32_t warp, uint32_t mask) {
  (void)pc, (void)mask;
  warp_work *w = kind == SIMT_SYNC_SHUFFLE ? warp_at(observer, block, warp) : NULL;
  if (w) w->requests++;
}

// Without memory, nothing is counted.
static void begin(work_observer *self, uint64_t n_warps, uint32_t warps_per_block) {
  self->work = (simt_work){0};
  self->warps_per_block = warps_per_block;
  self->n_warps = n_warps <= SIMT_WORK_MAX_WARPS ? n_warps : 0;
  if (self->n_warps > self->capacity) {
    free(self->warps);
    self->warps = malloc(self->n_warps * sizeof *self->warps);
    self->capacity = self->warps ? self->n_warps : 0;
    if (!self->warps) self->n_warps = 0;
  }
  if (self->n_warps) memset(self->warps, 0, self->n_warps * sizeof *self->warps);
}

static void on_launch_begin(simt_observer *observer, const simt_launch_info *info) {
  begin((work_observer *)observer, info->n_blocks * info->warps_per_block, info->warps_per_block);
}

static simt_observer *on_fork(simt_observer *observer, uint32_t n_workers) {
  (void)n_workers;
  const work_observer *self = (work_observer *)observer;
  work_observer *worker = (work_observer *)simt_work_observer_create();
  if (!worker) return NULL;
  begin(worker, self->n_warps, self->warps_per_block);
  return &worker->hooks;
}

static void on_join(simt_observer *observer, simt_observer *worker) {
  work_observer *self = (work_observer *)observer, *from = (work_observer *)worker;
  for (uint64_t i = 0; i < self->n_warps && i < from->n_warps; i++) {
    self->warps[i].global_lanes |= from->warps[i].global_lanes;
    self->warps[i].shared_lanes |= from->warps[i].shared_lanes;
    self->warps[i].requests += from->warps[i].requests;
  }
  simt_work_observer_destroy(worker);
}

static void on_launch_end(simt_observer *observer, const simt_launch_info *info,
                          const simt_profile *profile) {
  work_observer *self = (work_observer *)observer;
  simt_work *work = &self->work;
  (void)info, (void)profile;
  for (uint64_t i = 0; i < self->n_warps; i++) {
    const warp_work *w = &self->warps[i];
    work->global_threads += (unsigned)__builtin_popcount(w->global_lanes);
    work->shared_threads += (unsigned)__builtin_popcount(w->shared_lanes);
    if (w->requests > work->busiest_requests) work->busiest_requests = w->requests;
  }
}

simt_observer *simt_work_observer_create(void) {
  work_observer *self = calloc(1, sizeof *self);
  if (!self) return NULL;
  self->hooks.launch_begin = on_launch_begin;
  self->hooks.access = on_access;
  self->hooks.sync = on_sync;
  self->hooks.fork = on_fork;
  self->hooks.join = on_join;
  self->hooks.discard = simt_work_observer_destroy;
  self->hooks.launch_end = on_launch_end;
  return &self->hooks;
}

void simt_work_observer_destroy(simt_observer *observer) {
  work_observer *self = (work_observer *)observer;
  if (!self) return;
  free(self->warps);
  free(self);
}

simt_work simt_work_of(const simt_observer *observer) {
  return ((const work_observer *)observer)->work;
}
