// SPDX-License-Identifier: MIT
// core/children.h - what device code asks of CUDA's runtime: work for the device, which is recorded
// here and carried out by the client of the core when the grid's own blocks have ended; and
// questions, which the client answers at once.
#ifndef SIMT_CHILDREN_H
#define SIMT_CHILDREN_H

#include "decode/device_calls.h"
#include "decode/module.h"

typedef enum simt_child_kind {
  SIMT_CHILD_LAUNCH,
  SIMT_CHILD_COPY, // `height` rows of `width` bytes
  SIMT_CHILD_SET,
  SIMT_CHILD_WAIT // nothing but an entry of its stream, which waits for `event`
} simt_child_kind;

// One thing that a grid has asked for. It may begin when `after`, the one before it in its stream,
// is complete (a launch with all that it has launched itself), and `event` too; those of the tail
// only when everything else of the grid is complete. The grid is complete when all of it is.
typedef struct simt_child simt_child;
struct simt_child {
  simt_child *next; // asked for later by the same grid
  simt_child *after, *event;
  uint8_t kind; // simt_child_kind
  bool is_tail; // of cudaStreamTailLaunch
  // LAUNCH
  const simt_kernel *kernel;
  uint32_t grid[3], block[3], shared_bytes;
  void *params; // packed
  // COPY, SET: device addresses
  uint64_t to, from, to_pitch, from_pitch, width, height;
  uint8_t value;
  // For the client, which may keep here what waits for it.
  uint32_t n_waits;
  simt_child *successor, *waiters, *next_waiter; // in its stream; for it as an event
  simt_child *next_ready;
  void *data;
};

void simt_children_free(simt_child *first); // and all behind it

enum { SIMT_ANSWER_BYTES = 256 };

// A call that only the client can answer: `call` is one of the questions of
// decode/device_calls.def, or LAUNCH_V2, which asks whether a launch is possible.
typedef struct simt_question {
  uint8_t call;              // simt_device_call
  const simt_kernel *kernel; // that it is about, or NULL
  uint64_t in[3];            // arguments, without the kernel and what is to be filled in
  uint32_t grid[3], block[3], shared_bytes; // of a launch
  const char *text;                         // the answer of ERROR_STRING and ERROR_NAME
  uint8_t answer[SIMT_ANSWER_BYTES];        // of the others, as the program's type has it
  uint32_t answer_bytes;
} simt_question;

#endif
