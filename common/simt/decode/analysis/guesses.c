// SPDX-License-Identifier: MIT
// decode/analysis/guesses.c - loads that only make a guess for a compare-and-swap, as the first
// read of the Programming Guide's loop does:
//
//   old = *address;
//   do { assumed = old; old = atomicCAS(address, assumed, f(assumed)); } while (assumed != old);
//
// Whatever value such a load gives, the swap takes place only if the memory still holds it. So it
// does no harm that the load is not ordered with other threads' atomics.
//
// The rule: the value, and all that is computed from it, is used only as what a compare-and-swap on
// the same address compares and stores, and in conditions; and some compare-and-swap does compare
// it. It may be the address of a load, as a pop reads what comes next (atomicCAS(&head, old,
// old->next)): what that gives is a guess, too, and whether the load is ordered with the stores
// that made the element is a question of its own. It must not be stored, shuffled, printed, passed
// to another operation, or be the address of anything else. One store is allowed: of the compared
// operand into what the swap publishes, whose address or index is the new value, as a push on a
// list does (me->next = old; old = atomicCAS(&head, old, me)). But in code that only the success of
// such a swap leads to (its compared value equals its returned value), the operand that it compared
// is no longer a guess: it is what the memory held. Otherwise control flow is not followed: an
// operand that holds the value once is assumed to hold it everywhere.
#include "decode/analysis/analysis.h"
#include "decode/analysis/places.h"

typedef struct guess {
  const simt_values *values;
  const simt_instr *load, *swap; // the first swap that compares the value; NULL: none yet
  bool *holds;                   // [n_operands] the value, or something computed from it
  uint32_t *list, n;             // [n_operands] those that do
  bool *before;                  // [n_code] may run although no swap has succeeded since the load
  bool *again;                   // [n_code] likewise, since the swap has failed
  uint32_t *path;                // [n_code]
  bool is_used;                  // by something else
} guess;

static void add(guess *g, uint32_t operand) {
  if (operand == SIMT_NO_SLOT || g->holds[operand]) return;
  g->holds[operand] = true;
  g->list[g->n++] = operand;
}

static bool holds(const guess *g, uint32_t operand) {
  return operand != SIMT_NO_SLOT && g->holds[operand];
}

static void add_results(guess *g, const simt_instr *in) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++)
    if (roles[i].role == SIMT_ROLE_RESULT) add(g, simt_operand_slot(in, roles[i]));
}

// Whether the operand is what the swap compares, a copy of it or a place behind it.
static bool is_compared(const guess *g, uint32_t operand) {
  for (int steps = 0; steps < 4 && operand != SIMT_NO_SLOT; steps++) {
    if (operand == g->swap->b) return true;
    const simt_instr *made =
        g->values->operands[operand].is_register ? simt_definition(g->values, operand) : NULL;
    if (!made || made->form != ISA_LANES || made->guard != SIMT_NO_SLOT) return false;
    const isa_operation operation = simt_operation_of(made);
    const bool is_sum = operation == ISA_OPERATION_ADD && simt_is_constant(g->values, made->b);
    if (operation != ISA_OPERATION_MOVE && !is_sum) return false;
    operand = made->a;
  }
  return false;
}

// Reads the value, other than by its guard. Behind the success of the swap: another guess than the
// one that the swap compared.
static bool reads(const guess *g, const simt_instr *in) {
  uint32_t n;
  const simt_operand_role *roles = simt_roles_of(in->form, &n);
  for (uint32_t i = 0; i < n; i++) {
    uint32_t operand = simt_operand_slot(in, roles[i]);
    if (roles[i].role == SIMT_ROLE_RESULT || roles[i].role == SIMT_ROLE_GUARD) continue;
    if (holds(g, operand) && (!g->swap || g->before[in->pc] || !is_compared(g, operand)))
      return true;
  }
  return false;
}

