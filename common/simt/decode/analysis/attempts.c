// SPDX-License-Identifier: MIT
// decode/analysis/attempts.c - plain loads that only decide whether an atomic on the same address
// is tried. Whatever value such a load gives, it does no harm that it is not ordered with other
// threads' atomics, in three cases:
//
//   if (x > *most) atomicMax(most, x);    the word only grows, or shrinks: a value from before lets
//                                         the atomic run in vain at most
//   if (!*found) atomicExch(found, 1);    all atomics there do the same with the same constants,
//                                         and doing it twice is doing it once
//   if (*top >= 0) {                      what has an effect depends on a comparison of what the
//     int i = atomicAdd(top, -1);         atomic returns; not to have tried counts as having failed
//     if (i >= 0) out[k] = pool[i];
//   }
//
// decode/analysis/repeats.c knows the first two.
//
// The rule: the value, and all that is computed from it, is used only in conditions. What such a
// condition decides is the code between it and its reconvergence point: that must hold an atomic on
// the same address, and nothing else with an effect, but for code that is itself decided by a
// comparison of what such an atomic returns. What it leaves in registers must not be used behind
// it, unless that is the outcome of such a comparison, or the atomic's value on its way to one. A
// loop that waits for the word to change has no atomic in it. Otherwise control flow is not
// followed: an operand that holds a value once is assumed to hold it everywhere.
//
// Beside an atomic that runs in vain, a constant may be stored at an address that is the same for
// all threads (*changed = 1): where a value from before lets the atomic be tried, some other thread
// has changed the word, in the same code, and stored the constant as well.
//
// Not looked at: vectors, and atomics whose address cannot be compared with the load's.
#include "decode/analysis/attempts.h"

// The limit for one kernel. Beyond it, loads count as more than attempts.
enum { MAX_STEPS = 1 << 24 };

static void add(simt_attempt *t, uint32_t operand, uint8_t what) {
  if (operand == SIMT_NO_SLOT || (t->holds[operand] & what) == what) return;
  t->holds[operand] |= what;
  t->list[t->n_listed++] = operand; // again, with what is new
}

static void add_results(simt_attempt *t, const simt_instr *in, uint8_t what) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++)
    if (roles[i].role == SIMT_ROLE_RESULT) add(t, simt_operand_slot(in, roles[i]), what);
}

// What the operands hold that the instruction reads, other than as its guard.
static uint8_t reads(const simt_attempt *t, const simt_instr *in) {
  uint32_t n;
  uint8_t what = 0;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t operand = simt_operand_slot(in, roles[i]);
    if (roles[i].role == SIMT_ROLE_RESULT || roles[i].role == SIMT_ROLE_GUARD) continue;
    if (operand != SIMT_NO_SLOT) what |= t->holds[operand];
  }
  return what;
}

// ---- the tested value ---------------------------------------------------------------------------

// False: the value is used other than in conditions.
static bool follow_test(simt_attempt *t, const simt_instr *in) {
  const bool is_read = reads(t, in) & SIMT_TESTED;
  if (simt_computes(in)) {
    const bool copies = in->form == ISA_LANES && simt_operation_of(in) == ISA_OPERATION_MOVE &&
                        in->guard == SIMT_NO_SLOT && simt_is_the_word(t, in->a);
    add_results(t, in, SIMT_TESTED | (copies ? SIMT_LOADED : SIMT_CHANGED));
    return true;
  }
  if (is_read) return false;
  if (in->form == ISA_LOAD) add_results(t, in, SIMT_TESTED); // a condition decides what it gives
  else if (in->form != ISA_BRANCH && in->form != ISA_EXIT && !simt_is_atomic_at(t, in))
    return false;
  return true;
}

static bool follow_tests(simt_attempt *t) {
  add_results(t, t->load, SIMT_TESTED | SIMT_LOADED);
  const simt_values *v = t->values;
  for (uint32_t at = 0; at < t->n_listed; at++) // it grows
    for (uint32_t i = v->first_use[t->list[at]]; i < v->first_use[t->list[at] + 1]; i++)
      if (!follow_test(t, &v->kernel->code[v->uses[i]])) return false;
  return true;
}

// Whether the tested value decides what the instruction does, and that is not only a value.
static bool is_condition(const simt_attempt *t, const simt_instr *in) {
  return simt_holds(t, in->guard, SIMT_TESTED) &&
         (in->form == ISA_BRANCH || in->form == ISA_EXIT || simt_is_atomic_at(t, in));
}

