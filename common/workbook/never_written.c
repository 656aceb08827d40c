// SPDX-License-Identifier: MIT
// never_written.c - an array that is read and never written, found in a text's tokens: see
// never_written.h.
//
// Not modelled: what an element's index is. An array with one store counts as written.
#include "never_written.h"

#include "nearest_tokens.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const wb_token *token(const wb_token_list *list, size_t i) {
  static const wb_token none = {.text = ";", .length = 1, .whole = 1};
  return i < list->n ? &list->at[i] : &none;
}

static bool is_same(const wb_token *a, const wb_token *b) {
  return a->length == b->length && strncmp(a->text, b->text, a->length) == 0;
}

// Behind the brackets that begin at `open`: x[i][k].
static size_t behind_brackets(const wb_token_list *list, size_t open) {
  size_t i = open;
  while (wb_token_is(token(list, i), "[")) {
    int depth = 0;
    do {
      depth += wb_token_is(token(list, i), "[") - wb_token_is(token(list, i), "]");
      i++;
    } while (i < list->n && depth > 0);
  }
  return i;
}

// float kept[64], and of `float a[32], b[32]` both; without values to begin with. `extern` arrays
// are the launch's, and pointers into them are common.
static bool is_declared_at(const wb_token_list *list, size_t i) {
  static const char *const types[] = {"float", "double",   "int",     "unsigned", "char", "short",
                                      "long",  "uint32_t", "int32_t", "bool",     NULL};
  static const char *const begins[] = {";", "{", "}", NULL};
  if (i == 0 || !token(list, i)->is_word || !wb_token_is(token(list, i + 1), "[")) return false;
  const wb_token *behind = token(list, behind_brackets(list, i + 1));
  if (!wb_token_is(behind, ";") && !wb_token_is(behind, ",")) return false;
  if (wb_token_is_one_of(token(list, i - 1), types)) {
    size_t first = i - 1;
    while (first > 0 && !wb_token_is_one_of(token(list, first - 1), begins)) first--;
    return !wb_token_is(token(list, first), "extern");
  }
  return wb_token_is(token(list, i - 1), ",") && i > 1 && wb_token_is(token(list, i - 2), "]") &&
         wb_token_is(behind, ";");
}

// The whole element is an argument: f(x[i]) may take it by reference. What CUDA's own functions
// take they only read.
static bool is_handed_on(const wb_token_list *list, size_t at, size_t end) {
  static const char *const readers[] = {"fmaxf", "fminf", "max", "min", "expf", "fmaf", NULL};
  static const char *const before[] = {"(", ",", NULL}, *const behind[] = {")", ",", NULL};
  if (!wb_token_is_one_of(token(list, at - 1), before) ||
      !wb_token_is_one_of(token(list, end), behind))
    return false;
  int depth = 0;
  for (size_t i = at; i-- > 0 && !wb_token_is(token(list, i), ";");) {
    depth += wb_token_is(token(list, i), ")") - wb_token_is(token(list, i), "(");
    if (depth < 0)
      return i == 0 || (!wb_token_begins(token(list, i - 1), "__") &&
                        !wb_token_is_one_of(token(list, i - 1), readers));
  }
  return true;
}

typedef enum use { READ, WRITTEN } use;

static use use_at(const wb_token_list *list, size_t at) {
  static const char *const writes[] = {
      "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "++", "--", "<<=", ">>=", ".", NULL};
  static const char *const prefixes[] = {"&", "++", "--", NULL};
  if (!wb_token_is(token(list, at + 1), "[")) return WRITTEN; // handed on as a whole
  size_t end = behind_brackets(list, at + 1);
  bool writes_it = wb_token_is_one_of(token(list, end), writes) ||
                   wb_token_is_one_of(token(list, at - 1), prefixes);
  return writes_it || is_handed_on(list, at, end) ? WRITTEN : READ;
}

// From the declaration at token `at` to the end of its block. Returns the line of the first read,
// 0 where it is written, or never read.
static unsigned read_line(const wb_token_list *list, size_t at) {
  unsigned line = 0;
  int depth = 0;
  for (size_t i = behind_brackets(list, at + 1); i < list->n && depth >= 0; i++) {
    depth += wb_token_is(token(list, i), "{") - wb_token_is(token(list, i), "}");
    if (!is_same(token(list, i), token(list, at))) continue;
    if (use_at(list, i) == WRITTEN) return 0;
    if (line == 0) line = token(list, i)->line;
  }
  return line;
}

bool wb_never_written_find(const char *text, wb_never_written *out) {
  wb_token_list *list = malloc(sizeof *list);
  bool found = false;
  if (!list) return false;
  wb_tokens_read(text, list);
  for (size_t i = 0; i < list->n && list->n < WB_TOKENS && !found; i++) {
    if (!is_declared_at(list, i)) continue;
    out->line = read_line(list, i);
    found = out->line > 0;
    if (found)
      snprintf(out->name, sizeof out->name, "%.*s", (int)list->at[i].length, list->at[i].text);
  }
  free(list);
  return found;
}
