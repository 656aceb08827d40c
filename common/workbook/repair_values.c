// SPDX-License-Identifier: MIT
// repair_values.c - changes of a whole statement that no single token makes: the value that a
// variable lacks, the lanes of a warp in all places at once, two values interchanged, what an
// atomic operation returns. See repair.h.
#include <string.h>

#include "repair_search.h"

// The `;` of the statement at token i, or 0: it has a block, or there is none.
static size_t semicolon(const wb_search *s, size_t i) {
  while (i < s->list->n && !wb_search_is(s, i, ";"))
    if (wb_search_is(s, i, "{") || wb_search_is(s, i++, "}")) return 0;
  return i < s->list->n ? i : 0;
}

// float sum;: a value to begin with.
static void give_start(wb_search *s, size_t i, size_t end) {
  bool is_float = wb_search_is(s, i, "float") || wb_search_is(s, i, "double");
  for (size_t k = i + 1; k < end; k++) {
    bool begins = wb_search_is_type(s, k - 1) || wb_search_is(s, k - 1, ",");
    bool ends = wb_search_is(s, k + 1, ",") || wb_search_is(s, k + 1, ";");
    if (!begins || !ends || !wb_search_is_simple(s, k)) continue;
    wb_search_change(s, k + 1, k + 1, 2, " = 0");
    if (is_float) wb_search_change(s, k + 1, k + 1, 2, " = -INFINITY");
    if (is_float) wb_search_change(s, k + 1, k + 1, 2, " = INFINITY");
    for (size_t p = 0; p < s->n_parameters && !is_float; p++) {
      char name[NAME_BYTES], text[NAME_BYTES + 3];
      wb_search_spell(s, s->names[p], name);
      snprintf(text, sizeof text, " = %s", name);
      wb_search_change(s, k + 1, k + 1, 2, text);
    }
  }
}

// --- the lanes of a warp -------------------------------------------------------------------------

// What stands at token i if a warp has 32 lanes: t / 32, t % 32, t >> 5, t & 31. NULL: no number of
// lanes.
static const char *of_a_warp(const wb_search *s, size_t i) {
  if (!wb_search_is_number(s, i)) return NULL;
  if (wb_search_is(s, i - 1, "/") || wb_search_is(s, i - 1, "%")) return "32";
  if (wb_search_is(s, i - 1, ">>")) return "5";
  return wb_search_is(s, i - 1, "&") ? "31" : NULL;
}

// A value and its index travel alike: one shuffle for another in both statements.
static void change_shuffles(wb_search *s, size_t i) {
  static const char *const shuffles[] = {"__shfl_down_sync", "__shfl_xor_sync", "__shfl_up_sync",
                                         NULL};
  char text[WB_EDIT_BYTES];
  size_t first = i, last = 0;
  while (first < s->list->n && !wb_token_is_one_of(wb_search_token(s, first), shuffles)) first++;
  const size_t end = semicolon(s, i), next = end ? semicolon(s, end + 1) : 0;
  for (size_t k = first + 1; k < next && first < end; k++)
    if (wb_search_is_same(s, first, k)) last = k;
  if (last < end || last == 0) return; // in one statement, or in one of the two
  for (const char *const *other = shuffles; *other; other++) {
    size_t used = 0;
    for (size_t k = first; k <= last && used + 1 < sizeof text; k++) {
      const wb_token *t = wb_search_token(s, k);
      const bool is_shuffle = wb_search_is_same(s, first, k);
      const bool is_apart = k > first && t->text > t[-1].text + t[-1].whole;
      used += (size_t)snprintf(text + used, sizeof text - used, "%s%.*s", is_apart ? " " : "",
                               is_shuffle ? (int)strlen(*other) : (int)t->whole,
                               is_shuffle ? *other : t->text);
    }
    if (used + 1 < sizeof text && !wb_search_is(s, first, *other))
      wb_search_change(s, first, last + 1, 2, text);
  }
}

// warp = t / 16, lane = t % 16: 32 in both.
static void change_lanes(wb_search *s, size_t i, size_t end) {
  char text[WB_EDIT_BYTES];
  size_t used = 0;
  unsigned n_changed = 0;
  for (size_t k = i; k < end; k++) {
    const wb_token *t = wb_search_token(s, k);
    const char *meant = of_a_warp(s, k);
    bool is_other = meant && !wb_search_is(s, k, meant);
    size_t length = is_other ? strlen(meant) : t->whole;
    if (used + length + 2 > sizeof text) return;
    if (k > i && t->text > t[-1].text + t[-1].whole) text[used++] = ' ';
    memcpy(text + used, is_other ? meant : t->text, length);
    used += length;
    n_changed += is_other;
  }
  text[used] = '\0';
  if (n_changed > 1) wb_search_change(s, i, end, 2, text);
}

