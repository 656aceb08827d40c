// SPDX-License-Identifier: MIT
// decode/homes.c - which shared array an access belongs to, read from the code: the *home* of its
// address.
//
// Every virtual operand gets one home, whatever the order in which instructions run: none (a number
// that is derived from no shared array), one array, or several. An address computed from one array
// must stay within it, as in C; an address whose home is not known may go anywhere.
// Only what surely keeps an address an address of the same array passes a home on: moves,
// selections, additions of numbers, alignment. All else makes it unknown, so that an access is
// never held against an array it was not meant for. Not modelled: pointers that are stored and
// loaded again, or passed to functions that are called (arguments travel through memory): their
// accesses have no known home.
#include "decode/decode.h"
#include "device/operands.h"

// The lattice, upwards: not seen yet; none or one array (1 + index); several or unknown.
typedef uint16_t home;
enum { HOME_UNSEEN = 0, HOME_NONE = 0xfffe, HOME_UNKNOWN = 0xffff };

static const size_t SCRATCH_LIMIT_BYTES = (size_t)1 << 28;
enum { MAX_PASSES = 64 }; // code that needs more is not worth the time: its homes are unknown

typedef struct state {
  const simt_kernel *kernel;
  home *of; // [n_operands]
  bool changed;
} state;

static bool is_array(home x) { return x != HOME_UNSEEN && x < HOME_NONE; }

static home join(home x, home y) {
  if (x == HOME_UNSEEN || x == y) return y;
  return y == HOME_UNSEEN ? x : HOME_UNKNOWN;
}

static home read(const state *s, uint32_t operand) {
  return operand == SIMT_NO_SLOT ? HOME_NONE : s->of[operand];
}

static void define(state *s, uint32_t operand, home value) {
  if (operand == SIMT_NO_SLOT) return;
  home joined = join(s->of[operand], value);
  s->changed |= joined != s->of[operand];
  s->of[operand] = joined;
}

// ---- what operations do to homes ---------------------------------------------------------------

// A number computed from numbers is a number; from addresses, nobody knows.
static home mixed(home x, home y) {
  if (x == HOME_UNSEEN || y == HOME_UNSEEN) return HOME_UNSEEN;
  return x == HOME_NONE && y == HOME_NONE ? HOME_NONE : HOME_UNKNOWN;
}

static home sum(home x, home y) {
  if (is_array(x) && y == HOME_NONE) return x;
  if (is_array(y) && x == HOME_NONE) return y;
  return mixed(x, y);
}

static home difference(home x, home y) {
  if (is_array(x) && y == HOME_NONE) return x;
  return is_array(x) && x == y ? HOME_NONE : mixed(x, y); // two places in one array: an index
}

typedef enum behaviour { MIXES, COPIES, ADDS, SUBTRACTS, SELECTS, MULTIPLIES_AND_ADDS } behaviour;

static behaviour behaviour_of(const simt_instr *in) {
  switch (simt_operation_of(in)) {
  case ISA_OPERATION_MOVE:
  case ISA_OPERATION_CONVERT: return COPIES;
  case ISA_OPERATION_ADD:
  case ISA_OPERATION_OR:  // disjoint bits: how compilers write small offsets
  case ISA_OPERATION_AND: // alignment
    return ADDS;
  case ISA_OPERATION_SUBTRACT: return SUBTRACTS;
  case ISA_OPERATION_SELECT: return SELECTS;
  case ISA_OPERATION_MULTIPLY_ADD: return MULTIPLIES_AND_ADDS;
  default: return MIXES;
  }
}

static home result(const state *s, const simt_instr *in) {
  home a = read(s, in->a), b = read(s, in->b), c = read(s, in->c);
  switch (behaviour_of(in)) {
  case COPIES: return a;
  case ADDS: return sum(a, b);
  case SUBTRACTS: return difference(a, b);
  case SELECTS: return join(a, b); // the third source is the predicate
  case MULTIPLIES_AND_ADDS: return sum(mixed(a, b), c);
  default: return mixed(mixed(a, b), mixed(c, read(s, in->arithmetic.fourth)));
  }
}

static void visit(state *s, const simt_instr *in) {
  switch (in->form) {
  case ISA_PACK: {
    home all = HOME_NONE;
    for (int i = 0; i < in->pack.n_elements; i++) all = mixed(all, read(s, in->pack.element[i]));
    define(s, in->d, all);
    return;
  }
  case ISA_UNPACK:
    for (int i = 0; i < in->pack.n_elements; i++)
      define(s, in->pack.element[i], mixed(read(s, in->a), HOME_NONE));
    return;
  case ISA_SHUFFLE: define(s, in->d, read(s, in->a)); return; // another lane's address is one too
  case ISA_LANES: define(s, in->d, result(s, in)); return;
  default: { // also what memory holds counts as numbers
    uint32_t n;
    const simt_operand_role *roles = simt_roles_of(in->form, &n);
    for (uint32_t i = 0; i < n; i++)
      if (roles[i].role == SIMT_ROLE_RESULT) define(s, simt_operand_slot(in, roles[i]), HOME_NONE);
  }
  }
}

// ---- a kernel ----------------------------------------------------------------------------------

static bool settle(state *s) {
  for (int pass = 0; pass < MAX_PASSES; pass++) {
    s->changed = false;
    for (uint32_t pc = 0; pc < s->kernel->n_code; pc++)
      if (s->kernel->code[pc].form != SIMT_FORM_MARKER) visit(s, &s->kernel->code[pc]);
    if (!s->changed) return true;
  }
  return false;
}

static bool is_access(const simt_instr *in) {
  return in->form == ISA_LOAD || in->form == ISA_STORE || in->form == ISA_ATOM ||
         in->form == ISA_RED;
}

static bool find(state *s, simt_arena *scratch, const simt_operand *operands, uint32_t n_operands) {
  s->of = SIMT_ARENA_ARRAY(scratch, home, n_operands + 1);
  if (!s->of) return false;
  for (uint32_t i = 0; i < n_operands; i++)
    if (!operands[i].is_register)
      s->of[i] = operands[i].fill.home ? operands[i].fill.home : HOME_NONE;
  bool settled = settle(s);
  for (uint32_t pc = 0; pc < s->kernel->n_code; pc++) {
    const simt_instr *in = &s->kernel->code[pc];
    home h = settled && is_access(in) ? read(s, in->a) : HOME_UNKNOWN;
    s->kernel->code_home[pc] = is_array(h) ? (int16_t)(h - 1) : -1;
  }
  return true;
}

simt_status simt_find_homes(simt_arena *arena, simt_kernel *kernel, const simt_operand *operands,
                            uint32_t n_operands, simt_diag *diag) {
  if (!kernel->n_shared_variables) return SIMT_OK;
  simt_arena scratch = {0};
  simt_arena_limit(&scratch, SCRATCH_LIMIT_BYTES);
  kernel->code_home = SIMT_ARENA_ARRAY(arena, int16_t, kernel->n_code);
  state s = {.kernel = kernel};
  bool done = kernel->code_home && find(&s, &scratch, operands, n_operands);
  simt_arena_free(&scratch);
  return done ? SIMT_OK
              : simt_fail(diag, SIMT_OUT_OF_MEMORY, "no memory left to decode '%s'", kernel->name);
}
