// SPDX-License-Identifier: MIT
// decode/analysis/levels.c - plain loads of a word that compare-and-swaps move past the value that
// it is compared with, as in a search that goes breadth first:
//
//   if (level[v] == depth) … atomicCAS(&level[u], -1, depth + 1)
//
// Whether the load comes before such a swap or after it, the comparison has the same outcome: the
// word held the constant and now holds the parameter with something added, neither of which is the
// parameter. The rule: the value is used only in tests for equality with one parameter of the
// launch, and all compare-and-swaps of its width expect a constant and write that parameter with a
// constant added.
//
// Taken for granted: the launch's parameter is not the constant.
#include "decode/analysis/analysis.h"
#include "decode/analysis/places.h"
#include "device/observer.h"

static bool is_swap_of(const simt_instr *in, uint8_t width_bytes) {
  return in->form == ISA_ATOM && in->memory.operation == ISA_ATOM_CAS &&
         in->memory.width_bytes == width_bytes;
}

// Whether the swap moves a word from a constant past the parameter.
static bool moves_past(const simt_values *v, const simt_instr *swap, simt_place parameter) {
  const simt_place expected = simt_place_of_value(v, swap->b);
  uint64_t apart;
  if (expected.step || !simt_is_constant(v, expected.operand) ||
      !simt_places_are_apart(v, simt_place_of_value(v, swap->c), parameter, &apart))
    return false;
  return swap->memory.width_bytes == 4 ? (uint32_t)apart != 0 : apart != 0;
}

// Whether the instruction does nothing with the value but test it for equality with a parameter of
// the launch, the same as before if `parameter` is one.
static bool only_tests(const simt_values *v, const simt_instr *in, uint32_t value,
                       simt_place *parameter) {
  if (in->form != ISA_SETP || in->guard == value || in->c == value ||
      (in->arithmetic.compare != ISA_EQ && in->arithmetic.compare != ISA_NE) || in->a == in->b)
    return false;
  const simt_place with = simt_place_of_value(v, in->a == value ? in->b : in->a);
  uint64_t apart;
  if (with.step || !simt_is_parameter(v, with.operand)) return false;
  if (parameter->operand != SIMT_NO_SLOT)
    return simt_places_are_apart(v, with, *parameter, &apart) && !apart;
  *parameter = with;
  return true;
}

static bool is_level(const simt_values *v, const simt_instr *load) {
  simt_place parameter = {SIMT_NO_SLOT, 0, 0};
  if (load->form != ISA_LOAD || load->memory.order != ISA_WEAK || load->memory.vector != 1 ||
      load->d == SIMT_NO_SLOT)
    return false;
  for (uint32_t i = v->first_use[load->d]; i < v->first_use[load->d + 1]; i++)
    if (!only_tests(v, &v->kernel->code[v->uses[i]], load->d, &parameter)) return false;
  if (parameter.operand == SIMT_NO_SLOT) return false;
  bool any = false;
  for (uint32_t pc = 0; pc < v->kernel->n_code; pc++) {
    const simt_instr *in = &v->kernel->code[pc];
    if (!is_swap_of(in, load->memory.width_bytes)) continue;
    if (!moves_past(v, in, parameter)) return false;
    any = true;
  }
  return any;
}

bool simt_find_levels(const simt_values *values, simt_arena *arena, simt_kernel *kernel) {
  bool any = false;
  for (uint32_t pc = 0; pc < kernel->n_code && !any; pc++)
    any = is_swap_of(&kernel->code[pc], 4) || is_swap_of(&kernel->code[pc], 8);
  uint32_t *found = (uint32_t *)kernel->facts.attempts;
  if (!any) return true;
  if (!found) found = SIMT_ARENA_ARRAY(arena, uint32_t, kernel->n_code);
  if (!found) return false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++)
    if (is_level(values, &kernel->code[pc])) found[pc] |= 1u << ISA_ATOM_CAS;
  kernel->facts.attempts = found;
  return true;
}
