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

// A type of the language: <builtin-type>, 5.1.5.2.
static const char *builtin_type(char code) {
  static const struct {
    char code;
    const char *name;
  } types[] = {{'b', "bool"},          {'c', "char"},      {'a', "signed char"},
               {'h', "unsigned char"}, {'s', "short"},     {'t', "unsigned short"},
               {'i', "int"},           {'j', "unsigned"},  {'l', "long"},
               {'m', "unsigned long"}, {'x', "long long"}, {'y', "unsigned long long"},
               {'f', "float"},         {'d', "double"}};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    if (types[i].code == code) return types[i].name;
  }
  return NULL;
}

static void append(char *out, size_t out_bytes, const char *text, size_t text_bytes) {
  const size_t used = strlen(out);
  snprintf(out + used, out_bytes - used, "%.*s", (int)text_bytes, text);
}

// Appends the number at *at, "Lj32E" or "Lb1E"; false where there is none.
static bool append_literal(const char **at, char *out, size_t out_bytes) {
  if (**at != 'L' || !builtin_type((*at)[1])) return false;
  const bool is_bool = (*at)[1] == 'b', is_negative = (*at)[2] == 'n';
  const char *digits = *at + 2 + is_negative;
  const size_t n = strspn(digits, "0123456789");
  if (n == 0 || digits[n] != 'E') return false;
  if (is_negative) append(out, out_bytes, "-", 1);
  if (is_bool) append(out, out_bytes, digits[0] == '0' ? "false" : "true", 5);
  else append(out, out_bytes, digits, n);
  *at = digits + n + 1;
  return true;
}

// Appends the template arguments at *at, "IfLj32EE" as "<float, 32>"; those of other shapes as
// "<...>".
static void append_arguments(const char *at, char *out, size_t out_bytes) {
  char all[256] = "<";
  for (at++; *at != 'E';) {
    char one[128] = "";
    const char *type = builtin_type(*at);
    if (type) snprintf(one, sizeof one, "%s", type), at++;
    else if (!append_literal(&at, one, sizeof one) && !append_identifier(&at, one, sizeof one))
      break;
    if (all[1]) append(all, sizeof all, ", ", 2);
    append(all, sizeof all, one, strlen(one));
  }
  const bool is_whole = *at == 'E' && strlen(all) + 1 < sizeof all;
  if (is_whole) append(all, sizeof all, ">", 1);
  append(out, out_bytes, is_whole ? all : "<...>", sizeof all);
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
  else if (*at == 'I') append_arguments(at, out, out_bytes);
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