// What is loaded is all that the swap compares; of 16 bytes it may be one half.
static bool is_same_address(const simt_values *v, const simt_instr *swap, const simt_instr *load) {
  const uint32_t loaded = (uint32_t)load->memory.width_bytes * load->memory.vector;
  uint64_t apart;
  if (!simt_places_are_apart(v, simt_place_of(v, load), simt_place_of(v, swap), &apart))
    return false;
  if (swap->memory.address_bits == 32) apart = (uint32_t)apart;
  return apart == 0 || (swap->memory.width_bytes == 16 && loaded == 8 && apart == 8);
}

static bool is_swap_there(const guess *g, const simt_instr *in) {
  const uint32_t width = in->memory.width_bytes;
  const uint32_t loaded = (uint32_t)g->load->memory.width_bytes * g->load->memory.vector;
  return in->form == ISA_ATOM && in->memory.operation == ISA_ATOM_CAS &&
         (loaded == width || (width == 16 && loaded == 8)) && !holds(g, in->a) &&
         is_same_address(g->values, in, g->load);
}

enum { PUBLISHED_STEPS = 6 }; // from a value back to what it is computed from

// Whether the operand is, or is computed from, something that the other operand is computed from.
static bool comes_from(const simt_values *v, uint32_t operand, uint32_t source, int steps) {
  if (operand == SIMT_NO_SLOT || !v->operands[operand].is_register) return false;
  const simt_instr *made = simt_definition(v, operand);
  if (!made || made->form != ISA_LANES || made->guard != SIMT_NO_SLOT) return false;
  if (operand == source) return true;
  return steps > 0 &&
         (comes_from(v, made->a, source, steps - 1) || comes_from(v, made->b, source, steps - 1) ||
          comes_from(v, made->c, source, steps - 1));
}
static bool are_related(const simt_values *v, uint32_t operand, uint32_t other, int steps) {
  if (comes_from(v, other, operand, PUBLISHED_STEPS)) return true;
  const simt_instr *made = operand != SIMT_NO_SLOT && v->operands[operand].is_register
                               ? simt_definition(v, operand)
                               : NULL;
  if (!made || made->form != ISA_LANES || made->guard != SIMT_NO_SLOT || steps == 0) return false;
  return are_related(v, made->a, other, steps - 1) || are_related(v, made->b, other, steps - 1);
}

// A store into what the swap publishes: no other thread has its address before the swap succeeds,
// and where it fails the store is made again.
static bool is_before_publication(const guess *g, const simt_instr *in) {
  return g->swap && g->again[in->pc] && in->form == ISA_STORE && in->memory.vector == 1 &&
         in->memory.data[0] == g->swap->b && !holds(g, in->a) && !holds(g, g->swap->c) &&
         are_related(g->values, in->a, g->swap->c, PUBLISHED_STEPS);
}

// Whether the branch is taken, or not taken, only when the swap has succeeded.
static bool succeeds(const guess *g, const simt_instr *branch, bool taken) {
  if (!g->swap || branch->guard == SIMT_NO_SLOT) return false;
  const simt_instr *test = simt_definition(g->values, branch->guard), *swap = g->swap;
  if (!test || test->form != ISA_SETP || test->guard != SIMT_NO_SLOT || test->c != SIMT_NO_SLOT)
    return false;
  bool same =
      (test->a == swap->b && test->b == swap->d) || (test->a == swap->d && test->b == swap->b);
  uint8_t compare = test->arithmetic.compare;
  if (!same || (compare != ISA_EQ && compare != ISA_NE)) return false;
  bool holds_when_taken = (compare == ISA_EQ) != branch->guard_negated;
  return taken == holds_when_taken;
}

static void reach(guess *g, bool *marks, uint32_t pc, uint32_t *n) {
  if (pc >= g->values->kernel->n_code || marks[pc]) return;
  marks[pc] = true;
  g->path[(*n)++] = pc;
}

