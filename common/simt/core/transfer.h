// SPDX-License-Identifier: MIT
// core/transfer.h - private to the core: moves the data of an access that has been checked.
#ifndef SIMT_TRANSFER_H
#define SIMT_TRANSFER_H

#include "core/state.h"

// Where the lanes' bytes are: base + (at[lane] - low) + lane_stride * lane. lane_stride is non-zero
// for local memory only, where every lane has bytes of its own.
typedef struct simt_place {
  uint8_t *base;
  uint64_t low;
  size_t lane_stride;
  bool is_visible;  // to other lanes: shared and global memory
  uint64_t generic; // at[lane] + generic is the address as core/store_buffer.h wants it
} simt_place;

// The lanes of `mask` load, store or combine; all of them lie in *p.
void simt_transfer(simt_core *core, simt_warp *w, const simt_instr *in, const simt_addresses *a,
                   const simt_place *p, uint32_t mask);

#endif
