// SPDX-License-Identifier: MIT
/// @file text.h
/// How the harness puts out text that it did not write itself: as a JSON string, and in lines that
/// fit a terminal.
#ifndef WB_TEXT_H
#define WB_TEXT_H

#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { WB_LINE_COLUMNS = 80 };

/// `text` as a JSON string, quotes included. Texts may quote a submission's names: bytes that are
/// not UTF-8 become '?'.
void wb_print_json_string(FILE *to, const char *text);

/// `text` in lines of at most WB_LINE_COLUMNS: its own lines are indented by `indent`, what had to
/// be broken off them by `hang`. A word that is longer than a line stays whole.
void wb_print_wrapped(FILE *to, const char *text, int indent, int hang);

/// "program: message" on stderr: wrapped for a terminal, in one piece for files and pipes.
void wb_complain(const char *program, const char *message);

#ifdef __cplusplus
}
#endif
#endif
