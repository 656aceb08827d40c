// SPDX-License-Identifier: MIT
// includes.c - reads the make rule that a compiler writes about what it has read.
// Invariant: names are resolved before they are compared, so that neither .. nor a link hides one.
// Not handled: what a compiler reads without naming it.
#define _GNU_SOURCE
#include "includes.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

// Cuts the next name off `*rest`, its escapes undone; NULL at the end.
static char *next_name(char **rest) {
  char *from = *rest;
  while (is_blank(*from) || (*from == '\\' && from[1] == '\n')) from++;
  char *name = from, *to = from;
  while (*from && !is_blank(*from) && !(*from == '\\' && from[1] == '\n')) {
    bool escaped =
        (*from == '\\' && (from[1] == ' ' || from[1] == '#')) || (*from == '$' && from[1] == '$');
    from += escaped;
    *to++ = *from++;
  }
  *rest = *from ? from + 1 : from;
  *to = '\0';
  return *name ? name : NULL;
}

static bool is_below(const char *path, const char *folder) {
  size_t length = folder ? strlen(folder) : 0;
  return length > 0 && strncmp(path, folder, length) == 0 && path[length] == '/';
}

bool grade_include_forbidden(char *dependencies, const char *directory, const char *own,
                             const char *const *forbidden, const char *allowed, char *shown,
                             size_t shown_bytes) {
  char path[PATH_MAX], resolved[PATH_MAX], *rest = strchr(dependencies, ':');
  while (rest && rest[1] && !is_blank(rest[1])) rest = strchr(rest + 1, ':'); // a colon in a name
  if (!rest) return false;
  rest++;
  for (char *name; (name = next_name(&rest));) {
    int length = snprintf(path, sizeof path, "%s%s%s", *name == '/' ? "" : directory,
                          *name == '/' ? "" : "/", name);
    if ((size_t)length >= sizeof path || !realpath(path, resolved)) continue;
    if (strcmp(resolved, own) == 0 || is_below(resolved, allowed)) continue;
    const char *const *folder = forbidden;
    while (*folder && !is_below(resolved, *folder)) folder++;
    if (!*folder) continue;
    snprintf(shown, shown_bytes, "%s", resolved);
    return true;
  }
  return false;
}
