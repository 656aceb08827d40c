// SPDX-License-Identifier: MIT
/// @file recorder.h
/// What the lanes of one block of a launch did, step by step, as lines of JSON: for the player of
/// the book's pages and of `make trace`, and for pictures.
///
///   {"trace":"launch","kernel":…,"grid":[…],"block":[…],"shared_bytes":…,
///    "arrays":[[name,byte,bytes]…]}
///   {"w":warp,"m":mask,"t":steps of the launch before it, in all its blocks,"file":…,"l":line,
///    "p":PTX line, "x":its text (the first time), and what the step did:
///    "r":[register,type,[value or null per lane]], "a":{"kind","space","bytes","at":[…]},
///    "s":[[word,bits before,bits after]…] of shared memory, "c":{"kind","members","from":[…]},
///    "b":"arrive" or "done", "g":[[mask,state]…] where the warp's lanes stand afterwards}
///   {"trace":"end","launch":its number,"recorded":steps,"whole":whether there were no more,
///    "findings":[…]}   (findings/findings.h)
///
/// Names of kernels are as written in the source (base/names.h).
/// Invariant: recording changes no result and no count.
#ifndef TUTOR_RECORDER_H
#define TUTOR_RECORDER_H

#include "engine/engine.h"

typedef struct recorder recorder;

/// Records block number `block` (linear), at most `most_steps` steps. `to` is copied. NULL: no
/// memory is left. The caller destroys it, after the run has ended.
recorder *recorder_create(const simt_sink *to, uint32_t block, unsigned long most_steps);
void recorder_destroy(recorder *r);

/// To be added to the observers of the launch that will be recorded.
simt_observer *recorder_observer(recorder *r);

/// Steps through a launch that has begun, to its end or until `most_steps` are written. The launch
/// is left where it then stands.
void recorder_run(recorder *r, simt_run *run);
/// The last line, after simt_run_end(): some checkers report when a launch ends. `findings` may be
/// NULL.
void recorder_end(recorder *r, const simt_findings *findings);

#endif
