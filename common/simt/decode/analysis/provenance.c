// SPDX-License-Identifier: MIT
// decode/analysis/provenance.c - which shared array an access belongs to, read from the code: the
// provenance of its address.
//
// Every virtual operand has one provenance, whatever the order in which instructions run: none (a
// number that is derived from no shared array), one array, or several. An address computed from one
// array must stay within it, as in C; an address of unknown provenance may go anywhere.
// Provenance is passed on only by operations that certainly keep an address in the same array:
// moves, selections, additions of numbers, alignment. Everything else makes it unknown, so that no
// access is reported against an array that it was not meant for. Not modelled: pointers that are
// stored and loaded again, or passed to functions that are called (arguments travel through
// memory): their accesses have unknown provenance.
#include "decode/analysis/analysis.h"

// The lattice, upwards: not seen yet; none or one array (1 + index); several or unknown.
typedef uint16_t provenance;
enum { UNSEEN = 0, NUMBER = 0xfffe, UNKNOWN = 0xffff };

static bool is_array(provenance x) { return x != UNSEEN && x < NUMBER; }

static provenance join(provenance x, provenance y) {
  if (x == UNSEEN || x == y) return y;
  return y == UNSEEN ? x : UNKNOWN;
}

static provenance read(const provenance *of, uint32_t operand) {
  return operand == SIMT_NO_SLOT ? NUMBER : of[operand];
}

static void define(simt_values *values, provenance *of, uint32_t operand, provenance value) {
  if (operand == SIMT_NO_SLOT) return;
  provenance joined = join(of[operand], value);
  if (joined == of[operand]) return;
  of[operand] = joined;
  simt_values_changed(values, operand);
}

// ---- what operations do to provenance -----------------------------------------------------------

// A number computed from numbers is a number; what is computed from addresses is unknown.
static provenance mixed(provenance x, provenance y) {
  if (x == UNSEEN || y == UNSEEN) return UNSEEN;
  return x == NUMBER && y == NUMBER ? NUMBER : UNKNOWN;
}

static provenance sum(provenance x, provenance y) {
  if (is_array(x) && y == NUMBER) return x;
  if (is_array(y) && x == NUMBER) return y;
  return mixed(x, y);
}

static provenance difference(provenance x, provenance y) {
  if (is_array(x) && y == NUMBER) return x;
  return is_array(x) && x == y ? NUMBER : mixed(x, y); // two places in one array: an index
}

static provenance result(const provenance *of, const simt_instr *in) {
  provenance a = read(of, in->a), b = read(of, in->b), c = read(of, in->c);
  switch (simt_operation_of(in)) {
  case ISA_OPERATION_MOVE:
  case ISA_OPERATION_CONVERT: return a;
  case ISA_OPERATION_OR:  // of disjoint bits: how compilers write small offsets
  case ISA_OPERATION_AND: // alignment
  case ISA_OPERATION_ADD: return sum(a, b);
  case ISA_OPERATION_SUBTRACT: return difference(a, b);
  case ISA_OPERATION_SELECT: return join(a, b); // the third source is the predicate
  case ISA_OPERATION_MULTIPLY_ADD: return sum(mixed(a, b), c);
  default: return mixed(mixed(a, b), mixed(c, read(of, in->arithmetic.fourth)));
  }
}

static void visit(simt_values *values, const simt_instr *in, void *data) {
  provenance *of = data;
  switch (in->form) {
  case ISA_PACK: {
    provenance all = NUMBER;
    for (int i = 0; i < in->pack.n_elements; i++) all = mixed(all, read(of, in->pack.element[i]));
    define(values, of, in->d, all);
    return;
  }
  case ISA_UNPACK:
    for (int i = 0; i < in->pack.n_elements; i++)
      define(values, of, in->pack.element[i], mixed(read(of, in->a), NUMBER));
    return;
  case ISA_SHUFFLE: define(values, of, in->d, read(of, in->a)); return; // as in the other lane
  case ISA_LANES: define(values, of, in->d, result(of, in)); return;
  default: { // also what memory holds counts as numbers
    uint32_t n;
    const simt_operand_role *roles = simt_roles_of(in->form, &n);
    for (uint32_t i = 0; i < n; i++)
      if (roles[i].role == SIMT_ROLE_RESULT)
        define(values, of, simt_operand_slot(in, roles[i]), NUMBER);
  }
  }
}

// ---- a kernel ----------------------------------------------------------------------------------

bool simt_find_provenance(simt_values *values, simt_arena *arena, simt_kernel *kernel) {
  if (!kernel->n_shared_variables) return true;
  provenance *of = SIMT_ARENA_ARRAY(values->scratch, provenance, values->n_operands + 1);
  int16_t *found = SIMT_ARENA_ARRAY(arena, int16_t, kernel->n_code);
  if (!of || !found) return false;
  for (uint32_t i = 0; i < values->n_operands; i++) {
    const simt_operand *o = &values->operands[i];
    if (!o->is_register) of[i] = o->fill.provenance ? o->fill.provenance : NUMBER;
  }
  simt_values_settle(values, visit, of);
  for (uint32_t pc = 0; pc < kernel->n_code; pc++) {
    const simt_instr *in = &kernel->code[pc];
    provenance p = simt_is_access(in) ? read(of, in->a) : UNKNOWN;
    found[pc] = is_array(p) ? (int16_t)(p - 1) : -1;
  }
  kernel->facts.provenance = found;
  return true;
}
