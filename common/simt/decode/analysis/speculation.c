// SPDX-License-Identifier: MIT
// decode/analysis/speculation.c - which loads may be where they are only because the compiler
// hoisted them: their address is the same for all threads (a variable and an offset, known to be
// valid), and their value is used only under a condition, as in `r = any ? total : 0`. Compilers
// turn that into an unconditional load and a selection.
//
// Taint: operands that hold the loaded value, or a value computed from it, are followed from the
// load to the next conditional branch; beyond it, control flow is ignored and all code is
// considered together. A use counts when the value leaves the lane (a store, a shuffle), decides
// where the lane goes, or is an address; also beyond the branch, as a load above a branch whose
// value is used there was written above it. Values computed from it are followed in turn, but not
// through a selection or a guard by a predicate that is not itself computed from the value.
#include "decode/analysis/analysis.h"

// The limit for one kernel. Beyond it, loads count as used: code that needs more steps is not worth
// the time, as most of it will never be reported.
enum { MAX_STEPS = 1 << 24 };

typedef struct walk {
  const simt_values *values;
  bool *tainted, *is_listed; // [n_operands]
  uint32_t *list, n_list;    // [n_operands] those that have been tainted, each once
  bool *visited;             // [n_code]
  uint32_t *path, n_path;    // [n_code] the visited instructions
  uint32_t n_steps;          // over all walks
  bool used;
} walk;

static bool is_tainted(const walk *w, uint32_t operand) {
  return operand != SIMT_NO_SLOT && w->tainted[operand];
}

static void taint(walk *w, uint32_t operand) {
  if (operand == SIMT_NO_SLOT) return;
  w->tainted[operand] = true;
  if (w->is_listed[operand]) return;
  w->is_listed[operand] = true;
  w->list[w->n_list++] = operand;
}

// Other lanes or memory get to see the operands, they are an address, or they decide where the lane
// goes.
static bool lets_out(const simt_instr *in) {
  switch (in->form) {
  case ISA_LANES:
  case ISA_SETP:
  case ISA_PACK:
  case ISA_UNPACK:
  case ISA_ISSPACEP:
  case ISA_ACTIVEMASK:
  case ISA_NOP:
  case SIMT_FORM_CLOCK: return false;
  default: return true;
  }
}

typedef struct sources { // what the operands that are read hold, constants and the guard aside
  bool any_tainted, any_clean;
} sources;

static sources sources_of(const walk *w, const simt_instr *in) {
  sources s = {false, false};
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t operand = simt_operand_slot(in, roles[i]);
    if (roles[i].role == SIMT_ROLE_RESULT || roles[i].role == SIMT_ROLE_GUARD) continue;
    if (operand == SIMT_NO_SLOT || !w->values->operands[operand].is_register) continue;
    s.any_tainted |= w->tainted[operand];
    s.any_clean |= !w->tainted[operand];
  }
  return s;
}

static void define(walk *w, const simt_instr *in, bool value) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t operand = simt_operand_slot(in, roles[i]);
    if (roles[i].role != SIMT_ROLE_RESULT || operand == SIMT_NO_SLOT) continue;
    if (value) taint(w, operand);
    else w->tainted[operand] = false;
  }
}

// Whether the instruction chooses by a predicate that is not computed from the value.
static bool chooses(const walk *w, const simt_instr *in, sources s) {
  if (in->form == ISA_LANES && simt_operation_of(in) == ISA_OPERATION_SELECT)
    return !is_tainted(w, in->c);
  const bool combines = in->form == ISA_SETP
                            ? in->c != SIMT_NO_SLOT
                            : in->id < ISA_ID_COUNT && isa_rows[in->id].type == PTX_PRED;
  return combines && s.any_clean;
}

// ---- up to the next conditional branch ----------------------------------------------------------

static void step(walk *w, const simt_instr *in) {
  const bool guarded = in->guard != SIMT_NO_SLOT, guard = is_tainted(w, in->guard);
  const sources s = sources_of(w, in);
  if (guarded && !guard) return; // a condition: what it overwrites may stay
  if (!s.any_tainted && !guard) define(w, in, false);
  else if (lets_out(in)) w->used = true;
  else define(w, in, !chooses(w, in, s));
}

