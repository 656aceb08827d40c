// SPDX-License-Identifier: MIT
// profile/request.h - what one access event costs in the memory system: the rules of
// profile/transactions.h, applied with what the core knows about the addresses.
//
// The lanes of most warps that are neither contiguous nor uniform still touch few places: rows of a
// tile, one element per row. The event says which lanes touch the sector of the lane before
// (same_sector), so that only the first lane of each such run is looked at, and how far apart the
// outermost bytes are (span_bytes), which shows most accesses to shared memory to be free of bank
// conflicts. The results are those of the rules, always; where the event says nothing, so is the
// way to them.
#ifndef SIMT_REQUEST_H
#define SIMT_REQUEST_H

#include "device/observer.h"

// Sectors of global or local memory that the access touches.
unsigned simt_access_sectors(const simt_access *access);
// Passes over the banks: of a load or store of shared memory, or of a load of the L1.
unsigned simt_access_wavefronts(const simt_access *access);

enum { SIMT_MOST_LINES = 64 }; // that an access touches
// The lines that it touches in the order of its lanes, as words: line number << 4 | mask of
// sectors. Returns how many.
unsigned simt_access_lines(const simt_access *access, uint64_t words[SIMT_MOST_LINES]);

#endif
