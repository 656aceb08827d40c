// SPDX-License-Identifier: MIT
// profile/merge.h - pairs of PTX instructions of which an assembler makes one: it has instructions
// with three inputs. a + b + c is one addition (IADD3), any function of three words' bits is one
// logical operation (LOP3), and (a << n) + b is one as well (LEA). Private to profile/plan.c.
#ifndef SIMT_MERGE_H
#define SIMT_MERGE_H

#include "device/observer.h"

// register_of[slot / 4] is the number of the register in a slot, 1 ... n_registers - 1, or 0: what
// no instruction writes. Sets merged[pc] where the instruction becomes part of the one that uses
// its result; the array is [n_code] and zeroed. False: out of memory.
bool simt_find_merged(const simt_launch_info *info, const uint16_t *register_of,
                      uint32_t n_registers, bool *merged);

#endif
