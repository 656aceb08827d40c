// SPDX-License-Identifier: MIT
// profile/touches.h - which lines of memory a launch touches, in order: of a sample of lines.
//
// A line is in the sample when the lower `shift` bits of its hash are zero: one line in 2^shift.
// When there are more touches than are kept, the shift grows by one, and those that are no longer
// in the sample are dropped; at the launch's end again, until a small part of its touches is left.
// Which are kept depends neither on how many host threads run the launch nor on when the shift
// grew.
#ifndef SIMT_TOUCHES_H
#define SIMT_TOUCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Accesses of an instruction to a sampled line: one, or several consecutive ones that are the same.
typedef struct simt_touch {
  uint64_t word; // line << 4 | mask of sectors
  uint32_t pc;
  uint32_t times : 29, kind : 3; // simt_entry_kind
} simt_touch;

// What one instruction accessed of global or local memory.
typedef struct simt_access_count {
  uint64_t requests, sectors;
  uint64_t word;      // of its latest touch
  uint32_t block, at; // its block; its index + 1, 0: not in the sample
  uint8_t kind;       // simt_entry_kind
} simt_access_count;

// The sectors from `first` to `last` (addresses / 32) as words of at most 64 lines. Returns how
// many.
unsigned simt_run_of_sectors(uint64_t words[64], uint64_t first, uint64_t last);

typedef struct simt_touches {
  simt_touch *touches; // [n]
  size_t n, room;
  simt_access_count *accesses; // [n_code]
  uint32_t n_code, room_for_code;
  unsigned shift;
  size_t most;   // that are kept; SIZE_MAX: all
  uint64_t seen; // touches, kept or not
  bool lost;     // memory ran out: some are missing
} simt_touches;

// Forgets what there was; keeps its memory. False: out of memory.
bool simt_touches_begin(simt_touches *touches, uint32_t n_code, unsigned shift, size_t most);
// A warp's access to `n` lines, as words.
void simt_touches_add(simt_touches *touches, const uint64_t *words, unsigned n, uint32_t pc,
                      uint32_t block, unsigned kind);
// The same of an access to the sectors from `first` to `last`, which is faster.
void simt_touches_add_run(simt_touches *touches, uint64_t first, uint64_t last, uint32_t pc,
                          uint32_t block, unsigned kind);
// The launch has ended: at most `least` are kept, or one in 64, if that is more. Not where all are.
void simt_touches_settle(simt_touches *touches, size_t least);
// Adds those of later blocks.
void simt_touches_join(simt_touches *touches, const simt_touches *later);
void simt_touches_free(simt_touches *touches);

#endif
