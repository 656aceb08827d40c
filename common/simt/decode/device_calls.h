// SPDX-License-Identifier: MIT
// decode/device_calls.h - calls of CUDA's runtime by device code (decode/device_calls.def).
#ifndef SIMT_DECODE_DEVICE_CALLS_H
#define SIMT_DECODE_DEVICE_CALLS_H

#include "base/arena.h"

typedef enum simt_device_call {
#define DEVICE_CALL(id, name, arguments, result) SIMT_DEVICE_##id,
#include "decode/device_calls.def"
#undef DEVICE_CALL
  SIMT_DEVICE_CALL_COUNT
} simt_device_call;

typedef struct simt_device_call_row {
  const char *name; // as the program knows it, without "cuda"
  const char *arguments;
  char result;
} simt_device_call_row;

extern const simt_device_call_row simt_device_call_rows[SIMT_DEVICE_CALL_COUNT];

// The call that a function of NVIDIA's header stands for; SIMT_DEVICE_CALL_COUNT: none.
simt_device_call simt_device_call_find(simt_str function);

#endif
