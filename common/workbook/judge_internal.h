// SPDX-License-Identifier: MIT
// judge_internal.h - what the two halves of the judge share: the parent that plans and reports
// (judge.c) and the child that runs one check on the device (judge_device.c).
#ifndef WB_JUDGE_INTERNAL_H
#define WB_JUDGE_INTERNAL_H

#include "judge.h"

#include <sys/types.h>

// WB_REPORT_BYTES of WB_TEXT_BYTES are for what the checkers say.
enum { WB_MAX_BUFFERS = 16, WB_TEXT_BYTES = 9000, WB_REPORT_BYTES = 2800 };

typedef struct wb_buffer {
  const char *name;
  unsigned char *allocation; // device
  unsigned char *payload;    // device: allocation + front_bytes
  size_t front_bytes, size_bytes, back_bytes;
  unsigned char *expected; // host: the whole allocation as it must be (outputs: guards only)
  bool is_input;
} wb_buffer;

typedef struct wb_host_block {
  struct wb_host_block *next;
  max_align_t data[];
} wb_host_block;

struct wb_judge {
  const char *module_path;
  const wb_suite *suite;
  const wb_check *check;
  uint64_t base_seed;
  cudaLibrary_t library;
  bool loaded, guards, launched;
  bool accused;    // by the checkers: the failure is theirs
  off_t said_from; // end of the file that stderr goes to when the check began; -1: no file
  wb_buffer buffers[WB_MAX_BUFFERS];
  size_t n_buffers;
  wb_host_block *host_blocks;
  char case_text[256];
  char launch_text[256];
#ifdef WORKBOOK_SIMT
  simt_counters counters;
#endif
};

// Prepares `judge` for one check in this process; no CUDA call is made before the check makes one.
void wb_judge_open(wb_judge *judge, const wb_suite *suite, const wb_check *check,
                   const char *module_path, uint64_t base_seed);
void wb_judge_close(wb_judge *judge);

// Kernels that a fault of this kind usually comes from: one sentence, or "".
const char *wb_fault_cause(cudaError_t error, const char *diagnostic);

// Whether counters can be compared with what was worked out by hand: not on a GPU, and not under a
// hostile schedule, where lanes of a warp need not run together.
bool wb_counts_hold(void);

#endif
