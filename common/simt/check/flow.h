// SPDX-License-Identifier: MIT
// check/flow.h - where the result of a load goes, read from the PTX.
#ifndef SIMT_CHECK_FLOW_H
#define SIMT_CHECK_FLOW_H

#include "device/observer.h"

// Whether the load at `pc` may stand there only because the compiler moved it up: its address is
// the same for all threads (a variable and an offset, known to be valid), and what it gives is used
// only where a condition asks for it, as in `r = any ? total : 0`. Compilers make an unconditional
// load and a selection of that. Such a load reads, on hardware as here, what the program never
// asks for; that is no mistake. A condition is trusted to be the right one.
// `elements`: bit i for the i-th element of a vector load. Slow: for reports. Out of memory: no.
bool simt_load_is_speculative(const simt_launch_info *info, uint32_t pc, uint32_t elements);

#endif
