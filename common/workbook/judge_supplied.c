// SPDX-License-Identifier: MIT
// judge_supplied.c - a fault in code that the exercise supplies is its caller's: the place that is
// reported is the call. What is supplied stands in the right program (WB_RIGHT) outside of what was
// to be filled in.
#include "judge_internal.h"

#ifdef WORKBOOK_SIMT

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 512, LEAST_LENGTH = 12 };

static char *trimmed(char *line) {
  line += strspn(line, " \t");
  for (size_t n = strlen(line); n > 0 && strchr(" \t\r\n", line[n - 1]);) line[--n] = '\0';
  return line;
}

static bool read_line(const char *path, unsigned number, char out[LINE_BYTES]) {
  FILE *file = path ? fopen(path, "re") : NULL;
  unsigned at = 0;
  while (file && at < number && fgets(out, LINE_BYTES, file)) at++;
  if (file) fclose(file);
  return at == number && number > 0;
}

// Whether a line of these words is in the right program, outside of its blanks. (What is very short
// may stand anywhere.)
static bool is_supplied(const char *words) {
  const char *right = getenv("WB_RIGHT");
  char line[LINE_BYTES];
  FILE *file = strlen(words) >= LEAST_LENGTH && right ? fopen(right, "re") : NULL;
  bool in_blank = false, found = false;
  while (file && !found && fgets(line, sizeof line, file)) {
    if (strstr(line, "// BLANK:")) in_blank = true;
    else if (strstr(line, "// END BLANK")) in_blank = false;
    else found = !in_blank && strcmp(trimmed(line), words) == 0;
  }
  if (file) fclose(file);
  return found;
}

unsigned wb_judge_own_line(const simt_fault_info *fault) {
  const char *source = getenv("SIMT_SOURCE");
  char words[LINE_BYTES];
  unsigned line = fault->line;
  for (uint32_t i = 0; read_line(source, line, words) && is_supplied(trimmed(words)); i++) {
    if (i == fault->n_callers) return fault->line; // all of it is supplied
    line = fault->caller_lines[i];
  }
  return line;
}

#endif