// --- two values ----------------------------------------------------------------------------------

// The end of the value that begins at token i: its `,` or `;`.
static size_t end_of_value(const wb_search *s, size_t i) {
  int depth = 0;
  for (; i < s->list->n && !wb_search_is(s, i, ";"); i++) {
    depth += wb_search_is(s, i, "(") + wb_search_is(s, i, "[");
    depth -= wb_search_is(s, i, ")") + wb_search_is(s, i, "]");
    if (depth == 0 && wb_search_is(s, i, ",")) break;
  }
  return i;
}

// warp = A, lane = B: warp = B, lane = A; also in two declarations.
static void interchange(wb_search *s, size_t i, size_t end) {
  char a[WB_EDIT_BYTES], b[WB_EDIT_BYTES], between[WB_EDIT_BYTES], text[3 * WB_EDIT_BYTES];
  for (size_t k = i; k < end; k++) {
    if (!wb_search_is(s, k, "=")) continue;
    size_t a_end = end_of_value(s, k + 1), other = a_end + 1;
    while (wb_search_is(s, a_end, ";") && wb_search_is_type(s, other)) other++;
    bool declares = wb_search_is(s, a_end, ",") || other > a_end + 1;
    if (!declares || !wb_search_is(s, other + 1, "=")) continue;
    size_t b_end = end_of_value(s, other + 2);
    if (!wb_search_copy(s, k + 1, a_end, a) || !wb_search_copy(s, a_end, other + 2, between) ||
        !wb_search_copy(s, other + 2, b_end, b))
      continue;
    snprintf(text, sizeof text, "%s%s %s", b, between, a);
    if (strlen(text) < WB_EDIT_BYTES) wb_search_change(s, k + 1, b_end, 4, text);
  }
}

// out[b] = low, high[b] = top: out[b] = top, high[b] = low; also in two statements.
static void interchange_stored(wb_search *s, size_t i, size_t end) {
  static const char *const ends[] = {";", "{", "}", "if", NULL};
  char a[WB_EDIT_BYTES], b[WB_EDIT_BYTES], between[WB_EDIT_BYTES], text[3 * WB_EDIT_BYTES];
  for (size_t k = i; k < end; k++) {
    if (!wb_search_is(s, k, "=") || !wb_search_is(s, k - 1, "]")) continue;
    const size_t a_end = end_of_value(s, k + 1);
    size_t other = a_end + 1;
    while (other < s->list->n && !wb_search_is(s, other, "=") &&
           !wb_search_is_one_of(s, other, ends))
      other++;
    if (!wb_search_is(s, other, "=") || !wb_search_is(s, other - 1, "]")) continue;
    const size_t b_end = end_of_value(s, other + 1);
    if (!wb_search_copy(s, k + 1, a_end, a) || !wb_search_copy(s, a_end, other + 1, between) ||
        !wb_search_copy(s, other + 1, b_end, b) || strcmp(a, b) == 0)
      continue;
    snprintf(text, sizeof text, "%s%s %s", b, between, a);
    if (strlen(text) < WB_EDIT_BYTES)
      wb_search_change_as(s, k + 1, b_end, 4, text, WB_SENSE_EXCHANGED, NULL);
  }
}

// --- what an atomic operation returns -----------------------------------------------------------

// atomicAdd(...); unsigned old = words[w];: by then others may have changed it.
static void take_returned(wb_search *s, size_t i, size_t end) {
  char call[WB_EDIT_BYTES], name[WB_EDIT_BYTES], text[2 * WB_EDIT_BYTES + 8];
  size_t value = end + 1;
  if (!wb_token_begins(wb_search_token(s, i), "atomic") || !wb_search_is_type(s, value)) return;
  while (wb_search_is_type(s, value)) value++;
  size_t last = semicolon(s, value);
  bool is_element = wb_search_is(s, last - 1, "]") || wb_search_is(s, value + 2, "*");
  if (!last || !wb_search_is(s, value + 1, "=") || !is_element) return;
  if (!wb_search_copy(s, i, end, call) || !wb_search_copy(s, end + 1, value + 1, name)) return;
  snprintf(text, sizeof text, "%s = %s", name, call);
  if (strlen(text) < WB_EDIT_BYTES) wb_search_change(s, i, last, 1, text);
}

void wb_search_change_values(wb_search *s, size_t i) {
  size_t end = semicolon(s, i);
  if (end == 0) return;
  if (wb_search_is_type(s, i)) {
    give_start(s, i, end);
    interchange(s, i, end);
  }
  interchange_stored(s, i, end);
  change_lanes(s, i, end);
  change_shuffles(s, i);
  take_returned(s, i, end);
}
