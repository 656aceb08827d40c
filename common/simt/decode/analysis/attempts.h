// SPDX-License-Identifier: MIT
// decode/analysis/attempts.h - a plain load and the atomics on its address, while it is found out
// whether the load only decides if they are tried: shared by attempts.c,
// regions.c and repeats.c.
#ifndef SIMT_DECODE_ATTEMPTS_H
#define SIMT_DECODE_ATTEMPTS_H

#include "decode/analysis/analysis.h"
#include "decode/analysis/places.h"

enum {                   // what an operand holds
  SIMT_TESTED = 1,       // the loaded value, or something computed from it
  SIMT_LOADED = 2,       // the value itself
  SIMT_RETURNED = 4,     // what an atomic returns, or something computed from it
  SIMT_COMPARED = 8,     // the outcome of a comparison of that
  SIMT_ONE = 16,         // of one atomic
  SIMT_CHANGED = 32,     // something computed from the loaded value
  SIMT_ATTEMPT_MARKS = 8 // two of them are made twice
};

typedef struct simt_path { // instructions that may run
  uint32_t *list, n;       // [n_code] as they are found
  bool *is_on;             // [n_code]
} simt_path;

typedef struct simt_attempt {
  const simt_values *values;
  const simt_instr *load;
  uint8_t *holds;           // [n_operands]
  uint32_t *list, n_listed; // [n_operands * SIMT_ATTEMPT_MARKS] operands in the order of marking
  simt_path region, behind; // what a condition decides; what may run after that
  uint32_t n_steps;         // over all loads of the kernel
  bool repeats;             // all atomics on the address do the same, see simt_operations_there
  uint32_t *atomics, n_atomics; // [n_code] all of the kernel
  bool *is_there;               // [n_code] an atomic on the address of the load
  bool *is_tested;              // [n_code] in the region of a condition
  bool *is_tried;               // [n_code] such an atomic in such a region
  bool *is_compared;            // [n_code] ... whose result a comparison uses
  bool *is_decided;             // [n_code] a comparison of such a result decides whether it runs
} simt_attempt;

static inline bool simt_holds(const simt_attempt *t, uint32_t operand, uint8_t what) {
  return operand != SIMT_NO_SLOT && (t->holds[operand] & what);
}

// The loaded value as it is, and nothing else.
static inline bool simt_is_the_word(const simt_attempt *t, uint32_t operand) {
  return simt_holds(t, operand, SIMT_LOADED) && !simt_holds(t, operand, SIMT_CHANGED);
}

static inline bool simt_computes(const simt_instr *in) {
  return in->form == ISA_LANES || in->form == ISA_SETP || in->form == ISA_PACK ||
         in->form == ISA_UNPACK;
}

static inline bool simt_is_atomic_at(const simt_attempt *t, const simt_instr *in) {
  return (in->form == ISA_ATOM || in->form == ISA_RED) && t->is_there[in->pc];
}

// decode/analysis/regions.c. Adds what runs from `pc` on, up to the instruction `stop`.
void simt_reach_from(const simt_attempt *t, simt_path *path, uint32_t pc, uint32_t stop);
void simt_forget_path(simt_path *path);
// What the guard of the instruction decides, and what may run after that.
void simt_find_region(simt_attempt *t, const simt_instr *in);
void simt_find_behind(simt_attempt *t, const simt_instr *in);
bool simt_is_set_in_region(const simt_attempt *t, uint32_t operand);
// Whether what the instruction, which is in the region, writes is used behind the region.
bool simt_is_left_behind(simt_attempt *t, const simt_instr *in);

// decode/analysis/repeats.c. The operations of the atomics on the address, see facts.h, where it
// may do no harm to run them in vain; otherwise 0.
uint32_t simt_operations_there(simt_attempt *t);
// Whether the atomics in the region of the condition, which has been found, would change nothing
// where the condition keeps them from running.
bool simt_is_in_vain(simt_attempt *t, const simt_instr *condition, uint32_t operations);

#endif
