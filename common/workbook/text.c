// SPDX-License-Identifier: MIT
// text.c - see text.h. The work is done in common/simt/base/text.c, the one copy of it.
#include "text.h"

#include <unistd.h>

#include "base/text.h"

static void write_file(void *file, const char *text, size_t n_bytes) {
  fwrite(text, 1, n_bytes, (FILE *)file);
}

void wb_print_json_string(FILE *to, const char *text) {
  const simt_sink sink = {.write = write_file, .data = to};
  simt_json_string(&sink, text);
}

void wb_print_wrapped(FILE *to, const char *text, int indent, int hang) {
  const simt_sink sink = {.write = write_file, .data = to};
  simt_print_wrapped(&sink, text, WB_LINE_COLUMNS, indent, hang);
}

void wb_complain(const char *program, const char *message) {
  char text[1024];
  snprintf(text, sizeof text, "%s: %s", program, message);
  if (isatty(STDERR_FILENO)) wb_print_wrapped(stderr, text, 0, 2);
  else fprintf(stderr, "%s\n", text);
}
