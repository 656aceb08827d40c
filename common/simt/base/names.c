// SPDX-License-Identifier: MIT
// base/names.c - see base/names.h. Source: Itanium C++ ABI, 5.1 (external names).
#include "base/names.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Appends one <length><identifier> at *at; false where there is none.
static bool append_identifier(const char **at, char *out, size_t out_bytes) {
  if (!isdigit((unsigned char)**at)) return false;
  char *rest;
  unsigned long length = strtoul(*at, &rest, 10);
  if (length == 0 || length > strlen(rest)) return false;
  bool is_anonymous = strncmp(rest, "_GLOBAL__N_", 11) == 0;
  size_t used = strlen(out);
  snprintf(out + used, out_bytes - used, "%s%.*s", used ? "::" : "",
           is_anonymous ? 11 : (int)length, is_anonymous ? "(anonymous)" : rest);
  *at = rest + length;
  return true;
}

// The name without the suffix that the parser appends when it is not unique: "sum@@3".
static const char *without_mark(const char *symbol, char *copy, size_t copy_bytes) {
  const char *mark = strchr(symbol, '@');
  if (!mark || mark == symbol || (size_t)(mark - symbol) >= copy_bytes) return symbol;
  snprintf(copy, copy_bytes, "%.*s", (int)(mark - symbol), symbol);
  return copy;
}

const char *simt_display_name(const char *symbol, char *out, size_t out_bytes) {
  char plain[512];
  symbol = without_mark(symbol, plain, sizeof plain);
  const char *at = symbol;
  out[0] = '\0';
  bool mangled = strncmp(at, "_Z", 2) == 0;
  if (mangled) {
    at += 2;
    bool nested = *at == 'N';
    if (nested || *at == 'L') at++;
    mangled = append_identifier(&at, out, out_bytes);
    while (mangled && nested && append_identifier(&at, out, out_bytes)) {}
  }
  if (!mangled) snprintf(out, out_bytes, "%s", symbol);
  else if (*at == 'I') snprintf(out + strlen(out), out_bytes - strlen(out), "<...>");
  return out;
}

// The <length><identifier> that ends a local name, "…E3sum" or "…E3sum_0" (the second variable of
// that name in the function); NULL where there is none.
static const char *local_identifier(const char *symbol, unsigned long *length) {
  for (const char *e = strchr(symbol, 'E'); e; e = strchr(e + 1, 'E')) {
    if (!isdigit((unsigned char)e[1])) continue;
    char *rest;
    *length = strtoul(e + 1, &rest, 10);
    size_t left = strlen(rest);
    if (*length && (left == *length || (left > *length && rest[*length] == '_'))) return rest;
  }
  return NULL;
}

const char *simt_display_variable(const char *symbol, size_t symbol_bytes, char *out,
                                  size_t out_bytes) {
  char name[256];
  unsigned long length = 0;
  if (symbol_bytes >= sizeof name) symbol_bytes = sizeof name - 1;
  memcpy(name, symbol, symbol_bytes);
  name[symbol_bytes] = '\0';
  if (symbol_bytes > 1 && strchr(name + 1, '@')) *strchr(name + 1, '@') = '\0';
  const char *local = strncmp(name, "_ZZ", 3) == 0 ? local_identifier(name, &length) : NULL;
  if (!local) return simt_display_name(name, out, out_bytes);
  snprintf(out, out_bytes, "%.*s", (int)length, local);
  return out;
}
