// SPDX-License-Identifier: MIT
// race_fixture.h - drives racecheck's hooks by hand, event by event, and asks what it has found.
#ifndef RACE_FIXTURE_H
#define RACE_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check/race/race.h"
#include "isa/isa.h"

#define ALL_LANES UINT32_MAX
enum { RACE_SHARED_BYTES = 2048 };
#define RACE_GLOBAL UINT64_C(0x700000000)

typedef struct race_run {
  simt_findings *findings;
  simt_observer *o;
  simt_launch_info info;
  uint8_t memory[4096]; // what reads find
} race_run;

static inline void race_launch(race_run *run, uint32_t n_blocks, uint32_t threads,
                               bool cooperative) {
  run->info = (simt_launch_info){.n_blocks = n_blocks,
                                 .grid = {n_blocks, 1, 1},
                                 .block = {threads, 1, 1},
                                 .block_threads = threads,
                                 .warps_per_block = (threads + 31) / 32,
                                 .shared_bytes = RACE_SHARED_BYTES,
                                 .cooperative = cooperative,
                                 .n_code = 1000,
                                 .launch = run->info.launch + 1};
  run->o->launch_begin(run->o, &run->info);
}

static inline race_run *race_begin(uint32_t n_blocks, uint32_t threads) {
  race_run *run = calloc(1, sizeof *run);
  ck_assert_ptr_nonnull(run);
  run->findings = simt_findings_create(NULL);
  run->o = simt_racecheck_create(run->findings);
  ck_assert_ptr_nonnull(run->o);
  race_launch(run, n_blocks, threads, false);
  return run;
}

static inline void race_free(race_run *run) {
  simt_racecheck_destroy(run->o);
  simt_findings_destroy(run->findings);
  free(run);
}

// ---- events ------------------------------------------------------------------------------------

// One access of a warp. The defaults give a plain 4-byte access of lane 0 of warp 0 of block 0 to
// shared memory.
typedef struct warp_access {
  uint32_t pc, block, warp, mask; // mask 0: lane 0
  uint32_t owner;                 // of shared memory: 0: the block itself, else 1 + its owner
  uint32_t width;                 // 0: 4
  uint32_t vector;                // 0: 1
  simt_access_kind kind;
  bool global;
  uint64_t at, stride; // lane l: at + l * stride
  const uint64_t *addresses;
  isa_order order;
  isa_scope scope;
  uint32_t value, value_step; // lane l: value + l * value_step
} warp_access;

static inline void send_access(race_run *run, warp_access s) {
  uint64_t address[32];
  uint8_t data[4][32 * 8];
  uint32_t mask = s.mask ? s.mask : 1, width = s.width ? s.width : 4;
  uint32_t vector = s.vector ? s.vector : width == 16 ? 4 : 1, element = width / vector;
  memset(data, 0, sizeof data);
  for (uint32_t l = 0; l < 32; l++) {
    uint64_t value = s.value + (uint64_t)l * s.value_step;
    address[l] =
        (s.global ? RACE_GLOBAL : 0) + (s.addresses ? s.addresses[l] : s.at + l * s.stride);
    for (uint32_t i = 0; i < vector; i++)
      memcpy(data[i] + l * 8, &value, element < 8 ? element : 8);
  }
  simt_access a = {.pc = s.pc,
                   .mask = mask,
                   .block = s.block,
                   .warp = s.warp,
                   .owner = s.owner == s.block + 1 ? 0 : s.owner,
                   .width_bytes = width,
                   .kind = (uint8_t)s.kind,
                   .space = s.global ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED,
                   .pattern = SIMT_PATTERN_ANY,
                   .is_volatile = s.order != ISA_WEAK,
                   .order = (uint8_t)s.order,
                   .scope = (uint8_t)s.scope,
                   .lane_bytes = 8,
                   .vector = (uint8_t)vector,
                   .address = address};
  bool uniform = true, contiguous = mask == ALL_LANES;
  for (uint32_t l = 0, first = (uint32_t)__builtin_ctz(mask); l < 32; l++) {
    if (mask >> l & 1) uniform &= address[l] == address[first];
    contiguous &= address[l] == address[0] + (uint64_t)l * width;
  }
  if (uniform) a.pattern = SIMT_PATTERN_UNIFORM;
  else if (contiguous) a.pattern = SIMT_PATTERN_CONTIGUOUS;
  if (s.kind == SIMT_ATOMIC && s.order == ISA_WEAK) a.order = ISA_RELAXED, a.scope = ISA_SCOPE_GPU;
  if (s.kind != SIMT_LOAD)
    for (uint32_t i = 0; i < vector; i++) a.data[i] = data[i];
  run->o->access(run->o, &a);
}

