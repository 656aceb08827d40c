// SPDX-License-Identifier: MIT
// core/footprint.h - what a launch read and wrote: enough to repeat it without running it.
//
// A kernel whose steps depend on nothing but its arguments and memory does the same again when it
// is launched again in the same way and finds in memory what it found before. The footprint keeps
// the bytes of every allocation that the launch touched as they were before it, and the pages that
// it changed as they were behind it. Bytes are compared, not hashed, where they may have changed at
// all; so a repetition is exact.
#ifndef SIMT_FOOTPRINT_H
#define SIMT_FOOTPRINT_H

#include "core/speculate.h"
#include "core/state.h"

typedef struct simt_footprint simt_footprint;

// Whether the kernel's steps depend on its arguments and memory alone, and change nothing else: no
// clock, no text, no heap, no surface.
bool simt_is_repeatable(const simt_kernel *kernel);

// Moves what `notes` hold into core->launch->footprint, if the launch has one. It stays empty where
// host memory runs out or the limit of bytes is too low for it.
void simt_footprint_take(const simt_core *core, const simt_speculation *notes);

// An empty footprint that may take `most_bytes` of host memory. NULL: out of memory.
simt_footprint *simt_footprint_create(uint64_t most_bytes);
void simt_footprint_destroy(simt_footprint *footprint); // NULL is allowed
bool simt_footprint_is_taken(const simt_footprint *footprint);
uint64_t simt_footprint_bytes(const simt_footprint *footprint); // of host memory

// Whether memory holds what the launch found, in the same allocations.
bool simt_footprint_is_met(simt_footprint *footprint, const simt_memory *memory);
// Changes memory as the launch did. Only where it is met.
void simt_footprint_repeat(const simt_footprint *footprint, simt_memory *memory);

#endif
