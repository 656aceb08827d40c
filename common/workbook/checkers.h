// SPDX-License-Identifier: MIT
/// @file checkers.h
/// --check and --schedule of a lesson program: the software GPU's checkers and hostile schedules,
/// which a GPU does not have.
#ifndef WB_CHECKERS_H
#define WB_CHECKERS_H

#include <stdbool.h>
#include <stddef.h>

#include "args.h"

#ifdef __cplusplus
extern "C" {
#endif

/// Hands what `args` asks for to the software GPU; before the first CUDA call of the process. On a
/// GPU, when something is asked for: false, and `message` says what to use instead. `program` is
/// how the program was called.
bool wb_checkers_ask(const wb_args *args, const char *program, char *message, size_t message_bytes);

/// After the run: how many errors the checkers found. Printed, where they were asked for, on stdout
/// (a table) or not at all (JSON lines).
unsigned wb_checkers_report(const wb_args *args);

#ifdef __cplusplus
}
#endif
#endif
