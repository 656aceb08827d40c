// SPDX-License-Identifier: MIT
// findings/source.c - lines of source files, for reports: a file is read once, when first asked
// for.
//
// Names in PTX may be relative to the folder of compilation: they are looked for as they are, then
// beside the running program. Only names of source files are opened, so that a #line directive in a
// stranger's kernel cannot make a report quote any other file.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "findings/set.h"

enum { MOST_SOURCES = 64, LONGEST_SOURCE = 1 << 22 };

struct finding_source {
  struct finding_source *next;
  const char *name; // interned by the set
  char *text;       // NULL: not readable
};

static bool is_source_name(const char *name) {
  static const char *const endings[] = {".cu",  ".cuh", ".h",  ".hpp", ".hxx",
                                        ".inl", ".c",   ".cc", ".cpp", ".cxx"};
  size_t length = strlen(name);
  for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
    size_t ending = strlen(endings[i]);
    if (length > ending && !strcmp(name + length - ending, endings[i])) return true;
  }
  return false;
}

static FILE *open_beside_program(const char *name) {
  char path[4096];
  ssize_t length = readlink("/proc/self/exe", path, sizeof path / 2);
  if (length <= 0) return NULL;
  path[length] = '\0';
  char *slash = strrchr(path, '/');
  const char *base = strrchr(name, '/');
  base = base ? base + 1 : name;
  if (!slash || strlen(base) >= sizeof path / 2) return NULL;
  strcpy(slash + 1, base);
  return fopen(path, "r");
}

// NULL: no such file, or it is too long.
static char *read_source(const char *name) {
  if (!is_source_name(name)) return NULL;
  FILE *file = fopen(name, "r");
  if (!file) file = open_beside_program(name);
  if (!file) return NULL;
  size_t n = 0, capacity = 1 << 14, got;
  char *text = malloc(capacity + 1);
  while (text && (got = fread(text + n, 1, capacity - n, file)) > 0) {
    n += got;
    if (n < capacity) continue;
    char *grown = n < LONGEST_SOURCE ? realloc(text, (capacity *= 2) + 1) : NULL;
    if (!grown) free(text);
    text = grown;
  }
  fclose(file);
  if (text) text[n] = '\0';
  return text;
}

static const char *text_of(simt_findings *set, const char *name) {
  int n = 0;
  for (struct finding_source *s = set->sources; s; s = s->next, n++)
    if (!strcmp(s->name, name)) return s->text;
  struct finding_source *s = n < MOST_SOURCES ? calloc(1, sizeof *s) : NULL;
  if (!s) return NULL;
  *s = (struct finding_source){set->sources, name, read_source(name)};
  set->sources = s;
  return s->text;
}

const char *simt_finding_source_line(simt_findings *set, const char *file, uint32_t line) {
  char *out = set->source_line;
  const char *at = text_of(set, file);
  for (uint32_t i = 1; at && i < line; i++) {
    at = strchr(at, '\n');
    if (at) at++;
  }
  if (!at) return NULL;
  at += strspn(at, " \t");
  size_t length = strcspn(at, "\r\n"), kept = 0;
  for (size_t i = 0; i < length && kept < sizeof set->source_line - 1; i++)
    out[kept++] = (unsigned char)at[i] < 0x20 || at[i] == 0x7f ? ' ' : at[i]; // no escape sequences
  while (kept && out[kept - 1] == ' ') kept--;
  out[kept] = '\0';
  return kept ? out : NULL;
}

void simt_finding_sources_free(simt_findings *set) {
  while (set->sources) {
    struct finding_source *s = set->sources;
    set->sources = s->next;
    free(s->text);
    free(s);
  }
}
