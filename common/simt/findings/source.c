// SPDX-License-Identifier: MIT
// findings/source.c - lines of source files, for reports: a file is read once, when first asked
// for.
//
// The reader finds the files. Only names of source files are asked for, so that a #line directive
// in a submitted kernel cannot make a report quote any other file.
#include <stdlib.h>
#include <string.h>

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

// A file as it comes in, piece by piece.
typedef struct gathered {
  char *text; // [capacity + 1]; NULL: nothing yet, or given up
  size_t n, capacity;
  bool failed; // too long, or no memory
} gathered;

static void gather(void *data, const char *text, size_t n_bytes) {
  gathered *g = data;
  if (g->failed || n_bytes > LONGEST_SOURCE - g->n) {
    g->failed = true;
    return;
  }
  if (g->n + n_bytes > g->capacity) {
    size_t capacity = 2 * (g->n + n_bytes) + (1 << 14);
    char *grown = realloc(g->text, capacity + 1);
    g->failed = !grown;
    if (!grown) return;
    g->text = grown;
    g->capacity = capacity;
  }
  memcpy(g->text + g->n, text, n_bytes);
  g->n += n_bytes;
}

// NULL: no such file, or it is too long.
static char *read_source(const simt_source_reader *reader, const char *name) {
  if (!reader->read || !is_source_name(name)) return NULL;
  gathered g = {0};
  simt_sink to = {.write = gather, .data = &g};
  if (!reader->read(reader->data, name, &to) || g.failed || !g.text) {
    free(g.text);
    return NULL;
  }
  g.text[g.n] = '\0';
  return g.text;
}

static const char *text_of(simt_findings *set, const char *name) {
  int n = 0;
  for (struct finding_source *s = set->sources; s; s = s->next, n++)
    if (!strcmp(s->name, name)) return s->text;
  struct finding_source *s = n < MOST_SOURCES ? calloc(1, sizeof *s) : NULL;
  if (!s) return NULL;
  *s = (struct finding_source){set->sources, name, read_source(&set->reader, name)};
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
