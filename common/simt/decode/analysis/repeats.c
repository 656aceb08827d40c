// SPDX-License-Identifier: MIT
// decode/analysis/repeats.c - atomics that do no harm when they run in vain, and conditions that
// keep them from running only where they would:
//
//   if (x > *most) atomicMax(most, x);           and likewise minima
//   if (!(*set & bit)) atomicOr(set, bit);
//   if (*found == 0) atomicExch(found, 1);       all atomics there do the same with constants: the
//                                                word holds what it held at first or what the first
//                                                of them left there, whatever the condition is
//   if (*owner == NONE) atomicCAS(owner, NONE, me);   all atomics there expect that constant: the
//                                                word leaves it once, and for good
//
// A word that only maxima change grows. So where a value from before is not less than x, so is the
// word now; where it is less, the atomic finds out. That needs the operand of the comparison to be
// the atomic's, and the comparison to have the right direction: each predicate is given a sense,
// whether it says that the atomic is worth more or less, which conjunctions, disjunctions and
// negations keep or turn.
#include "decode/analysis/attempts.h"

// ---- the atomics on the address ----------------------------------------------------------------

static const uint32_t MAX_SIGNED = 1u << ISA_ATOM_MAX;
static const uint32_t MIN_SIGNED = 1u << ISA_ATOM_MIN;
static const uint32_t MAX_UNSIGNED = 1u << (ISA_ATOM_MAX + SIMT_ATTEMPT_UNSIGNED);
static const uint32_t MIN_UNSIGNED = 1u << (ISA_ATOM_MIN + SIMT_ATTEMPT_UNSIGNED);
static const uint32_t SET_BITS = 1u << ISA_ATOM_OR;
static const uint32_t SWAPS = 1u << ISA_ATOM_CAS;

static bool are_equal_constants(const simt_values *v, uint32_t a, uint32_t b) {
  if (a == SIMT_NO_SLOT || b == SIMT_NO_SLOT) return a == b;
  const simt_place one = simt_place_of_value(v, a), other = simt_place_of_value(v, b);
  uint64_t apart;
  return simt_is_constant(v, one.operand) && simt_is_constant(v, other.operand) && !one.step &&
         simt_places_are_apart(v, one, other, &apart) && !apart;
}

static bool can_repeat(const simt_instr *in) {
  switch (in->memory.operation) {
  case ISA_ATOM_MIN:
  case ISA_ATOM_MAX:
  case ISA_ATOM_AND:
  case ISA_ATOM_OR:
  case ISA_ATOM_EXCH:
  case ISA_ATOM_CAS: return true;
  default: return false;
  }
}

// All do the same, and doing it twice is doing it once.
static bool repeats(const simt_values *v, const simt_instr *in, const simt_instr *first) {
  return can_repeat(in) && simt_attempted(in) == simt_attempted(first) &&
         are_equal_constants(v, in->b, first->b) && are_equal_constants(v, in->c, first->c);
}

// All are compare-and-swaps that expect the same constant.
static bool expects_the_same(const simt_values *v, const simt_instr *in, const simt_instr *first) {
  return simt_attempted(in) == SWAPS && are_equal_constants(v, in->b, first->b);
}

typedef bool agreement(const simt_values *v, const simt_instr *in, const simt_instr *first);

// Whether each atomic there agrees with the first of them, and with itself.
static bool all_agree(const simt_attempt *t, agreement *agrees) {
  const simt_instr *first = NULL;
  for (uint32_t i = 0; i < t->n_atomics; i++) {
    const simt_instr *in = &t->values->kernel->code[t->atomics[i]];
    if (!simt_is_atomic_at(t, in)) continue;
    if (!first) first = in;
    if (!agrees(t->values, in, first)) return false;
  }
  return first != NULL;
}

uint32_t simt_operations_there(simt_attempt *t) {
  uint32_t found = 0;
  for (uint32_t i = 0; i < t->n_atomics; i++) {
    const simt_instr *in = &t->values->kernel->code[t->atomics[i]];
    if (simt_is_atomic_at(t, in)) found |= simt_attempted(in);
  }
  // A float's bits grow with it as an integer's while it is positive, and shrink while it is not.
  const bool is_one = found == MAX_SIGNED || found == MIN_SIGNED || found == MAX_UNSIGNED ||
                      found == MIN_UNSIGNED || found == SET_BITS ||
                      found == (MAX_SIGNED | MIN_UNSIGNED) ||
                      found == (MIN_SIGNED | MAX_UNSIGNED) || all_agree(t, expects_the_same);
  t->repeats = all_agree(t, repeats);
  return is_one || t->repeats ? found : 0;
}

// ---- comparisons -------------------------------------------------------------------------------

typedef enum sense { NEUTRAL, MORE, LESS, UNKNOWN } sense; // true: the atomic is worth more, less

static sense turned(sense s) { return s == MORE ? LESS : s == LESS ? MORE : s; }

static sense joined(sense a, sense b) {
  if (a == NEUTRAL) return b;
  return b == NEUTRAL || a == b ? a : UNKNOWN;
}

