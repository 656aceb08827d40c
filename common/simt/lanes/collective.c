// SPDX-License-Identifier: MIT
// lanes/collective.c - what shuffles, votes, matches and warp-wide reductions compute once all
// their lanes have arrived. Sources are copied first: destination and source may be the same
// register. A shuffle that reads a lane which does not take part (it has left, or the mask leaves
// it out) gets 0: undefined by the PTX ISA, and what an H100 gives. Programs rely on it without
// knowing, so synccheck says where such a value is used. Source: PTX ISA, shfl.sync, vote.sync,
// match.sync, redux.sync; tests/simt/programs/inactive_sources.cu.
#include "lanes/collective.h"

#include <string.h>

static uint32_t *words(uint8_t *regs, uint32_t slot) { return (uint32_t *)(void *)(regs + slot); }

static void set_predicate(uint8_t *regs, uint32_t slot, uint32_t mask, uint32_t bits) {
  if (slot == SIMT_NO_SLOT) return;
  uint32_t *p = words(regs, slot);
  *p = (*p & ~mask) | (bits & mask);
}

// The lane whose value `lane` receives, and whether it lies inside the segment. c packs the clamp
// value (bits 0-4) and the segment mask (bits 8-12).
static int shuffle_source(uint8_t mode, uint32_t lane, uint32_t b, uint32_t c, bool *inside) {
  uint32_t segment = c >> 8 & 0x1f, clamp = c & 0x1f, by = b & 0x1f;
  int last = (int)((lane & segment) | (clamp & ~segment)), first = (int)(lane & segment);
  int from = 0;
  switch (mode) {
  case ISA_SHFL_UP:
    from = (int)lane - (int)by;
    *inside = from >= last;
    break;
  case ISA_SHFL_DOWN:
    from = (int)lane + (int)by;
    *inside = from <= last;
    break;
  case ISA_SHFL_BFLY:
    from = (int)(lane ^ by);
    *inside = from <= last;
    break;
  default:
    from = first | (int)(by & ~segment);
    *inside = from <= last;
    break;
  }
  return *inside ? from : (int)lane;
}

void simt_shuffle_sources(const uint8_t *regs, const simt_instr *in, uint32_t mask,
                          uint8_t *source) {
  const uint32_t *b = (const uint32_t *)(const void *)(regs + in->b);
  const uint32_t *c = (const uint32_t *)(const void *)(regs + in->c);
  bool inside;
  for (SIMT_EACH_LANE(lane, mask))
    source[lane] =
        (uint8_t)shuffle_source(in->collective.operation, lane, b[lane], c[lane], &inside);
}

static void shuffle(uint8_t *regs, const simt_instr *in, uint32_t mask) {
  uint32_t value[SIMT_LANES], inside_lanes = 0;
  memcpy(value, regs + in->a, sizeof value);
  const uint32_t *b = words(regs, in->b), *c = words(regs, in->c);
  uint32_t result[SIMT_LANES];
  for (SIMT_EACH_LANE(lane, mask)) {
    bool inside;
    int from = shuffle_source(in->collective.operation, lane, b[lane], c[lane], &inside);
    inside_lanes |= (uint32_t)inside << lane;
    result[lane] = mask >> from & 1 ? value[from] : 0;
  }
  if (in->d != SIMT_NO_SLOT)
    for (SIMT_EACH_LANE(lane, mask)) words(regs, in->d)[lane] = result[lane];
  set_predicate(regs, in->collective.second_d, mask, inside_lanes);
}

static void vote(uint8_t *regs, const simt_instr *in, uint32_t mask) {
  uint32_t p = *words(regs, in->a), yes = (in->a_negated ? ~p : p) & mask;
  bool value = in->collective.operation == ISA_VOTE_ALL   ? yes == mask
               : in->collective.operation == ISA_VOTE_ANY ? yes != 0
                                                          : yes == 0 || yes == mask;
  if (in->d == SIMT_NO_SLOT) return;
  if (in->collective.operation != ISA_VOTE_BALLOT)
    set_predicate(regs, in->d, mask, value ? SIMT_FULL_MASK : 0);
  else
    for (SIMT_EACH_LANE(lane, mask)) words(regs, in->d)[lane] = yes;
}

static uint64_t lane_value(const uint8_t *regs, const simt_instr *in, uint32_t lane) {
  uint64_t value = 0;
  memcpy(&value, regs + in->a + lane * in->collective.value_bytes, in->collective.value_bytes);
  return value;
}

// The lanes of `mask` that have the value of each, same [32]; how many values there are.
static uint32_t group_lanes(const uint8_t *regs, const simt_instr *in, uint32_t mask,
                            uint32_t *same) {
  uint64_t value[SIMT_LANES];
  uint32_t n = 0;
  for (SIMT_EACH_LANE(lane, mask)) value[lane] = lane_value(regs, in, lane);
  for (uint32_t left = mask, group; left; left &= ~group, n++) {
    uint64_t first = value[__builtin_ctz(left)];
    group = 0;
    for (SIMT_EACH_LANE(lane, left)) group |= (uint32_t)(value[lane] == first) << lane;
    for (SIMT_EACH_LANE(lane, group)) same[lane] = group;
  }
  return n;
}

uint32_t simt_exec_match(uint8_t *regs, const simt_instr *in, uint32_t mask) {
  uint32_t same[SIMT_LANES];
  const uint32_t n_values = group_lanes(regs, in, mask, same);
  const bool all = n_values == 1;
  if (in->d != SIMT_NO_SLOT)
    for (SIMT_EACH_LANE(lane, mask))
      words(regs, in->d)[lane] = in->collective.operation == ISA_MATCH_ANY ? same[lane]
                                 : all                                     ? mask
                                                                           : 0;
  set_predicate(regs, in->collective.second_d, mask, all ? SIMT_FULL_MASK : 0);
  return n_values;
}

static uint32_t combine(uint8_t op, bool is_signed, uint32_t x, uint32_t y) {
  uint32_t flip = is_signed ? UINT32_C(1) << 31 : 0;
  switch (op) {
  case ISA_REDUX_ADD: return x + y;
  case ISA_REDUX_MIN: return (x ^ flip) < (y ^ flip) ? x : y;
  case ISA_REDUX_MAX: return (x ^ flip) > (y ^ flip) ? x : y;
  case ISA_REDUX_AND: return x & y;
  case ISA_REDUX_OR: return x | y;
  default: return x ^ y;
  }
}

static void redux(uint8_t *regs, const simt_instr *in, uint32_t mask) {
  const uint32_t *a = words(regs, in->a);
  uint32_t first = (uint32_t)__builtin_ctz(mask), result = a[first];
  for (SIMT_EACH_LANE(lane, mask & ~(1u << first)))
    result = combine(in->collective.operation, in->collective.is_signed, result, a[lane]);
  if (in->d == SIMT_NO_SLOT) return;
  for (SIMT_EACH_LANE(lane, mask)) words(regs, in->d)[lane] = result;
}

void simt_exec_collective(uint8_t *regs, const simt_instr *in, uint32_t mask) {
  switch (in->form) {
  case ISA_SHUFFLE: shuffle(regs, in, mask); break;
  case ISA_VOTE: vote(regs, in, mask); break;
  case ISA_MATCH: simt_exec_match(regs, in, mask); break;
  case ISA_REDUX: redux(regs, in, mask); break;
  default: break; // __syncwarp computes nothing
  }
}
