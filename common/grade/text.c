// SPDX-License-Identifier: MIT
// text.c - hostile text made printable. Not handled: characters of double width.
#include "text.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

// Not base/text.h's notion: that lets through what JSON may hold, this what may be shown.
// Length of the well-formed, printable UTF-8 character at `at`, 0 when there is none. Invisible
// characters that reorder or hide text (bidirectional marks, BOM) are not printable.
static size_t character_bytes(const unsigned char *at) {
  if (at[0] < 0x80) return at[0] >= 0x20 && at[0] != 0x7f ? 1 : 0;
  size_t n = at[0] >= 0xc2 && at[0] < 0xe0   ? 2
             : (at[0] & 0xf0) == 0xe0        ? 3
             : at[0] >= 0xf0 && at[0] < 0xf5 ? 4
                                             : 0;
  uint32_t code = n == 2 ? at[0] & 0x1fu : n == 3 ? at[0] & 0x0fu : at[0] & 0x07u;
  for (size_t i = 1; i < n; i++) {
    if ((at[i] & 0xc0) != 0x80) return 0;
    code = code << 6 | (at[i] & 0x3fu);
  }
  static const uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  if (n == 0 || code < smallest[n] || code > 0x10ffff || (code >= 0xd800 && code < 0xe000))
    return 0;
  bool hides = (code >= 0x80 && code < 0xa0) || (code >= 0x200b && code < 0x2010) ||
               (code >= 0x2028 && code < 0x202f) || (code >= 0x2060 && code < 0x2070) ||
               code == 0xfeff || (code >= 0xfff0 && code < 0xfffc);
  return hides ? 0 : n;
}

static size_t escape(char piece[8], unsigned char c, bool doubles_backslash) {
  static const char from[] = "\n\r\t", to[] = "nrt";
  const char *special = c ? strchr(from, c) : NULL;
  if (special) return (size_t)snprintf(piece, 8, "\\%c", to[special - from]);
  if (c == '\\' && doubles_backslash) return (size_t)snprintf(piece, 8, "\\\\");
  return (size_t)snprintf(piece, 8, "\\x%02x", c);
}

static const char *clean(char *out, size_t out_bytes, const char *text, bool is_message) {
  size_t used = 0;
  if (out_bytes == 0) return out;
  for (const unsigned char *at = (const unsigned char *)text; *at;) {
    size_t n = character_bytes(at);
    char piece[8];
    const char *from = (const char *)at;
    if (is_message && (*at == '\n' || *at == '\t')) n = 1;
    size_t step = n ? n : 1;
    if (n == 0 || (*at == '\\' && !is_message)) {
      n = escape(piece, *at, !is_message);
      from = piece;
    }
    if (used + n >= out_bytes) break;
    memcpy(out + used, from, n);
    used += n;
    at += step;
  }
  out[used] = '\0';
  return out;
}

const char *grade_text_safe(char *out, size_t out_bytes, const char *text) {
  return clean(out, out_bytes, text, false);
}

const char *grade_text_message(char *out, size_t out_bytes, const char *text) {
  return clean(out, out_bytes, text, true);
}

size_t grade_text_columns(const char *text) {
  size_t columns = 0;
  for (; *text; text++) columns += ((unsigned char)*text & 0xc0) != 0x80;
  return columns;
}

// What makes a spreadsheet take a cell for a formula, the wide forms of East Asian keyboards among
// it.
static bool begins_formula(const char *text) {
  static const char *const wide[] = {"\xef\xbc\x9d", "\xef\xbc\x8b", "\xef\xbc\x8d",
                                     "\xef\xbc\xa0"};
  text += strspn(text, " ");
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
    if (strncmp(text, wide[i], strlen(wide[i])) == 0) return true;
  return *text && strchr("=+-@", *text);
}

// Where spreadsheets separate cells by semicolons or tabs, as some do unasked, a cell begins behind
// each of them, whatever quotes there are.
void grade_csv_field(FILE *out, const char *text) {
  bool formula = begins_formula(text) || *text == '\t' || *text == '\r';
  if (!formula && !strpbrk(text, ",;\"\n\r\t'")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  if (formula) fputc('\'', out);
  for (; *text; text++) {
    if (*text == '"') fputc('"', out);
    fputc(*text, out);
    if (strchr(";\t\r\n", *text) && begins_formula(text + 1)) fputc('\'', out);
  }
  fputc('"', out);
}
