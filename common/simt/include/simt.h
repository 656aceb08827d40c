// SPDX-License-Identifier: MIT
// simt.h - what a program can ask the software GPU beyond the CUDA runtime API: counters,
// modelled time, options. Plain C, usable from CUDA files as well.
#ifndef SIMT_H
#define SIMT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SIMT_VERSION "0.1.0"

// Instruction classes, in the order of simt_counters.class_warp_instructions.
// clang-format off
typedef enum simt_class {
  SIMT_CLASS_INTEGER, SIMT_CLASS_FP16, SIMT_CLASS_FP32, SIMT_CLASS_FP64, SIMT_CLASS_SPECIAL,
  SIMT_CLASS_DIVISION, // integer division and remainder, IEEE 1/x, x/y, sqrt: many machine instructions each
  SIMT_CLASS_CONVERT, SIMT_CLASS_COMPARE, SIMT_CLASS_MOVE, SIMT_CLASS_PARAMETER,
  SIMT_CLASS_GLOBAL, SIMT_CLASS_SHARED, SIMT_CLASS_LOCAL, SIMT_CLASS_ATOMIC,
  SIMT_CLASS_BARRIER, SIMT_CLASS_SHUFFLE, SIMT_CLASS_VOTE, SIMT_CLASS_BRANCH, SIMT_CLASS_CONTROL,
  SIMT_CLASS_COUNT
} simt_class;
// clang-format on

typedef struct simt_counters {
#define SIMT_COUNTER(name, combine, description) uint64_t name;
#include "simt_counters.def"
#undef SIMT_COUNTER
  uint64_t class_warp_instructions[SIMT_CLASS_COUNT];
} simt_counters;

enum {
  SIMT_COUNTER_COUNT = 0
#define SIMT_COUNTER(name, combine, description) +1
#include "simt_counters.def"
#undef SIMT_COUNTER
};

const char *simt_class_name(simt_class c);   // "fp32"
const char *simt_counter_name(size_t index); // index < SIMT_COUNTER_COUNT, else NULL
const char *simt_counter_description(size_t index);
uint64_t simt_counter_value(const simt_counters *counters, size_t index);

// Counters of all launches since the process began or since the last reset.
void simt_counters_read(simt_counters *out);
void simt_counters_reset(void);
// Counters of the latest launch alone.
void simt_counters_last_launch(simt_counters *out);

// Modelled duration of the latest launch on the modelled device, milliseconds. Never measured.
double simt_modelled_ms_last_launch(void);
// Name of the modelled device, e.g. "modelled H200", and its modelled DRAM read ceiling in GB/s.
const char *simt_device_name(void);
double simt_device_peak_gb_per_s(void);

// The latest device fault's full text ("" when there was none): what was printed on stderr.
const char *simt_last_diagnostic(void);

// What the checkers found (SIMT_CHECK, SIMT_SCHEDULE=sweep), device faults included, since the
// process began: the number of errors, notes not counted; races between the same two lines are one.
uint64_t simt_findings_error_count(void);
// All of them but device faults as text, as on stderr but without colours: the first `n_in_full` at
// length, the others in a line each; into out[out_bytes], cut when too long. Returns the bytes of
// the whole text.
size_t simt_findings_text(char *out, size_t out_bytes, unsigned n_in_full);

// Launches so far; the latest one has this number.
uint64_t simt_launches(void);
// Which launch wrote the byte at this device address last: a result that a judge reads must come
// from the launch it judges. 0: the host or nobody did, or initcheck is off.
uint64_t simt_last_writer_launch(const void *device_address);

#ifdef __cplusplus
}
#endif
#endif
