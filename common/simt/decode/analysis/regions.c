// SPDX-License-Identifier: MIT
// decode/analysis/regions.c - what a condition decides: the code that is reached one way or the
// other before the two meet, and the registers that this code leaves behind.
#include "decode/analysis/attempts.h"

static void reach(const simt_kernel *kernel, simt_path *path, uint32_t pc, uint32_t stop) {
  if (pc >= kernel->n_code || pc == stop || path->is_on[pc]) return;
  path->is_on[pc] = true;
  path->list[path->n++] = pc;
}

void simt_reach_from(const simt_attempt *t, simt_path *path, uint32_t pc, uint32_t stop) {
  const simt_kernel *kernel = t->values->kernel;
  uint32_t at = path->n;
  reach(kernel, path, pc, stop);
  for (; at < path->n; at++) { // it grows
    const simt_instr *in = &kernel->code[path->list[at]];
    const bool ends = in->form == ISA_EXIT || in->form == ISA_TRAP || in->form == SIMT_FORM_RETURN;
    if (in->form == ISA_BRANCH) reach(kernel, path, in->branch.target, stop);
    if (in->guard != SIMT_NO_SLOT || !(ends || in->form == ISA_BRANCH))
      reach(kernel, path, in->pc + 1, stop);
  }
}

void simt_forget_path(simt_path *path) {
  for (uint32_t i = 0; i < path->n; i++) path->is_on[path->list[i]] = false;
  path->n = 0;
}

void simt_find_region(simt_attempt *t, const simt_instr *in) {
  simt_forget_path(&t->region);
  if (in->form == ISA_BRANCH) {
    simt_reach_from(t, &t->region, in->branch.target, in->branch.reconverge);
    simt_reach_from(t, &t->region, in->pc + 1, in->branch.reconverge);
  } else if (in->form == ISA_EXIT) simt_reach_from(t, &t->region, in->pc + 1, SIMT_NO_PC);
  else reach(t->values->kernel, &t->region, in->pc, SIMT_NO_PC);
  t->n_steps += t->region.n;
}

void simt_find_behind(simt_attempt *t, const simt_instr *in) {
  simt_forget_path(&t->behind);
  if (in->form == ISA_EXIT) return;
  simt_reach_from(t, &t->behind, in->form == ISA_BRANCH ? in->branch.reconverge : in->pc + 1,
                  SIMT_NO_PC);
  t->n_steps += t->behind.n;
}

// ---- registers ----------------------------------------------------------------------------------

bool simt_is_set_in_region(const simt_attempt *t, uint32_t operand) {
  const simt_values *v = t->values;
  for (uint32_t i = v->first_definition[operand]; i < v->first_definition[operand + 1]; i++)
    if (t->region.is_on[v->definitions[i]]) return true;
  return false;
}

// Whether both set a register to one constant, or to what is in memory at one place.
static bool give_the_same(const simt_attempt *t, const simt_instr *one, const simt_instr *other) {
  const simt_values *v = t->values;
  if (one->form != other->form || one->a == SIMT_NO_SLOT || other->a == SIMT_NO_SLOT) return false;
  if (one->form == ISA_LOAD) {
    const simt_place a = simt_place_of(v, one), b = simt_place_of(v, other);
    uint64_t apart;
    return simt_places_are_apart(v, a, b, &apart) && !apart && !a.step &&
           !simt_is_set_in_region(t, a.operand);
  }
  return one->form == ISA_LANES && simt_operation_of(one) == ISA_OPERATION_MOVE &&
         one->id == other->id && simt_is_constant(v, one->a) && one->a == other->a;
}

// Compilers load a variable again where an atomic may have changed it, into the register that holds
// what they loaded before; and set registers to the same value on several ways.
static bool is_the_same_anyway(simt_attempt *t, uint32_t operand) {
  const simt_values *v = t->values;
  const simt_instr *one = NULL;
  t->n_steps += v->first_definition[operand + 1] - v->first_definition[operand];
  for (uint32_t i = v->first_definition[operand]; i < v->first_definition[operand + 1]; i++) {
    const simt_instr *made = &v->kernel->code[v->definitions[i]];
    if (t->is_decided[made->pc]) continue;
    if (!one) one = made;
    if (!give_the_same(t, one, made)) return false;
  }
  return true;
}

static bool is_used_behind(simt_attempt *t, uint32_t operand) {
  const simt_values *v = t->values;
  if (simt_holds(t, operand, SIMT_TESTED | SIMT_RETURNED | SIMT_COMPARED)) return false;
  for (uint32_t i = v->first_use[operand]; i < v->first_use[operand + 1]; i++)
    if (t->behind.is_on[v->uses[i]] && !t->region.is_on[v->uses[i]] && !t->is_decided[v->uses[i]])
      return !is_the_same_anyway(t, operand);
  return false;
}

bool simt_is_left_behind(simt_attempt *t, const simt_instr *in) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t operand = simt_operand_slot(in, roles[i]);
    if (roles[i].role == SIMT_ROLE_RESULT && operand != SIMT_NO_SLOT && is_used_behind(t, operand))
      return true;
  }
  return false;
}
