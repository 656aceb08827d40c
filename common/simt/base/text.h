// SPDX-License-Identifier: MIT
// base/text.h - how reports are put out: JSON strings, lines that fit a terminal, words of memory
// that look like floats. The harness has its own (common/workbook/text.h): it also runs without
// this library, and the library is installed without it.
#ifndef SIMT_TEXT_H
#define SIMT_TEXT_H

#include <stdbool.h>

#include "base/sink.h"

// `text` as a JSON string, quotes included; bytes that are not UTF-8 become '?'.
void simt_json_string(const simt_sink *to, const char *text);

// Words of `text` in lines of at most `columns`, the first indented by `indent`, all others by
// `hang`. Newlines in the text are kept; a word that is longer than a line stays whole.
void simt_print_wrapped(const simt_sink *to, const char *text, int columns, int indent, int hang);

// Bits without a known type are shown as a float when the value is one that programs use.
bool simt_looks_like_float(double value);

#endif
