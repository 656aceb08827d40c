// SPDX-License-Identifier: MIT
/// @file session.h
/// What a lesson program holds while it runs: the device's memory, the present input, and how the
/// host makes, adds up and judges it. Internal to the harness (lesson.c, session.c, outcome.c).
///
/// The input never exists as a whole on the host: it is made in chunks, so that 2^30 elements need
/// little more than their device memory. On a GPU the host works on several slices of it at once; a
/// slice's totals are kept, so that a scan can be judged from the middle. The slices' number and
/// limits depend on n only: the reference is the same on every machine.
#ifndef WB_SESSION_H
#define WB_SESSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "args.h"
#include "device.h"
#include "lesson.h"
#include "reference.h"
#include "verify.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  WB_CHUNK_ELEMENTS = 1 << 16,
  WB_MAX_SLICES = 16,
  WB_COUNTER_ROOM = 256,
  WB_ELEMENT_BYTES = 4
};

/// A stretch of the input that one host thread works on.
typedef struct wb_slice {
  size_t first, count;
  wb_totals totals;     ///< of its elements, as the input is now
  int32_t *bins;        ///< [most_bins] their histogram, when they are samples
  unsigned char *chunk; ///< [2 * WB_CHUNK_ELEMENTS] of 4 bytes: room to work in
  wb_verdict verdict;   ///< of its part of the output
  double sum;           ///< of its part of the output
} wb_slice;

typedef struct wb_session {
  const wb_lesson *lesson;
  wb_args args; ///< args.n is the present size
  wb_device device;
  unsigned char *inputs; ///< device: [n_copies][copy_bytes]
  size_t copy_bytes;
  unsigned n_copies; ///< as many as make the regime cold; 1 when it is warm
  void *out;         ///< device
  size_t out_bytes;
  float *scratch; ///< device
  size_t scratch_bytes;
  wb_shares shares;                            ///< of several GPUs; devices: 0 for one
  unsigned char *share_inputs[WB_MAX_DEVICES]; ///< device d: [n_copies][share_bytes]
  size_t share_bytes;
  unsigned char *host_input; ///< page-locked: what wb_shares.in_host is
  unsigned most_bins;        ///< of a histogram of the lesson; 0: it has none
  wb_slice slices[WB_MAX_SLICES];
  unsigned n_slices;
  double counters[WB_COUNTER_ROOM];
  bool on_terminal;
  bool is_sampling;         ///< --sample, at the size that was asked for
  const wb_variant *filled; ///< whose input is there; NULL: unknown
  unsigned n_run, n_wrong;
} wb_session;

/// One variant with one parameter, about to run.
typedef struct wb_run {
  wb_session *session;
  const wb_variant *variant;
  wb_launch launch;
} wb_run;

/// Allocates for args.n and the regime. False, with a message on stderr. Close it in any case.
bool wb_session_open(wb_session *s);
void wb_session_close(wb_session *s);

/// Whether one input serves both variants.
bool wb_same_input(const wb_variant *a, const wb_variant *b);

/// Makes the variant's input, adds it up on the way, and copies it to every place.
bool wb_session_fill(wb_session *s, const wb_variant *variant, wb_input_kind kind);
/// The same, unless it is there already: only where nothing else has been filled in since.
bool wb_session_fill_once(wb_session *s, const wb_variant *variant, wb_input_kind kind);
bool wb_session_poison_output(wb_session *s);
bool wb_session_poison(wb_session *s); ///< output and scratch
const void *wb_session_input(const wb_session *s, unsigned copy);

/// Lessons on several GPUs (shares.c): memory on each, the input spread over them, outputs and room
/// poisoned; all of them do nothing for one GPU, and leave GPU 0 current. False, with a message on
/// stderr, on a CUDA error.
bool wb_shares_open(wb_session *s);
void wb_shares_close(wb_session *s);
bool wb_shares_fill(wb_session *s);
bool wb_shares_poison(wb_session *s);
/// The shares of one copy of the input.
wb_shares wb_shares_of(const wb_session *s, unsigned copy);

bool wb_is_scan(const wb_variant *variant);
unsigned wb_n_bins(const wb_variant *variant); ///< 0 when it is no histogram
size_t wb_type_bytes(wb_type type);
/// Elements of the output; parameter: the present step of a sweep.
size_t wb_output_elements(const wb_variant *variant, unsigned n, unsigned parameter);

/// Elements [first, first + count) of a variant's input, into `to`.
void wb_make_chunk(const wb_session *s, const wb_variant *variant, wb_input_kind kind, void *to,
                   size_t first, size_t count);
void wb_totals_add_chunk(wb_totals *totals, const wb_variant *variant, const void *chunk,
                         size_t count);

/// Does `work(data, i)` for every slice i, side by side where there are several. False if one is.
typedef bool (*wb_slice_work)(void *data, unsigned slice);
bool wb_for_slices(const wb_session *s, wb_slice_work work, void *data);

/// Reads the output and judges it against the input as it is now (outcome.c). *result: the sum of
/// the outputs, of a histogram sum of i * bins[i]. False on a CUDA error.
bool wb_judge_output(const wb_run *r, wb_input_kind kind, wb_verdict *verdict, double *result);

#ifdef __cplusplus
}
#endif
#endif
