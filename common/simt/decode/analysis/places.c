// SPDX-License-Identifier: MIT
// decode/analysis/places.c - see decode/analysis/places.h.
#include "decode/analysis/places.h"

static bool is_fill(const simt_values *v, uint32_t operand, simt_fill_kind kind) {
  return operand != SIMT_NO_SLOT && !v->operands[operand].is_register &&
         v->operands[operand].fill.kind == kind;
}

bool simt_is_constant(const simt_values *v, uint32_t operand) {
  return is_fill(v, operand, SIMT_FILL_CONSTANT);
}

bool simt_is_parameter(const simt_values *v, uint32_t operand) {
  return is_fill(v, operand, SIMT_FILL_PARAM);
}

// Whether the operand has one value for each lane all the while: a constant, or set once.
static bool stays(const simt_values *v, uint32_t operand) {
  return !v->operands[operand].is_register || simt_definition(v, operand);
}

static bool is_constant_sum(const simt_values *v, const simt_instr *in) {
  return in->form == ISA_LANES && in->guard == SIMT_NO_SLOT && in->a != SIMT_NO_SLOT &&
         simt_operation_of(in) == ISA_OPERATION_ADD &&
         isa_rows[in->id].klass == SIMT_CLASS_INTEGER && simt_is_constant(v, in->b);
}

static bool is_copy(const simt_instr *in) {
  return in->form == ISA_LANES && in->guard == SIMT_NO_SLOT && in->a != SIMT_NO_SLOT &&
         simt_operation_of(in) == ISA_OPERATION_MOVE;
}

// A register that is set once and then moved on with each turn of a loop, as compilers make it of
// an index; perhaps by way of another register. What sets it and what moves it on, or NULL.
typedef struct turns {
  const simt_instr *start, *moves;
} turns;

static turns turns_of(const simt_values *v, uint32_t operand) {
  const uint32_t first = v->first_definition[operand];
  if (v->first_definition[operand + 1] - first != 2) return (turns){NULL, NULL};
  for (uint32_t i = 0; i < 2; i++) {
    const simt_instr *moves = &v->kernel->code[v->definitions[first + i]];
    const simt_instr *start = &v->kernel->code[v->definitions[first + 1 - i]];
    if (is_copy(moves) && v->operands[moves->a].is_register) moves = simt_definition(v, moves->a);
    if (moves && moves->form == ISA_LANES && moves->guard == SIMT_NO_SLOT && moves->a == operand &&
        start->a != operand)
      return (turns){start, moves};
  }
  return (turns){NULL, NULL};
}

static const simt_instr *start_of_loop(const simt_values *v, uint32_t operand, uint64_t *step) {
  const turns t = turns_of(v, operand);
  if (!t.moves || !is_constant_sum(v, t.moves)) return NULL;
  *step = v->operands[t.moves->b].fill.value;
  return t.start;
}

// Follows the register to what it is a copy or a constant sum of; false: it is neither.
static bool step_back(const simt_values *v, simt_place *at) {
  if (!v->operands[at->operand].is_register) return false;
  const simt_instr *made = simt_definition(v, at->operand);
  uint64_t step = 0;
  if (!made) made = start_of_loop(v, at->operand, &step);
  if (!made || !(is_copy(made) || is_constant_sum(v, made))) {
    if (!at->step) at->step = step;
    return false;
  }
  if (!step && !stays(v, made->a) && !start_of_loop(v, made->a, &step)) return false;
  if (!at->step) at->step = step; // of the innermost loop
  if (is_constant_sum(v, made)) at->offset += v->operands[made->b].fill.value;
  at->operand = made->a;
  return true;
}

enum { MAX_STEPS = 64 }; // code that never runs may copy in a circle

simt_place simt_place_of_value(const simt_values *v, uint32_t operand) {
  simt_place at = {operand, 0, 0};
  for (int i = 0; i < MAX_STEPS && at.operand != SIMT_NO_SLOT && step_back(v, &at); i++) continue;
  return at;
}

simt_place simt_place_of(const simt_values *v, const simt_instr *access) {
  simt_place at = simt_place_of_value(v, access->a);
  at.offset += (uint64_t)access->memory.offset;
  return at;
}

bool simt_places_are_apart(const simt_values *v, simt_place a, simt_place b, uint64_t *apart) {
  *apart = a.offset - b.offset;
  if (a.step != b.step) return false;
  if (a.operand == b.operand) return true;
  if (!simt_is_constant(v, a.operand) || !simt_is_constant(v, b.operand)) return false;
  *apart += v->operands[a.operand].fill.value - v->operands[b.operand].fill.value;
  return true;
}

int simt_direction_of(const simt_values *v, uint32_t operand, uint32_t width_bytes) {
  const uint64_t step = simt_place_of_value(v, operand).step;
  const int64_t by = width_bytes == 8 ? (int64_t)step : (int32_t)(uint32_t)step;
  if (by) return by > 0 ? 1 : -1;
  const simt_instr *moves = turns_of(v, operand).moves;
  if (!moves || isa_rows[moves->id].klass != SIMT_CLASS_INTEGER) return 0;
  if (simt_operation_of(moves) == ISA_OPERATION_ADD) return 1;
  return simt_operation_of(moves) == ISA_OPERATION_SUBTRACT ? -1 : 0;
}
