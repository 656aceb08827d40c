// SPDX-License-Identifier: MIT
// engine/internal.h - what the files behind engine/engine.h share. Private to them.
#ifndef SIMT_ENGINE_INTERNAL_H
#define SIMT_ENGINE_INTERNAL_H

#include "engine/engine.h"
#include "profile/traffic.h"

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
  bool samples_blocks;
  simt_sampled sampled; // since the counters were cleared
};

// Sets the launch to which findings belong, before any checker observes it.
typedef struct announcer {
  simt_observer hooks; // first
  simt_findings *findings;
} announcer;

struct simt_run {
  simt_engine *engine;
  simt_execution *execution;
  uint32_t device;
  bool has_peers; // it may access other devices' memory
  simt_diag diag;
  announcer first;
  simt_observer **observers; // owned
  uint8_t *params;           // owned
  bool goes_astray;          // it does not run: see engine/sample.c
};

// engine/sample.c. Before the launch begins: which blocks may stand for all.
void simt_sample_plan(simt_run *run, simt_launch *launch);
// After it has ended: its counters, from those of the blocks that have run.
void simt_sample_account(simt_run *run, simt_counters *counters);

#endif
