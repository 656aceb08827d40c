// SPDX-License-Identifier: MIT
// repair_statements.c - changes of whole statements: two of them interchanged, one repeated for
// another array, one less, one that must come again. See repair.h.
#include <string.h>

#include "repair_search.h"

// The token behind a simple statement's `;`, or 0: it has braces, or is a declaration.
static size_t end_of_statement(const wb_search *s, size_t i, bool may_declare) {
  static const char *const not_simple[] = {"if",     "for",   "while",  "do",         "else",
                                           "return", "break", "enum",   "continue",   "switch",
                                           "case",   "using", "extern", "__shared__", NULL};
  if (wb_search_is_one_of(s, i, not_simple) || (!may_declare && wb_search_is_type(s, i))) return 0;
  for (; i < s->list->n && !wb_search_is(s, i, ";"); i++)
    if (wb_search_is(s, i, "{") || wb_search_is(s, i, "}")) return 0;
  return i < s->list->n ? i + 1 : 0;
}

// The same of a statement that an `if` may lead.
size_t wb_search_end_of_guarded(const wb_search *s, size_t i) {
  if (!wb_search_is(s, i, "if") || !wb_search_is(s, i + 1, "("))
    return end_of_statement(s, i, false);
  return end_of_statement(s, wb_search_closing(s, i + 1) + 1, false);
}

// The variable that a statement, which an `if` may lead, assigns: x = ..., x += ..., *x = ...; 0:
// it is a call, or an element.
static size_t assigned_variable(const wb_search *s, size_t i, size_t end) {
  static const char *const assigns[] = {"=", "+=", "-=", "*=", "|=", "&=", "^=", NULL};
  for (size_t at = i + 1; at < end; at++)
    if (wb_search_is_one_of(s, at, assigns))
      return wb_search_token(s, at - 1)->is_word ? at - 1 : 0;
  return 0;
}

static bool has_name(const wb_search *s, size_t name, size_t from, size_t to) {
  for (size_t at = from; name > 0 && at < to; at++)
    if (wb_search_is_same(s, name, at)) return true;
  return false;
}

// a; b;: b; a;. Either may be led by an `if`. Where each assigns a variable, one of them must read
// or assign the other's, for else their order is all the same.
static void interchange_statements(wb_search *s, size_t i) {
  char first[WB_EDIT_BYTES], second[WB_EDIT_BYTES], text[2 * WB_EDIT_BYTES + 8];
  const size_t end = wb_search_end_of_guarded(s, i);
  const size_t next = end ? wb_search_end_of_guarded(s, end) : 0;
  if (next == 0 || wb_search_is(s, next, "else")) return;
  if (!wb_search_copy(s, i, end, first) || !wb_search_copy(s, end, next, second)) return;
  const size_t a = assigned_variable(s, i, end), b = assigned_variable(s, end, next);
  const bool depend = has_name(s, a, end, next) || has_name(s, b, i, end);
  if (a > 0 && b > 0 && !depend) return;
  snprintf(text, sizeof text, "%s %s", second, first);
  wb_search_change(s, i, next, a > 0 && b > 0 ? 3 : 5, text);
}

// f(square, count); for one array: the same for another, too.
static void repeat_call(wb_search *s, size_t i, size_t end) {
  char text[WB_EDIT_BYTES], head[WB_EDIT_BYTES], rest[WB_EDIT_BYTES], name[NAME_BYTES];
  if (!wb_search_is(s, i + 1, "(") || wb_token_begins(wb_search_token(s, i), "__")) return;
  for (size_t at = i + 2; at + 1 < end; at++) {
    if (!wb_search_is_argument(s, at) || !wb_search_is_array(s, at)) continue;
    if (!wb_search_copy(s, i, at, head) || !wb_search_copy(s, at + 1, end, rest)) return;
    for (size_t k = 0; k < s->n_arrays; k++) {
      if (wb_search_is_same(s, s->arrays[k], at)) continue;
      wb_search_spell(s, s->arrays[k], name);
      if (snprintf(text, sizeof text, "%s%s%s ", head, name, rest) < WB_EDIT_BYTES)
        wb_search_change(s, i, i, 4, text);
    }
  }
}

// float mean = sum;: a quotient.
static void divide(wb_search *s, size_t i, size_t end) {
  char text[WB_EDIT_BYTES], name[NAME_BYTES];
  if (!wb_search_is(s, i, "float") || !wb_search_is(s, i + 2, "=")) return;
  for (size_t k = 0; k < s->n_names; k++) {
    wb_search_spell(s, s->names[k], name);
    snprintf(text, sizeof text, " / %s", name);
    wb_search_change(s, end - 1, end - 1, 6, text);
  }
}

void wb_search_change_whole_statement(wb_search *s, size_t i, bool is_outermost) {
  const size_t end = end_of_statement(s, i, true);
  if (is_outermost) wb_search_change(s, i, i, 5, "if (threadIdx.x >= 32) return; ");
  interchange_statements(s, i);
  if (end == 0) return;
  repeat_call(s, i, end);
  wb_search_change_sibling(s, i, end);
  divide(s, i, end);
  if (!wb_search_is_type(s, i)) wb_search_change(s, i, end, 5, ";");
}