// ---- what the atomics return --------------------------------------------------------------------

// What a decided instruction computes counts as the outcome of the comparison.
static void follow_returned(simt_attempt *t, const simt_instr *in) {
  const uint8_t what = reads(t, in);
  if (!simt_computes(in)) return;
  const bool is_outcome = in->form == ISA_SETP || t->is_decided[in->pc];
  if (what & SIMT_RETURNED) add_results(t, in, is_outcome ? SIMT_COMPARED : SIMT_RETURNED);
  if ((what & SIMT_COMPARED) || simt_holds(t, in->guard, SIMT_COMPARED | SIMT_RETURNED))
    add_results(t, in, SIMT_COMPARED);
}

static void follow_results(simt_attempt *t) {
  const simt_values *v = t->values;
  for (uint32_t i = 0; i < v->n_operands; i++)
    t->holds[i] &= (uint8_t) ~(SIMT_RETURNED | SIMT_COMPARED);
  uint32_t at = t->n_listed; // what is listed before is of no interest here
  for (uint32_t pc = 0; pc < v->kernel->n_code; pc++)
    if (t->is_tried[pc]) add(t, v->kernel->code[pc].d, SIMT_RETURNED);
  for (; at < t->n_listed; at++) // it grows
    for (uint32_t i = v->first_use[t->list[at]]; i < v->first_use[t->list[at] + 1]; i++)
      follow_returned(t, &v->kernel->code[v->uses[i]]);
}

// Marks what the atomics in the regions of all conditions return, and the code that it decides.
static void find_decided(simt_attempt *t) {
  const simt_kernel *kernel = t->values->kernel;
  follow_results(t);
  for (uint32_t pc = 0; pc < kernel->n_code && t->n_steps < MAX_STEPS; pc++) {
    const simt_instr *in = &kernel->code[pc];
    if (!simt_holds(t, in->guard, SIMT_COMPARED | SIMT_RETURNED)) continue;
    simt_find_region(t, in);
    for (uint32_t i = 0; i < t->region.n; i++) t->is_decided[t->region.list[i]] = true;
  }
  follow_results(t);
}

static bool is_without_effect(const simt_instr *in) {
  switch (in->form) {
  case ISA_LOAD:
  case ISA_BRANCH:
  case ISA_EXIT:
  case ISA_ISSPACEP:
  case ISA_ACTIVEMASK:
  case ISA_FENCE:
  case ISA_NOP:
  case SIMT_FORM_CLOCK:
  case SIMT_FORM_MARKER: return true;
  default: return simt_computes(in);
  }
}

// What an atomic has returned may be used only where a comparison of it has decided so.
static bool results_are_compared(const simt_attempt *t) {
  const simt_kernel *kernel = t->values->kernel;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) {
    const simt_instr *in = &kernel->code[pc];
    if (t->is_decided[pc] || simt_computes(in) || simt_is_atomic_at(t, in)) continue;
    if (in->form == ISA_LOAD && t->is_tested[pc]) continue; // its value may not be used either
    if (reads(t, in) & SIMT_RETURNED) return false;
  }
  return true;
}

// ---- one condition ------------------------------------------------------------------------------

static bool is_same_for_all(const simt_values *v, simt_place at) {
  return !at.step && (simt_is_constant(v, at.operand) || simt_is_parameter(v, at.operand));
}

// A constant stored at an address that all threads share.
static bool is_mark(const simt_attempt *t, const simt_instr *in) {
  const simt_values *v = t->values;
  if (in->form != ISA_STORE || in->memory.order != ISA_WEAK || in->memory.vector != 1) return false;
  const simt_place value = simt_place_of_value(v, in->memory.data[0]);
  return !value.step && simt_is_constant(v, value.operand) &&
         is_same_for_all(v, simt_place_of(v, in));
}

// Whether no other code of the kernel may change the word as the atomics of the region do.
static bool region_has_all(const simt_attempt *t, uint32_t operations) {
  for (uint32_t i = 0; i < t->n_atomics; i++) {
    const simt_instr *in = &t->values->kernel->code[t->atomics[i]];
    if ((simt_attempted(in) & operations) && !t->region.is_on[in->pc]) return false;
  }
  return operations != 0;
}