// From `pc` along the only path, as far as there is only one.
static void follow(walk *w, uint32_t pc) {
  const simt_kernel *kernel = w->values->kernel;
  while (pc < kernel->n_code && !w->visited[pc] && !w->used) {
    const simt_instr *in = &kernel->code[pc];
    w->visited[pc] = true;
    w->path[w->n_path++] = pc;
    if (in->form != SIMT_FORM_MARKER) step(w, in);
    const bool jumps = in->form == ISA_BRANCH && in->guard == SIMT_NO_SLOT;
    const bool leaves = in->form == ISA_BRANCH || in->form == ISA_EXIT || in->form == ISA_TRAP ||
                        in->form == SIMT_FORM_RETURN;
    if (leaves && !jumps) return;
    pc = jumps ? in->branch.target : pc + 1;
  }
}

// ---- everywhere else ----------------------------------------------------------------------------

// What has been overwritten with something else is off the list.
static void drop_clean(walk *w) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < w->n_list; i++) {
    w->is_listed[w->list[i]] = w->tainted[w->list[i]];
    if (w->tainted[w->list[i]]) w->list[n++] = w->list[i];
  }
  w->n_list = n;
}

static void look_at(walk *w, const simt_instr *in) {
  const bool guarded = in->guard != SIMT_NO_SLOT;
  w->n_steps++;
  if (w->visited[in->pc] || (guarded && !is_tainted(w, in->guard))) return;
  if (lets_out(in)) w->used = true;
  else if (!chooses(w, in, sources_of(w, in))) define(w, in, true);
}

// The code that the walk did not reach, whatever its order: values computed there from the loaded
// one are followed until no new operand holds one. Operands stay tainted.
static void look_elsewhere(walk *w) {
  const simt_values *v = w->values;
  drop_clean(w);
  for (uint32_t at = 0; at < w->n_list && !w->used; at++) { // it grows
    const uint32_t operand = w->list[at];
    for (uint32_t i = v->first_use[operand]; i < v->first_use[operand + 1] && !w->used; i++)
      look_at(w, &v->kernel->code[v->uses[i]]);
  }
}

// ---- a load, a kernel ---------------------------------------------------------------------------

static void forget(walk *w) {
  for (uint32_t i = 0; i < w->n_list; i++)
    w->tainted[w->list[i]] = w->is_listed[w->list[i]] = false;
  for (uint32_t i = 0; i < w->n_path; i++) w->visited[w->path[i]] = false;
  w->n_list = w->n_path = 0;
  w->used = false;
}

// Whether elements of a load's result are used without a condition.
static bool is_used(walk *w, const simt_instr *load, uint32_t elements) {
  for (uint32_t i = 0; i < load->memory.vector; i++)
    if (elements >> i & 1) taint(w, load->memory.data[i]);
  follow(w, load->pc + 1);
  if (!w->used) look_elsewhere(w);
  bool used = w->used;
  w->n_steps += w->n_path;
  forget(w);
  return used;
}

static uint16_t speculative_sets(walk *w, const simt_instr *load) {
  uint16_t sets = 0;
  for (uint32_t set = 1; set < 1u << load->memory.vector; set++)
    if (w->n_steps < MAX_STEPS && !is_used(w, load, set)) sets |= (uint16_t)(1u << set);
  return sets;
}

static bool is_candidate(const simt_instr *in) {
  return in->form == ISA_LOAD && in->memory.names_variable;
}

bool simt_find_speculation(simt_values *values, simt_arena *arena, simt_kernel *kernel) {
  uint32_t n = 0;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) n += is_candidate(&kernel->code[pc]);
  if (!n) return true;
  walk w = {.values = values,
            .tainted = SIMT_ARENA_ARRAY(values->scratch, bool, values->n_operands + 1),
            .is_listed = SIMT_ARENA_ARRAY(values->scratch, bool, values->n_operands + 1),
            .list = SIMT_ARENA_ARRAY(values->scratch, uint32_t, values->n_operands + 1),
            .visited = SIMT_ARENA_ARRAY(values->scratch, bool, kernel->n_code + 1),
            .path = SIMT_ARENA_ARRAY(values->scratch, uint32_t, kernel->n_code + 1)};
  uint16_t *found = SIMT_ARENA_ARRAY(arena, uint16_t, kernel->n_code);
  if (!w.tainted || !w.is_listed || !w.list || !w.visited || !w.path || !found) return false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++)
    if (is_candidate(&kernel->code[pc])) found[pc] = speculative_sets(&w, &kernel->code[pc]);
  kernel->facts.speculative = found;
  return true;
}
