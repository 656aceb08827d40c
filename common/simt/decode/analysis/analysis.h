// SPDX-License-Identifier: MIT
// decode/analysis/analysis.h - the load-time analyses of a kernel's code.
//
// All analyses follow values through *virtual operands*: each PTX register and each constant is
// one, wherever it occurs, so that nothing depends on the order in which instructions run. They
// work on the kernel's code before register-file slots are assigned.
#ifndef SIMT_DECODE_ANALYSIS_H
#define SIMT_DECODE_ANALYSIS_H

#include "decode/analysis/values.h"

// Fills kernel->facts, and `is_unread` of atomics. SIMT_OUT_OF_MEMORY.
simt_status simt_analyse(simt_arena *arena, simt_kernel *kernel, const simt_operand *operands,
                         uint32_t n_operands, simt_diag *diag);

// The parts. False: out of memory.
bool simt_find_provenance(simt_values *values, simt_arena *arena, simt_kernel *kernel);
bool simt_find_speculation(simt_values *values, simt_arena *arena, simt_kernel *kernel);
bool simt_find_guesses(const simt_values *values, simt_arena *arena, simt_kernel *kernel);
bool simt_find_attempts(const simt_values *values, simt_arena *arena, simt_kernel *kernel);
bool simt_find_levels(const simt_values *values, simt_arena *arena, simt_kernel *kernel);
bool simt_find_copies(const simt_values *values, simt_arena *arena, simt_kernel *kernel);
bool simt_atomics_are_uniform(simt_values *values, bool *result);
bool simt_blocks_are_alone(const simt_kernel *kernel); // after simt_atomics_show_order()
bool simt_loads_decide(simt_values *values, bool *result);
bool simt_atomics_show_order(const simt_values *values, simt_kernel *kernel);

#endif