// `a compare b` as a comparison of b with a.
static uint8_t exchanged(uint8_t compare) {
  switch (compare) {
  case ISA_LT: return ISA_GT;
  case ISA_GT: return ISA_LT;
  case ISA_LE: return ISA_GE;
  case ISA_GE: return ISA_LE;
  default: return compare;
  }
}

static uint8_t ordered(uint8_t compare) {
  return compare >= ISA_EQU && compare <= ISA_GEU ? (uint8_t)(compare - ISA_EQU + ISA_EQ) : compare;
}

// Of x compared with the word, for a maximum of it with x + beyond.
static sense of_comparison(uint8_t compare, int64_t beyond) {
  switch (compare) {
  case ISA_EQ: return beyond == 0 ? LESS : UNKNOWN;
  case ISA_NE: return beyond == 0 ? MORE : UNKNOWN;
  case ISA_GT: return beyond <= 0 ? MORE : UNKNOWN;
  case ISA_GE: return beyond <= 1 ? MORE : UNKNOWN;
  case ISA_LE: return beyond <= 0 ? LESS : UNKNOWN;
  case ISA_LT: return beyond <= 1 ? LESS : UNKNOWN;
  default: return UNKNOWN;
  }
}

// Whether the comparison orders values as the atomics do.
static bool fits(const simt_instr *test, uint32_t operations) {
  const ptx_type type = isa_rows[test->id].type;
  const uint8_t compare = ordered(test->arithmetic.compare);
  if (ptx_type_is_float(type)) return true;
  if (compare == ISA_EQ || compare == ISA_NE)
    return operations != (MAX_SIGNED | MIN_UNSIGNED) && operations != (MIN_SIGNED | MAX_UNSIGNED);
  const bool is_signed = type == PTX_S16 || type == PTX_S32 || type == PTX_S64;
  return is_signed ? operations == MAX_SIGNED || operations == MIN_SIGNED
                   : operations == MAX_UNSIGNED || operations == MIN_UNSIGNED;
}

// A condition that ends a loop decides about later turns, too, with another operand: one that is
// worth less each time, such as an index of which the least is wanted.
static bool holds_for_later(const simt_attempt *t, uint32_t x, bool grows) {
  if (!simt_is_set_in_region(t, x)) return true;
  return simt_direction_of(t->values, x, t->load->memory.width_bytes) == (grows ? -1 : 1);
}

static sense of_extreme(const simt_attempt *t, const simt_instr *test, const simt_instr *atomic,
                        uint32_t operations) {
  const simt_values *v = t->values;
  const bool word_first = simt_is_the_word(t, test->a);
  const uint32_t x = word_first ? test->b : test->a, word = word_first ? test->a : test->b;
  uint64_t apart;
  if (!simt_is_the_word(t, word) || x == SIMT_NO_SLOT || simt_holds(t, x, SIMT_TESTED) ||
      !fits(test, operations) ||
      !simt_places_are_apart(v, simt_place_of_value(v, atomic->b), simt_place_of_value(v, x),
                             &apart))
    return UNKNOWN;
  int64_t beyond = (int64_t)apart;
  if (atomic->memory.width_bytes == 4) beyond = (int32_t)(uint32_t)apart;
  if (beyond != 0 && ptx_type_is_float(isa_rows[test->id].type)) return UNKNOWN;
  uint8_t compare = ordered(test->arithmetic.compare);
  if (word_first) compare = exchanged(compare);
  const bool grows = operations & MAX_SIGNED || operations == MAX_UNSIGNED;
  if (!holds_for_later(t, x, grows)) return UNKNOWN;
  return grows ? of_comparison(compare, beyond) : of_comparison(exchanged(compare), -beyond);
}

static bool is_same_value(const simt_values *v, uint32_t a, uint32_t b) {
  uint64_t apart;
  return a != SIMT_NO_SLOT && b != SIMT_NO_SLOT &&
         simt_places_are_apart(v, simt_place_of_value(v, a), simt_place_of_value(v, b), &apart) &&
         !apart;
}

// (word & bits) compared with nothing or all of the bits that the atomic sets.
static sense of_bits(const simt_attempt *t, const simt_instr *test, const simt_instr *atomic) {
  const simt_values *v = t->values;
  const uint8_t compare = test->arithmetic.compare;
  const simt_instr *masks = test->a != SIMT_NO_SLOT && v->operands[test->a].is_register
                                ? simt_definition(v, test->a)
                                : NULL;
  if (!masks || masks->form != ISA_LANES || simt_operation_of(masks) != ISA_OPERATION_AND ||
      masks->guard != SIMT_NO_SLOT || (compare != ISA_EQ && compare != ISA_NE))
    return UNKNOWN;
  const bool word_first = simt_is_the_word(t, masks->a);
  const uint32_t word = word_first ? masks->a : masks->b, bits = word_first ? masks->b : masks->a;
  if (!simt_is_the_word(t, word) || !is_same_value(v, bits, atomic->b) ||
      simt_is_set_in_region(t, bits))
    return UNKNOWN;
  const bool is_zero = simt_is_constant(v, test->b) && v->operands[test->b].fill.value == 0;
  if (!is_zero && !is_same_value(v, test->b, atomic->b)) return UNKNOWN;
  return is_zero == (compare == ISA_EQ) ? MORE : LESS;
}

