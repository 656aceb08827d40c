// SPDX-License-Identifier: MIT
// lanes/collective.h - shuffles, votes, matches and reductions among lanes that have all arrived.
#ifndef SIMT_COLLECTIVE_H
#define SIMT_COLLECTIVE_H

#include "device/instruction.h"

// Executes `in` for the converged lanes of `mask`.
void simt_exec_collective(uint8_t *regs, const simt_instr *in, uint32_t mask);
// The same of a match; returns how many different values the lanes bring.
uint32_t simt_exec_match(uint8_t *regs, const simt_instr *in, uint32_t mask);
// The lane each lane of `mask` reads in a shuffle (itself where the segment ends), before it runs:
// source [32].
void simt_shuffle_sources(const uint8_t *regs, const simt_instr *in, uint32_t mask,
                          uint8_t *source);

#endif
