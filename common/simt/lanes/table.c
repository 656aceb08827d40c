// SPDX-License-Identifier: MIT
// lanes/table.c - the lane functions of all opcode rows, by processor variant.
#include "lanes/table.h"

#define ISA_ROW(id, opcode, type, source, required, allowed, klass, form, n, d, a, b, c, fn, ...)  \
  void simt_lanes_base_##fn(uint8_t *regs, const simt_instr *in, uint32_t mask);                   \
  void simt_lanes_v3_##fn(uint8_t *regs, const simt_instr *in, uint32_t mask);                     \
  void simt_lanes_v4_##fn(uint8_t *regs, const simt_instr *in, uint32_t mask);
#include "isa/isa.def"
#undef ISA_ROW

#define HAS_LANES(form)                                                                            \
  ((form) == ISA_LANES || (form) == ISA_SETP || (form) == ISA_PACK || (form) == ISA_UNPACK)

// clang-format off
static const simt_lane_function functions[SIMT_N_LANE_VARIANTS][ISA_ID_COUNT] = {
  [SIMT_LANES_BASE] = {
#define ISA_ROW(id, opcode, type, source, required, allowed, klass, form, n, d, a, b, c, fn, ...)  \
  HAS_LANES(ISA_##form) ? simt_lanes_base_##fn : NULL,
#include "isa/isa.def"
#undef ISA_ROW
  },
#ifdef SIMT_HAVE_LANES_V3
  [SIMT_LANES_V3] = {
#define ISA_ROW(id, opcode, type, source, required, allowed, klass, form, n, d, a, b, c, fn, ...)  \
  HAS_LANES(ISA_##form) ? simt_lanes_v3_##fn : NULL,
#include "isa/isa.def"
#undef ISA_ROW
  },
#endif
#ifdef SIMT_HAVE_LANES_V4
  [SIMT_LANES_V4] = {
#define ISA_ROW(id, opcode, type, source, required, allowed, klass, form, n, d, a, b, c, fn, ...)  \
  HAS_LANES(ISA_##form) ? simt_lanes_v4_##fn : NULL,
#include "isa/isa.def"
#undef ISA_ROW
  },
#endif
};

static const simt_address_function addresses[SIMT_N_LANE_VARIANTS] = {
  [SIMT_LANES_BASE] = simt_lanes_base_addresses,
#ifdef SIMT_HAVE_LANES_V3
  [SIMT_LANES_V3] = simt_lanes_v3_addresses,
#endif
#ifdef SIMT_HAVE_LANES_V4
  [SIMT_LANES_V4] = simt_lanes_v4_addresses,
#endif
};
// clang-format on

// Every processor with the named features has the rest of its level.
bool simt_lanes_run_here(simt_lane_variant variant) {
  if (!addresses[variant]) return false; // not compiled
#ifdef SIMT_HAVE_LANES_V3
  if (variant == SIMT_LANES_V3)
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
           __builtin_cpu_supports("bmi2");
#endif
#ifdef SIMT_HAVE_LANES_V4
  if (variant == SIMT_LANES_V4)
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
#endif
  return true;
}

simt_lane_variant simt_lanes_best(void) {
  simt_lane_variant best = SIMT_N_LANE_VARIANTS - 1;
  while (!simt_lanes_run_here(best)) best--;
  return best;
}

simt_lane_function simt_lanes_in(simt_lane_variant variant, isa_id id) {
  return functions[variant][id];
}

simt_lane_function simt_lanes_of(isa_id id) { return functions[simt_lanes_best()][id]; }

simt_address_function simt_lanes_addresses_in(simt_lane_variant variant) {
  return addresses[variant];
}

simt_address_function simt_lanes_addresses(void) { return addresses[simt_lanes_best()]; }
