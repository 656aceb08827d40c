// SPDX-License-Identifier: MIT
// judge_warnings.c - a failure without a place, of a program of which the compiler has warned: what
// it warns of is looked at first. WB_WARNINGS names the file with what it said.
#include "judge_internal.h"

#include <stdlib.h>
#include <string.h>

enum { LINE_BYTES = 1024 };

static const char mark[] = ": warning: ";

// Of no use here: about the build, or about names that are not used (yet).
static bool is_trifle(const char *line) {
  static const char *const kinds[] = {"[-Wpass-failed", "[-Wunused-var", "[-Wunused-but",
                                      "[-Wunused-par",  "[-Wunused-fun", "[-Wunknown"};
  for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
    if (strstr(line, kinds[i])) return true;
  return false;
}

// The number of the line of `name` that this is a warning of, and its words in *words, which ends
// before the option's name. 0: it is none.
static unsigned long warned_line(char *line, const char *name, const char **words) {
  char *warning = strstr(line, mark), *place = strstr(line, name);
  if (!warning || !place || place > warning || place[strlen(name)] != ':' || is_trifle(line))
    return 0;
  *words = warning + sizeof mark - 1;
  char *option = strstr(warning, " [-W");
  if (option) *option = '\0';
  warning[strcspn(warning, "\n")] = '\0';
  return strtoul(place + strlen(name) + 1, NULL, 10);
}

void wb_report_warning(wb_verdict *v) {
  const char *source = getenv("SIMT_SOURCE"), *said = getenv("WB_WARNINGS"), *words = "";
  const char *slash = source ? strrchr(source, '/') : NULL;
  char line[LINE_BYTES];
  unsigned long number = 0;
  FILE *file = source && said ? fopen(said, "re") : NULL;
  while (file && number == 0 && fgets(line, sizeof line, file))
    number = warned_line(line, slash ? slash + 1 : source, &words);
  if (file) fclose(file);
  if (number == 0) return;
  snprintf(v->file, sizeof v->file, "%s", source);
  v->line = (unsigned)number;
  snprintf(v->next, sizeof v->next, "begin where the compiler warns, in line %lu: %.200s", number,
           words);
}
