// SPDX-License-Identifier: MIT
// lanes/table.c - the lane functions of all opcode rows, by processor variant.
#include "lanes/table.h"

#include <stdbool.h>

#define ISA_ROW(id, opcode, type, source, required, allowed, klass, form, n, d, a, b, c, fn, ...)  \
  void simt_lanes_base_##fn(uint8_t *regs, const simt_instr *in, uint32_t mask);                   \
  void simt_lanes_v3_##fn(uint8_t *regs, const simt_instr *in, uint32_t mask);
#include "isa/isa.def"
#undef ISA_ROW

#define HAS_LANES(form)                                                                            \
  ((form) == ISA_LANES || (form) == ISA_SETP || (form) == ISA_PACK || (form) == ISA_UNPACK)

// clang-format off
static const simt_lane_function lanes_base[ISA_ID_COUNT] = {
#define ISA_ROW(id, opcode, type, source, required, allowed, klass, form, n, d, a, b, c, fn, ...)  \
  HAS_LANES(ISA_##form) ? simt_lanes_base_##fn : NULL,
#include "isa/isa.def"
#undef ISA_ROW
};

#ifdef SIMT_HAVE_LANES_V3
static const simt_lane_function lanes_v3[ISA_ID_COUNT] = {
#define ISA_ROW(id, opcode, type, source, required, allowed, klass, form, n, d, a, b, c, fn, ...)  \
  HAS_LANES(ISA_##form) ? simt_lanes_v3_##fn : NULL,
#include "isa/isa.def"
#undef ISA_ROW
};
#endif
// clang-format on

#ifdef SIMT_HAVE_LANES_V3
// Every processor with these three has the rest of x86-64-v3.
static bool has_x86_64_v3(void) {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
         __builtin_cpu_supports("bmi2");
}
#endif

simt_lane_function simt_lanes_portable(isa_id id) { return lanes_base[id]; }

simt_lane_function simt_lanes_of(isa_id id) {
#ifdef SIMT_HAVE_LANES_V3
  if (has_x86_64_v3()) return lanes_v3[id];
#endif
  return lanes_base[id];
}

simt_address_function simt_lanes_addresses(void) {
#ifdef SIMT_HAVE_LANES_V3
  if (has_x86_64_v3()) return simt_lanes_v3_addresses;
#endif
  return simt_lanes_base_addresses;
}
