// SPDX-License-Identifier: MIT
// text.c - see text.h. The software GPU has its like in common/simt/base/text.c: it is installed by
// itself, and a program for a real GPU links the harness without it.
#include "text.h"

#include <string.h>
#include <unistd.h>

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

void wb_print_json_string(FILE *to, const char *text) {
  fputc('"', to);
  for (const unsigned char *s = (const unsigned char *)text; *s;) {
    size_t n = utf8_length(s);
    if (*s == '"' || *s == '\\') fprintf(to, "\\%c", *s);
    else if (*s == '\n') fputs("\\n", to);
    else if (*s < 0x20 || *s == 0x7f) fprintf(to, "\\u%04x", *s);
    else if (n == 0) fputc('?', to);
    else fwrite(s, 1, n, to);
    s += n ? n : 1;
  }
  fputc('"', to);
}

void wb_print_wrapped(FILE *to, const char *text, int indent, int hang) {
  for (int margin = indent; *text;) {
    size_t length = strcspn(text, "\n"), room = (size_t)(WB_LINE_COLUMNS - margin), cut = length;
    if (length > room) {
      for (cut = room; cut > 0 && text[cut] != ' '; cut--) {}
      if (cut == 0) cut = strcspn(text, " \n"); // one long word: leave it whole
    }
    fprintf(to, "%*s%.*s\n", margin, "", (int)cut, text);
    text += cut;
    while (*text == ' ' && cut < length) text++;
    margin = *text == '\n' ? indent : hang;
    if (*text == '\n') text++;
  }
}

void wb_complain(const char *program, const char *message) {
  char text[1024];
  snprintf(text, sizeof text, "%s: %s", program, message);
  if (isatty(STDERR_FILENO)) wb_print_wrapped(stderr, text, 0, 2);
  else fprintf(stderr, "%s\n", text);
}