// Whether the condition, whose region has been found, decides nothing but an attempt and, beside
// it, marks.
static bool decides_an_attempt(simt_attempt *t, uint32_t operations, bool *marks) {
  bool any = false;
  for (uint32_t i = 0; i < t->region.n && t->n_steps < MAX_STEPS; i++) {
    const simt_instr *in = &t->values->kernel->code[t->region.list[i]];
    const bool is_atomic = simt_is_atomic_at(t, in);
    any |= is_atomic;
    if (t->is_decided[in->pc]) continue;
    if (is_mark(t, in) && region_has_all(t, operations)) {
      *marks = true;
      continue;
    }
    if ((!is_atomic && !is_without_effect(in)) || simt_is_left_behind(t, in)) return false;
  }
  return any;
}

// Whether the atomics there are tried for what they return.
static bool is_for_the_result(const simt_attempt *t) {
  bool any = false;
  for (uint32_t i = 0; i < t->region.n; i++) {
    const simt_instr *in = &t->values->kernel->code[t->region.list[i]];
    if (!simt_is_atomic_at(t, in)) continue;
    const bool is_compared = t->is_compared[in->pc];
    any |= is_compared;
    if (!is_compared && !t->is_decided[in->pc]) return false;
  }
  return any;
}

// ---- a load -------------------------------------------------------------------------------------

// Whether a comparison or a guard uses what the atomic returns: the same closure, of it alone.
static bool is_compared(simt_attempt *t, uint32_t operand) {
  const simt_values *v = t->values;
  const uint32_t first = t->n_listed;
  bool found = false;
  add(t, operand, SIMT_ONE);
  for (uint32_t at = first; at < t->n_listed; at++)
    for (uint32_t i = v->first_use[t->list[at]]; i < v->first_use[t->list[at] + 1]; i++) {
      const simt_instr *in = &v->kernel->code[v->uses[i]];
      found |= in->form == ISA_SETP || simt_holds(t, in->guard, SIMT_ONE);
      if (simt_computes(in)) add_results(t, in, SIMT_ONE);
    }
  for (uint32_t at = first; at < t->n_listed; at++) t->holds[t->list[at]] &= (uint8_t)~SIMT_ONE;
  t->n_steps += t->n_listed - first;
  t->n_listed = first;
  return found;
}

static bool find_tried(simt_attempt *t) {
  const simt_kernel *kernel = t->values->kernel;
  bool any = false;
  for (uint32_t pc = 0; pc < kernel->n_code && t->n_steps < MAX_STEPS; pc++) {
    if (!is_condition(t, &kernel->code[pc])) continue;
    any = true;
    simt_find_region(t, &kernel->code[pc]);
    for (uint32_t i = 0; i < t->region.n; i++) {
      const simt_instr *in = &kernel->code[t->region.list[i]];
      t->is_tested[in->pc] = true;
      if (simt_is_atomic_at(t, in)) t->is_tried[in->pc] = true;
    }
  }
  for (uint32_t pc = 0; pc < kernel->n_code && t->n_steps < MAX_STEPS; pc++)
    t->is_compared[pc] =
        t->is_tried[pc] && kernel->code[pc].d != SIMT_NO_SLOT && is_compared(t, kernel->code[pc].d);
  return any;
}

// The operations against which the load is harmless, see facts.h.
static uint32_t operations_of(simt_attempt *t) {
  if (!follow_tests(t) || !find_tried(t)) return 0;
  find_decided(t);
  if (!results_are_compared(t)) return 0;
  const simt_kernel *kernel = t->values->kernel;
  const uint32_t repeated = simt_operations_there(t);
  uint32_t found = UINT32_MAX;
  for (uint32_t pc = 0; pc < kernel->n_code && found && t->n_steps < MAX_STEPS; pc++) {
    const simt_instr *in = &kernel->code[pc];
    if (!is_condition(t, in)) continue;
    simt_find_region(t, in);
    simt_find_behind(t, in);
    bool marks = false;
    if (!decides_an_attempt(t, repeated, &marks)) return 0;
    if (!is_for_the_result(t)) found &= simt_is_in_vain(t, in, repeated) ? repeated : 0;
    else if (marks) return 0;
  }
  return t->n_steps < MAX_STEPS ? found : 0;
}

// ---- a kernel -----------------------------------------------------------------------------------

static void forget(simt_attempt *t) {
  const uint32_t n_code = t->values->kernel->n_code;
  simt_forget_path(&t->region);
  simt_forget_path(&t->behind);
  for (uint32_t i = 0; i < t->n_listed; i++) t->holds[t->list[i]] = 0;
  t->n_listed = 0;
  for (uint32_t pc = 0; pc < n_code; pc++)
    t->is_there[pc] = t->is_tested[pc] = t->is_tried[pc] = t->is_compared[pc] = t->is_decided[pc] =
        false;
}

