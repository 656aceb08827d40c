// SPDX-License-Identifier: MIT
/// @file buffers.h
/// The arguments of a launch, from words on a command line: values, and device memory by name.
///
///   unsigned:257  float:0.5         a value
///   in=random:float:1024            new memory of that many elements, named `in`; contents:
///   random,
///                                   zero, lowest (-infinity), or none (uninitialised)
///   offsets=sums:counts             new memory: offsets[i] = counts[0] + ... + counts[i - 1]
///   in                              memory named before
///
/// Types: float, unsigned, long (64 bits), byte. Random floats are multiples of 2^-24 in [0, 1).
#ifndef TUTOR_BUFFERS_H
#define TUTOR_BUFFERS_H

#include "engine/engine.h"

enum { TUTOR_MAX_BUFFERS = 16, TUTOR_MAX_ARGUMENTS = 16 };

typedef struct tutor_buffer {
  char name[32];
  uint64_t address, size_bytes;
} tutor_buffer;

typedef struct tutor_arguments {
  tutor_buffer buffers[TUTOR_MAX_BUFFERS]; ///< of all launches so far
  size_t n_buffers;
  uint64_t values[TUTOR_MAX_ARGUMENTS]; ///< of this launch; the lowest bytes count
  const void *pointers[TUTOR_MAX_ARGUMENTS];
  uint32_t n_values;
} tutor_arguments;

/// Adds the argument that `word` says. SIMT_INVALID_ARGUMENT names the word.
simt_status tutor_arguments_add(tutor_arguments *arguments, simt_engine *gpu, const char *word,
                                simt_diag *diag);

#endif