// Marks what may run after the instruction and before a swap succeeds.
static void mark(guess *g, bool *marks, const simt_instr *from) {
  const simt_kernel *kernel = g->values->kernel;
  uint32_t n = 0;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) marks[pc] = false;
  reach(g, marks, from->pc + 1, &n);
  for (uint32_t at = 0; at < n; at++) {
    const simt_instr *in = &kernel->code[g->path[at]];
    bool ends = (in->form == ISA_EXIT || in->form == ISA_TRAP || in->form == SIMT_FORM_RETURN) &&
                in->guard == SIMT_NO_SLOT;
    bool jumps = in->form == ISA_BRANCH;
    if (jumps && !succeeds(g, in, true)) reach(g, marks, in->branch.target, &n);
    if (!ends && !(jumps && (in->guard == SIMT_NO_SLOT || succeeds(g, in, false))))
      reach(g, marks, in->pc + 1, &n);
  }
}

static void look_at(guess *g, const simt_instr *in) {
  bool is_read = reads(g, in);
  switch (in->form) {
  case ISA_LANES:
  case ISA_SETP:
  case ISA_PACK:
  case ISA_UNPACK:
  case ISA_LOAD:
    if (is_read || holds(g, in->guard)) add_results(g, in);
    return;
  default: break; // a condition decides whether it runs
  }
  if (is_read && !is_swap_there(g, in) && !is_before_publication(g, in)) g->is_used = true;
}

static void follow(guess *g) {
  const simt_values *v = g->values;
  g->n = 0;
  g->is_used = false;
  for (uint32_t i = 0; i < g->load->memory.vector; i++) add(g, g->load->memory.data[i]);
  for (uint32_t at = 0; at < g->n && !g->is_used; at++) // it grows
    for (uint32_t i = v->first_use[g->list[at]]; i < v->first_use[g->list[at] + 1]; i++)
      look_at(g, &v->kernel->code[v->uses[i]]);
}

static void forget(guess *g) {
  for (uint32_t i = 0; i < g->n; i++) g->holds[g->list[i]] = false;
}

// The first swap that compares what `holds` says; everything counts as before it.
static const simt_instr *find_swap(guess *g) {
  const simt_kernel *kernel = g->values->kernel;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++)
    if (is_swap_there(g, &kernel->code[pc]) && holds(g, kernel->code[pc].b))
      return &kernel->code[pc];
  return NULL;
}

static bool is_guess(guess *g, const simt_instr *load) {
  g->load = load;
  g->swap = NULL;
  mark(g, g->before, load); // all that the load leads to
  follow(g);
  g->swap = find_swap(g);
  bool swapped = g->swap != NULL, used = g->is_used;
  forget(g);
  if (!swapped || !used) return swapped;
  mark(g, g->before, load);
  mark(g, g->again, g->swap);
  follow(g);
  used = g->is_used;
  forget(g);
  return !used;
}

// Few kernels have a swap at all.
static bool has_swap(const simt_kernel *kernel) {
  for (uint32_t pc = 0; pc < kernel->n_code; pc++)
    if (kernel->code[pc].form == ISA_ATOM && kernel->code[pc].memory.operation == ISA_ATOM_CAS)
      return true;
  return false;
}

bool simt_find_guesses(const simt_values *values, simt_arena *arena, simt_kernel *kernel) {
  if (!has_swap(kernel)) return true;
  bool *found = SIMT_ARENA_ARRAY(arena, bool, kernel->n_code);
  guess g = {.values = values,
             .holds = SIMT_ARENA_ARRAY(values->scratch, bool, values->n_operands + 1),
             .list = SIMT_ARENA_ARRAY(values->scratch, uint32_t, values->n_operands + 1),
             .before = SIMT_ARENA_ARRAY(values->scratch, bool, kernel->n_code + 1),
             .again = SIMT_ARENA_ARRAY(values->scratch, bool, kernel->n_code + 1),
             .path = SIMT_ARENA_ARRAY(values->scratch, uint32_t, kernel->n_code + 1)};
  if (!found || !g.holds || !g.list || !g.before || !g.again || !g.path) return false;
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) {
    const simt_instr *in = &kernel->code[pc];
    bool may = in->form == ISA_LOAD && in->memory.vector <= 2 && in->a != SIMT_NO_SLOT &&
               in->memory.data[0] != SIMT_NO_SLOT && in->memory.order == ISA_WEAK;
    if (may) found[pc] = is_guess(&g, in);
  }
  kernel->facts.guesses = found;
  return true;
}
