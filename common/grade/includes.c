// SPDX-License-Identifier: MIT
// includes.c - reads the make rule that a compiler writes about what it has read.
// Invariant: what is not known to be allowed is forbidden.
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

// "/usr/bin/../lib/x" to "/usr/lib/x", in place; false: it leads above the root, or is not
// absolute.
static bool simplify(char *path) {
  char *to = path;
  for (const char *from = path; *from;) {
    size_t length = strcspn(from + 1, "/");
    if (*from != '/') return false;
    if (length == 2 && strncmp(from + 1, "..", 2) == 0) {
      if (to == path) return false;
      while (*--to != '/') {}
    } else if (length > 0 && !(length == 1 && from[1] == '.')) {
      memmove(to, from, length + 1);
      to += length + 1;
    }
    from += length + 1;
  }
  *to = '\0';
  return true;
}

static bool is_allowed(const char *path, const char *headers) {
  static const char *const system[] = {
      "/usr/include",   "/usr/lib",        "/usr/lib64", "/usr/local/include",
      "/usr/local/lib", "/usr/local/cuda", "/opt",       "/nix"};
  for (size_t i = 0; i < sizeof system / sizeof *system; i++)
    if (is_below(path, system[i])) return true;
  return is_below(path, headers);
}

bool grade_include_forbidden(char *dependencies, const char *own, const char *headers,
                             bool same_view, char *shown, size_t shown_bytes) {
  char path[PATH_MAX], resolved[PATH_MAX], *rest = strchr(dependencies, ':');
  while (rest && rest[1] && !is_blank(rest[1])) rest = strchr(rest + 1, ':'); // a colon in a name
  snprintf(shown, shown_bytes, "something that the compiler did not name");
  if (!rest) return true;
  rest++;
  for (char *name; (name = next_name(&rest));) {
    if (strcmp(name, own) == 0) continue;
    snprintf(shown, shown_bytes, "%s", name);
    if ((size_t)snprintf(path, sizeof path, "%s", name) >= sizeof path) return true;
    if (!simplify(path) || !is_allowed(path, headers)) return true;
    if (same_view && (!realpath(name, resolved) || !is_allowed(resolved, headers))) return true;
  }
  return false;
}
