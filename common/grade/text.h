// SPDX-License-Identifier: MIT
/// @file text.h
/// Names and messages that come from submissions are hostile text: these make them safe to show on
/// a terminal and to put into CSV and JSON. No input is refused, none is interpreted.
#ifndef GRADE_TEXT_H
#define GRADE_TEXT_H

#include <stddef.h>
#include <stdio.h>

/// Printable UTF-8 of any bytes: control characters, backslashes and bytes that are not UTF-8
/// become \n, \\, \x1b and so on, so different inputs stay different. Always NUL-terminated; cut at
/// a whole character when `out` is too small. Returns `out`.
const char *grade_text_safe(char *out, size_t out_bytes, const char *text);

/// The same for messages of several lines: newlines and tabs stay, everything else is as above,
/// but backslashes stay single. For text that is read, not compared.
const char *grade_text_message(char *out, size_t out_bytes, const char *text);

/// Columns that printable UTF-8 takes, one per character.
size_t grade_text_columns(const char *text);

/// One CSV field (RFC 4180), quoted when needed. A field that a spreadsheet would take for a
/// formula gets a leading apostrophe.
void grade_csv_field(FILE *out, const char *text);

#endif