// The word compared with the constant that the atomic expects.
static sense of_expected(const simt_attempt *t, const simt_instr *test, const simt_instr *atomic) {
  const bool word_first = simt_is_the_word(t, test->a);
  const uint32_t word = word_first ? test->a : test->b, x = word_first ? test->b : test->a;
  const uint8_t compare = test->arithmetic.compare;
  if (!simt_is_the_word(t, word) || !are_equal_constants(t->values, x, atomic->b) ||
      (compare != ISA_EQ && compare != ISA_NE))
    return UNKNOWN;
  return compare == ISA_EQ ? MORE : LESS;
}

// ---- conditions --------------------------------------------------------------------------------

enum { SENSE_STEPS = 64 }; // instructions from a condition back to comparisons

typedef struct question {
  const simt_attempt *attempt;
  const simt_instr *atomic;
  uint32_t operations;
  uint32_t n_left; // steps
} question;

static sense sense_of(question *q, uint32_t operand, bool negated);

static sense of_test(question *q, const simt_instr *in, uint32_t operand) {
  const simt_attempt *t = q->attempt;
  if (operand == in->arithmetic.second_d) return UNKNOWN;
  sense s = NEUTRAL;
  if (simt_holds(t, in->a, SIMT_TESTED) || simt_holds(t, in->b, SIMT_TESTED))
    s = q->operations == SET_BITS ? of_bits(t, in, q->atomic)
        : q->operations == SWAPS  ? of_expected(t, in, q->atomic)
                                  : of_extreme(t, in, q->atomic, q->operations);
  if (in->c == SIMT_NO_SLOT) return s;
  if (in->arithmetic.boolean == ISA_BOOL_XOR) return UNKNOWN;
  return joined(s, sense_of(q, in->c, in->c_negated));
}

static sense of_definition(question *q, const simt_instr *in, uint32_t operand) {
  if (simt_holds(q->attempt, in->guard, SIMT_TESTED)) return UNKNOWN;
  if (in->form == ISA_SETP) return of_test(q, in, operand);
  if (in->form != ISA_LANES || isa_rows[in->id].type != PTX_PRED) return UNKNOWN;
  const sense a = sense_of(q, in->a, in->a_negated);
  if (in->id == ISA_NOT_PRED) return turned(a);
  switch (simt_operation_of(in)) {
  case ISA_OPERATION_MOVE: return a;
  case ISA_OPERATION_AND:
  case ISA_OPERATION_OR: return joined(a, sense_of(q, in->b, in->b_negated));
  default: return UNKNOWN;
  }
}

static sense sense_of(question *q, uint32_t operand, bool negated) {
  const simt_values *v = q->attempt->values;
  if (!simt_holds(q->attempt, operand, SIMT_TESTED)) return NEUTRAL;
  sense s = NEUTRAL;
  for (uint32_t i = v->first_definition[operand];
       i < v->first_definition[operand + 1] && s != UNKNOWN; i++) {
    if (q->n_left == 0) return UNKNOWN;
    q->n_left--;
    s = joined(s, of_definition(q, &v->kernel->code[v->definitions[i]], operand));
  }
  return negated ? turned(s) : s;
}

// The sense of the condition for all atomics in the region; how many there are.
static sense sense_for_all(const simt_attempt *t, const simt_instr *condition, uint32_t operations,
                           uint32_t *n) {
  sense s = NEUTRAL;
  *n = 0;
  for (uint32_t i = 0; i < t->region.n; i++) {
    question q = {t, &t->values->kernel->code[t->region.list[i]], operations, SENSE_STEPS};
    if (!simt_is_atomic_at(t, q.atomic) || t->is_decided[q.atomic->pc]) continue;
    s = joined(s, sense_of(&q, condition->guard, condition->guard_negated));
    ++*n;
  }
  return s;
}

bool simt_is_in_vain(simt_attempt *t, const simt_instr *condition, uint32_t operations) {
  if (!operations) return false;
  if (t->repeats) return true;
  uint32_t n, n_reached = 0;
  const sense s = sense_for_all(t, condition, operations, &n);
  if ((s != MORE && s != LESS) || n == 0) return false;
  if (condition->form != ISA_BRANCH && condition->form != ISA_EXIT) return s == MORE;
  if (condition->form == ISA_EXIT && s == MORE) return false;
  const bool is_branch = condition->form == ISA_BRANCH;
  simt_forget_path(&t->region);
  simt_reach_from(t, &t->region,
                  is_branch && s == MORE ? condition->branch.target : condition->pc + 1,
                  is_branch ? condition->branch.reconverge : SIMT_NO_PC);
  for (uint32_t i = 0; i < t->region.n; i++) {
    const simt_instr *in = &t->values->kernel->code[t->region.list[i]];
    n_reached += simt_is_atomic_at(t, in) && !t->is_decided[in->pc];
  }
  return n_reached == n;
}