static bool may_be_tested(const simt_instr *in) {
  return in->form == ISA_LOAD && in->memory.order == ISA_WEAK && in->memory.vector == 1 &&
         in->a != SIMT_NO_SLOT && in->d != SIMT_NO_SLOT;
}

static bool is_atomic(const simt_instr *in) {
  return (in->form == ISA_ATOM || in->form == ISA_RED) && in->a != SIMT_NO_SLOT;
}

// Marks the atomics that are surely on the address of the load; false: there is none.
static bool find_atomics(simt_attempt *t, const simt_place *places) {
  const simt_values *v = t->values;
  const simt_instr *load = t->load;
  const simt_place at = simt_place_of(v, load);
  bool any = false;
  for (uint32_t i = 0; i < t->n_atomics; i++) {
    const simt_instr *in = &v->kernel->code[t->atomics[i]];
    uint64_t apart;
    if (in->memory.width_bytes != load->memory.width_bytes ||
        !simt_places_are_apart(v, at, places[i], &apart))
      continue;
    if (in->memory.address_bits == 32) apart = (uint32_t)apart;
    t->is_there[in->pc] = apart == 0;
    any |= apart == 0;
  }
  return any;
}

static bool make_path(simt_path *path, const simt_values *v) {
  path->list = SIMT_ARENA_ARRAY(v->scratch, uint32_t, (size_t)v->kernel->n_code + 1);
  path->is_on = SIMT_ARENA_ARRAY(v->scratch, bool, (size_t)v->kernel->n_code + 1);
  return path->list && path->is_on;
}

static bool make_attempt(simt_attempt *t, const simt_values *v) {
  const uint32_t n_code = v->kernel->n_code + 1;
  *t = (simt_attempt){.values = v,
                      .holds = SIMT_ARENA_ARRAY(v->scratch, uint8_t, v->n_operands + 1),
                      .list = SIMT_ARENA_ARRAY(v->scratch, uint32_t,
                                               SIMT_ATTEMPT_MARKS * ((size_t)v->n_operands + 1)),
                      .atomics = SIMT_ARENA_ARRAY(v->scratch, uint32_t, n_code),
                      .is_there = SIMT_ARENA_ARRAY(v->scratch, bool, n_code),
                      .is_tested = SIMT_ARENA_ARRAY(v->scratch, bool, n_code),
                      .is_tried = SIMT_ARENA_ARRAY(v->scratch, bool, n_code),
                      .is_compared = SIMT_ARENA_ARRAY(v->scratch, bool, n_code),
                      .is_decided = SIMT_ARENA_ARRAY(v->scratch, bool, n_code)};
  return make_path(&t->region, v) && make_path(&t->behind, v) && t->holds && t->list &&
         t->atomics && t->is_there && t->is_tested && t->is_tried && t->is_compared &&
         t->is_decided;
}

// Few kernels have both an atomic and a plain load of the same word.
static bool is_worth_it(const simt_kernel *kernel) {
  bool any_atomic = false, any_load = false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) {
    any_atomic |= is_atomic(&kernel->code[pc]);
    any_load |= may_be_tested(&kernel->code[pc]);
  }
  return any_atomic && any_load;
}

bool simt_find_attempts(const simt_values *values, simt_arena *arena, simt_kernel *kernel) {
  if (!is_worth_it(kernel)) return true;
  simt_attempt t;
  if (!make_attempt(&t, values)) return false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++)
    if (is_atomic(&kernel->code[pc])) t.atomics[t.n_atomics++] = pc;
  simt_place *places = SIMT_ARENA_ARRAY(values->scratch, simt_place, t.n_atomics);
  uint32_t *found = SIMT_ARENA_ARRAY(arena, uint32_t, kernel->n_code);
  if (!places || !found) return false;
  for (uint32_t i = 0; i < t.n_atomics; i++)
    places[i] = simt_place_of(values, &kernel->code[t.atomics[i]]);
  for (uint32_t pc = 0; pc < kernel->n_code && t.n_steps < MAX_STEPS; pc++) {
    t.load = &kernel->code[pc];
    if (!may_be_tested(t.load) || !find_atomics(&t, places)) continue;
    t.n_steps += kernel->n_code + t.n_atomics;
    found[pc] = operations_of(&t);
    forget(&t);
  }
  kernel->facts.attempts = found;
  return true;
}
