// SPDX-License-Identifier: MIT
// decode/analysis/places.h - what a value or an address is a copy of, or a constant sum of, so that
// two of them can be compared without running the code.
#ifndef SIMT_DECODE_PLACES_H
#define SIMT_DECODE_PLACES_H

#include "decode/analysis/values.h"

typedef struct simt_place { // an operand, and bytes (of a value: units) behind it
  uint32_t operand;
  uint64_t offset;
  uint64_t step; // it moves on by so much with each turn of a loop; 0: it stays
} simt_place;

bool simt_is_constant(const simt_values *values, uint32_t operand);
bool simt_is_parameter(const simt_values *values, uint32_t operand); // of the launch

// A value followed back as far as it is copied or gets a constant added.
simt_place simt_place_of_value(const simt_values *values, uint32_t operand);
// The address of an access. It may have been copied on its way there: inline assembly has it from
// before cvta.to.global, which compilers put before their own accesses. And of a[1] one access has
// the address of a and an offset, another one a sum.
simt_place simt_place_of(const simt_values *values, const simt_instr *access);
// Whether it is known how far apart the two are, and a - b.
bool simt_places_are_apart(const simt_values *values, simt_place a, simt_place b, uint64_t *apart);
// Whether an integer register that is moved on with each turn of a loop goes up (1) or down (-1);
// 0: it is not known to do either. What is added or subtracted counts as positive when it is no
// constant: it is a number of threads as a rule.
int simt_direction_of(const simt_values *values, uint32_t operand, uint32_t width_bytes);

#endif
