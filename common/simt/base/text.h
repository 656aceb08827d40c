// SPDX-License-Identifier: MIT
// base/text.h - formatting and comparing text: JSON strings, lines that fit a terminal, the nearest
// of several names. Shared by the software GPU, the harness and the grader: the objects `simt_text`
// (CMakeLists.txt) are part of this library and of the harness built for a GPU.
#ifndef SIMT_TEXT_H
#define SIMT_TEXT_H

#include <stdbool.h>

#include "base/sink.h"

// `text` as a JSON string, quotes included; bytes that are not UTF-8 become '?'.
void simt_json_string(const simt_sink *to, const char *text);

// Appends to the NUL-terminated text in `out` [out_bytes]; what does not fit is cut.
void simt_text_append(char *out, size_t out_bytes, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Wraps `text` to at most `columns` columns: its own lines are indented by `indent`, continuation
// lines by `hang`. A word that is longer than a line stays whole.
void simt_print_wrapped(const simt_sink *to, const char *text, int columns, int indent, int hang);

// One-letter edits (replace, insert, delete) between `a` and the NUL-terminated `b`; upper and
// lower case are the same letter. Only the first 63 bytes of either count.
size_t simt_edit_distance(const char *a, size_t a_bytes, const char *b);

// Bits without a known type are shown as a float when the value is one that programs use.
bool simt_looks_like_float(double value);

#endif
