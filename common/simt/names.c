// SPDX-License-Identifier: MIT
// names.c - see names.h. Source: Itanium C++ ABI, 5.1 (external names).
#include "names.h"

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

const char *simt_display_name(const char *symbol, char *out, size_t out_bytes) {
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
