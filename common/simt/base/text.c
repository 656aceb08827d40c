// SPDX-License-Identifier: MIT
// base/text.c - see base/text.h.
#include "base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// Length of the well-formed UTF-8 sequence at `s`, 0 when there is none.
static size_t utf8_length(const unsigned char *s) {
  size_t n = s[0] < 0x80                   ? 1
             : s[0] >= 0xc2 && s[0] < 0xe0 ? 2
             : (s[0] & 0xf0) == 0xe0       ? 3
             : s[0] >= 0xf0 && s[0] < 0xf5 ? 4
                                           : 0;
  for (size_t i = 1; i < n; i++)
    if ((s[i] & 0xc0) != 0x80) return 0;
  if (n == 3 && ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f))) return 0;
  if (n == 4 && ((s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f))) return 0;
  return n;
}

void simt_json_string(const simt_sink *to, const char *text) {
  simt_sink_text(to, "\"");
  for (const unsigned char *p = (const unsigned char *)text; *p;) {
    size_t n = utf8_length(p);
    if (*p == '"' || *p == '\\') simt_sink_printf(to, "\\%c", *p);
    else if (*p == '\n') simt_sink_text(to, "\\n");
    else if (*p < 0x20 || *p == 0x7f) simt_sink_printf(to, "\\u%04x", *p);
    else if (!n) simt_sink_text(to, "?");
    else simt_sink_write(to, (const char *)p, n);
    p += n ? n : 1;
  }
  simt_sink_text(to, "\"");
}

void simt_text_append(char *out, size_t out_bytes, const char *format, ...) {
  size_t used = strlen(out);
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(out + used, out_bytes - used, format, arguments);
  va_end(arguments);
}

void simt_print_wrapped(const simt_sink *to, const char *text, int columns, int indent, int hang) {
  for (int margin = indent; *text;) {
    size_t length = strcspn(text, "\n"), room = (size_t)(columns - margin), cut = length;
    if (length > room) {
      for (cut = room; cut > 0 && text[cut] != ' '; cut--) {}
      if (!cut) cut = strcspn(text, " \n"); // one long word: leave it whole
    }
    simt_sink_printf(to, "%*s", margin, "");
    simt_sink_write(to, text, cut);
    simt_sink_text(to, "\n");
    text += cut;
    while (*text == ' ' && cut < length) text++;
    margin = *text == '\n' ? indent : hang;
    if (*text == '\n') text++;
  }
}

enum { LONGEST_NAME = 63 };

static bool same_letter(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

// Levenshtein distance, one row at a time.
size_t simt_edit_distance(const char *a, size_t a_bytes, const char *b) {
  size_t row[LONGEST_NAME + 1], b_bytes = strlen(b);
  if (a_bytes > LONGEST_NAME) a_bytes = LONGEST_NAME;
  if (b_bytes > LONGEST_NAME) b_bytes = LONGEST_NAME;
  for (size_t j = 0; j <= b_bytes; j++) row[j] = j;
  for (size_t i = 0; i < a_bytes; i++) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b_bytes; j++) {
      size_t best = diagonal + !same_letter(a[i], b[j]);
      diagonal = row[j + 1];
      if (row[j] + 1 < best) best = row[j] + 1;
      if (diagonal + 1 < best) best = diagonal + 1;
      row[j + 1] = best;
    }
  }
  return row[b_bytes];
}

bool simt_looks_like_float(double value) {
  double size = fabs(value);
  return value == 0.0 || (size >= 1e-30 && size <= 1e30);
}
