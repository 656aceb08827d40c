// SPDX-License-Identifier: MIT
// engine/internal.h - what the files behind engine/engine.h share. Private to them.
#ifndef SIMT_ENGINE_INTERNAL_H
#define SIMT_ENGINE_INTERNAL_H

#include "engine/engine.h"
#include "profile/traffic.h"

typedef struct simt_repeats simt_repeats; // engine/repeat.c
typedef struct simt_known simt_known;     // a launch that may come again

struct simt_engine {
  const simt_model_device *device;
  const simt_platform *platform;
  unsigned checkers;
  bool locates_findings;
  simt_memory *memory;
  simt_findings *findings;
  simt_checks *checks;          // NULL: all off
  simt_observer *counters;      // NULL: off
  simt_observer *lines;         // NULL: off
  simt_observer *trace;         // for the timing model; NULL: off
  simt_l2 l2[SIMT_MAX_DEVICES]; // of the timing model
  simt_model_time last_time;
  uint64_t n_unjudged; // launches since the counters were cleared that the model could not judge
  uint8_t beyond;      // simt_beyond: why the last of them
  uint64_t n_sampled_times; // of these launches, those in whose time some stands for all
  simt_model_time longest;  // of these launches, the longest one's
  simt_lines_mode lines_mode;
  simt_observer *work;  // NULL: off
  simt_observer *peers; // counts accesses to other devices' memory; NULL: none had any yet
  simt_links links;     // since the counters were cleared
  simt_counters total, last;
  double last_ms;
  uint64_t n_launches;
  simt_repeats *repeats; // NULL: every launch runs
  bool samples_blocks;
  bool exact_model;
  simt_sampled sampled; // since the counters were cleared
};

// Sets the launch to which findings belong, before any checker observes it.
typedef struct announcer {
  simt_observer hooks; // first
  simt_findings *findings;
} announcer;

// The line of a kernel's PTX that was asked for last; `at` is NULL before the first.
typedef struct simt_bookmark {
  uint32_t line;
  const char *at;
} simt_bookmark;

struct simt_run {
  simt_engine *engine;
  simt_execution *execution;
  uint32_t device;
  bool has_peers; // it may access other devices' memory
  simt_diag diag;
  announcer first;
  simt_observer **observers; // owned
  uint8_t *params;           // owned
  simt_bookmark *mark;       // owned; queries move it
  simt_observer *trace;      // for the timing model; the engine's or the known launch's
  simt_known *known;         // NULL: not worth remembering
  bool is_repeated;          // it does not run: the known one's outcome is this one's,
  bool has_repeated;         // which memory has by now
  bool goes_astray;          // it does not run: see engine/sample.c
};

// engine/sample.c. Before the launch begins: which blocks may stand for all.
void simt_sample_plan(simt_run *run, simt_launch *launch);
// After it has ended: its counters, from those of the blocks that have run.
void simt_sample_account(simt_run *run, simt_counters *counters);

// engine/repeat.c. Launches that may be repeated without running. NULL: out of memory.
// As simt_engine_options has it: repeat_bytes and repeat_from.
simt_repeats *simt_repeats_create(uint64_t most_bytes, uint64_t from);
void simt_repeats_destroy(simt_repeats *repeats); // NULL is allowed
void simt_repeats_forget(simt_repeats *repeats);  // all of them: their kernels or memory go
// Before the launch begins: whether it runs, and what is to be kept of it.
void simt_repeat_plan(simt_run *run, simt_launch *launch);
void simt_repeat(simt_run *run); // instead of running
// After a launch that did not run: what it would have counted.
const simt_counters *simt_repeat_counters(const simt_run *run);
// After a launch that ran: what it counted is kept.
void simt_repeat_account(simt_run *run, const simt_counters *counters);
// The modelled time that it takes, when that is known already; else NULL.
const simt_model_time *simt_repeat_time(const simt_run *run);
void simt_repeat_note_time(simt_run *run, const simt_model_time *time); // of every launch
void simt_repeats_cool(simt_repeats *repeats);                          // as the L2 is
void simt_repeat_measure(simt_run *run); // how long a launch was that ran
void simt_repeat_end(simt_run *run);     // when its observers are called no more

#endif