#define LOAD(...) send_access(run, (warp_access){.kind = SIMT_LOAD, __VA_ARGS__})
#define STORE(...) send_access(run, (warp_access){.kind = SIMT_STORE, __VA_ARGS__})
#define ATOMIC(...) send_access(run, (warp_access){.kind = SIMT_ATOMIC, __VA_ARGS__})

static inline void race_arrive(race_run *run, uint32_t block, uint32_t warp, uint32_t mask,
                               uint32_t id, bool whole_block, bool waits) {
  simt_barrier_event e = {.block = block,
                          .warp = warp,
                          .mask = mask,
                          .id = id,
                          .whole_block = whole_block,
                          .waits = waits};
  run->o->barrier(run->o, &e);
}

static inline uint32_t race_lanes(const race_run *run, uint32_t warp) {
  uint32_t left = run->info.block_threads - warp * 32;
  return left >= 32 ? ALL_LANES : (1u << left) - 1;
}

// __syncthreads()
static inline void race_barrier(race_run *run, uint32_t block) {
  for (uint32_t w = 0; w < run->info.warps_per_block; w++)
    race_arrive(run, block, w, race_lanes(run, w), 0, true, true);
  run->o->barrier_done(run->o, block, 0);
}

static inline void race_collective(race_run *run, uint32_t block, uint32_t warp, uint32_t members,
                                   uint32_t exited, simt_collective_kind kind) {
  simt_collective_event e = {.block = block,
                             .warp = warp,
                             .members = members,
                             .mask = members & ~exited & race_lanes(run, warp),
                             .existing = race_lanes(run, warp),
                             .exited = exited,
                             .kind = (uint8_t)kind};
  run->o->collective(run->o, &e);
}

static inline void race_syncwarp(race_run *run, uint32_t block, uint32_t warp, uint32_t mask) {
  race_collective(run, block, warp, mask, 0, SIMT_COLLECTIVE_SYNCWARP);
}

static inline void race_fence(race_run *run, uint32_t block, uint32_t warp, uint32_t mask,
                              isa_scope scope) {
  simt_fence_event e = {
      .block = block, .warp = warp, .mask = mask, .order = ISA_SEQ_CST, .scope = (uint8_t)scope};
  run->o->fence(run->o, &e);
}

static inline void race_grid_sync(race_run *run) {
  run->o->sync(run->o, SIMT_SYNC_GRID, 0, 0, 0, ALL_LANES);
}

// ---- expectations ------------------------------------------------------------------------------

static inline void expect_clean(race_run *run) {
  uint64_t count;
  for (uint32_t i = 0; i < simt_racecheck_pairs(run->o); i++) {
    const simt_finding *f = simt_racecheck_pair(run->o, i, &count);
    ck_abort_msg("unexpected %s, pc %u then %u", simt_finding_name(f->kind), f->first.pc,
                 f->second.pc);
  }
}

// Exactly one pair was found, this one; returns it.
static inline simt_finding expect_race(race_run *run, simt_finding_kind kind, uint32_t first_pc,
                                       uint32_t second_pc, simt_relation relation) {
  uint64_t count;
  ck_assert_uint_eq(simt_racecheck_pairs(run->o), 1);
  simt_finding f = *simt_racecheck_pair(run->o, 0, &count);
  ck_assert_str_eq(simt_finding_name(f.kind), simt_finding_name(kind));
  ck_assert_uint_eq(f.first.pc, first_pc);
  ck_assert_uint_eq(f.second.pc, second_pc);
  ck_assert_uint_eq(f.relation, relation);
  return f;
}

#endif
