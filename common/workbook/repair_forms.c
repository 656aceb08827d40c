// SPDX-License-Identifier: MIT
// repair_forms.c - changes of form, which take more than a token: what one step reads and writes is
// parted by a wait, several steps wait, an `else if` becomes an `if`, a quotient is rounded up, a
// part of a word is cut out. See repair.h.
#include <string.h>

#include "repair_search.h"

enum { LEAST_STEPS = 2 };

static const char *const waits[] = {"__syncthreads()", "__syncwarp()"};

// --- waits ---------------------------------------------------------------------------------------

// The assignment of an element in [i, end), or 0.
static size_t assignment(const wb_search *s, size_t i, size_t end) {
  static const char *const assigns[] = {"=", "+=", NULL};
  for (size_t at = i + 1; at < end; at++)
    if (wb_search_is_one_of(s, at, assigns) && wb_search_is(s, at - 1, "]")) return at;
  return 0;
}

// Whether an element of the array at token `name` is in [from, to).
static bool reads(const wb_search *s, size_t name, size_t from, size_t to) {
  for (size_t at = from; at < to; at++)
    if (wb_search_is_same(s, name, at) && wb_search_is(s, at + 1, "[")) return true;
  return false;
}

// if (C) x[t] += x[t - d];: read, wait for all, write.
static void part_reading(wb_search *s, size_t i, size_t end) {
  char condition[WB_EDIT_BYTES] = "", left[WB_EDIT_BYTES], right[WB_EDIT_BYTES];
  char text[4 * WB_EDIT_BYTES];
  const bool is_guarded = wb_search_is(s, i, "if");
  const size_t first = is_guarded ? wb_search_closing(s, i + 1) + 1 : i,
               equals = assignment(s, first, end);
  if (equals == 0 || !reads(s, first, equals + 1, end)) return;
  if ((is_guarded && !wb_search_copy(s, i, first, condition)) ||
      !wb_search_copy(s, first, equals, left) || !wb_search_copy(s, equals + 1, end, right))
    return;
  for (unsigned w = 0; w < 2; w++) {
    snprintf(text, sizeof text, "{ __typeof__(%s + 0) got_ = 0; %s got_ = %s %s; %s %s %s got_; }",
             left, condition, right, waits[w], condition, left,
             wb_search_is(s, equals, "=") ? "=" : "+=");
    if (strlen(text) < WB_EDIT_MOST_BYTES)
      wb_search_change_as(s, i, end, 3, text, WB_SENSE_IN_PLACE, waits[w]);
  }
}

// Several steps one behind the other: a wait behind each.
static void wait_in_steps(wb_search *s, size_t i) {
  for (unsigned w = 0; w < 2; w++) {
    char text[WB_EDIT_MOST_BYTES], step[WB_EDIT_BYTES];
    size_t used = 0, at = i, n = 0;
    for (size_t end; (end = wb_search_end_of_guarded(s, at)) > 0; at = end, n++) {
      if (!assignment(s, at, end) || !wb_search_copy(s, at, end, step)) break;
      if (used + strlen(step) + strlen(waits[w]) + 4 > sizeof text) return;
      used += (size_t)snprintf(text + used, sizeof text - used, "%s %s; ", step, waits[w]);
    }
    if (n >= LEAST_STEPS) wb_search_change_as(s, i, at, 3, text, WB_SENSE_STEPS, waits[w]);
  }
}

static void change_waits(wb_search *s, size_t i) {
  const size_t end = wb_search_end_of_guarded(s, i);
  if (end == 0 || s->orders != WB_ORDERS_LIKELY_LACK) return;
  part_reading(s, i, end);
  wait_in_steps(s, i);
}

// --- values --------------------------------------------------------------------------------------

// const signed char *p = (const signed char *)in;: bytes have no sign.
static void change_bytes(wb_search *s, size_t i) {
  char text[WB_EDIT_MOST_BYTES];
  size_t used = 0, end = i;
  unsigned n = 0;
  while (end < s->list->n && !wb_search_is(s, end, ";") && !wb_search_is(s, end, "{")) end++;
  for (size_t k = i; k < end; k++) {
    const wb_token *t = wb_search_token(s, k);
    const bool has_sign = wb_search_is(s, k, "signed") && wb_search_is(s, k + 1, "char");
    const bool is_plain = wb_search_is(s, k, "char") && !wb_search_is(s, k - 1, "signed") &&
                          !wb_search_is(s, k - 1, "unsigned");
    const char *word = has_sign ? "unsigned" : is_plain ? "unsigned char" : t->text;
    const size_t length = has_sign || is_plain ? strlen(word) : t->whole;
    if (used + length + 2 > sizeof text) return;
    used += (size_t)snprintf(text + used, sizeof text - used, "%.*s ", (int)length, word);
    n += has_sign || is_plain;
  }
  if (n > 0) wb_search_change_as(s, i, end, 1, text, WB_SENSE_TYPE, NULL);
}

// atomicAdd((unsigned *)sums + g, (unsigned)x);: words of 64 bits, and what is added to them.
static void change_words(wb_search *s, size_t i) {
  char text[WB_EDIT_MOST_BYTES];
  size_t used = 0, end = i;
  unsigned n = 0;
  if (!wb_token_begins(wb_search_token(s, i), "atomic")) return;
  while (end < s->list->n && !wb_search_is(s, end, ";") && !wb_search_is(s, end, "{")) end++;
  for (size_t k = i; k < end; k++) {
    const wb_token *t = wb_search_token(s, k);
    const bool is_word = (wb_search_is(s, k, "unsigned") || wb_search_is(s, k, "int")) &&
                         wb_search_is(s, k - 1, "(") && !wb_search_is(s, k + 1, "long");
    const char *word = is_word ? "unsigned long long" : t->text;
    const size_t length = is_word ? strlen(word) : t->whole;
    if (used + length + 2 > sizeof text) return;
    used += (size_t)snprintf(text + used, sizeof text - used, "%.*s ", (int)length, word);
    n += is_word;
  }
  if (n > 0) wb_search_change_as(s, i, end, 3, text, WB_SENSE_TYPE, NULL);
}

// __ffs(mask): the lowest bit is number 1.
static void change_first_bit(wb_search *s, size_t i) {
  static const char *const functions[] = {"__ffs", "__ffsll", NULL};
  if (!wb_search_is_one_of(s, i, functions) || !wb_search_is(s, i + 1, "(")) return;
  const size_t end = wb_search_closing(s, i + 1) + 1;
  if (!wb_search_is(s, end, "-")) wb_search_change(s, end, end, 2, " - 1 ");
}

// = n / 4;: what is left over needs one more.
static void round_up(wb_search *s, size_t i) {
  char name[NAME_BYTES], number[NAME_BYTES], text[WB_EDIT_BYTES];
  if (!wb_search_is(s, i, "/") || !wb_search_is_number(s, i + 1) || !wb_search_is_simple(s, i - 1))
    return;
  if (!wb_search_is(s, i - 2, "=") && !wb_search_is(s, i - 2, "<")) return;
  wb_search_spell(s, i - 1, name);
  wb_search_spell(s, i + 1, number);
  snprintf(text, sizeof text, "(%s + %s - 1) / %s", name, number, number);
  wb_search_change(s, i - 1, i + 2, 3, text);
}

// bits >> 23: what stands above the field is cut off.
static void cut_field(wb_search *s, size_t i) {
  static const char *const ends[] = {";", ",", NULL};
  if (wb_search_is(s, i, ">>") && wb_search_is_number(s, i + 1) &&
      wb_search_is_one_of(s, i + 2, ends))
    wb_search_change_as(s, i + 2, i + 2, 3, " & 255", WB_SENSE_CUT, NULL);
}

// words[w] >> v % 4 * 8: the same, where the place of the field is worked out.
static void cut_byte(wb_search *s, size_t i) {
  static const char *const ends[] = {";", ",", ")", NULL}, *const goes_on[] = {"*", "%", "/", NULL};
  size_t end = i + 2;
  if (!wb_search_is(s, i, ">>") || !wb_search_token(s, i + 1)->is_word) return;
  while (wb_search_is_one_of(s, end, goes_on)) end += 2;
  if (end > i + 2 && wb_search_is_one_of(s, end, ends))
    wb_search_change_as(s, end, end, 3, " & 255", WB_SENSE_CUT, NULL);
}

// if ((w & 255) ...) f(w);: the part that is asked about is meant.
static void take_part(wb_search *s, size_t i) {
  static const char *const ends[] = {";", "{", "}", NULL};
  char text[WB_EDIT_BYTES];
  if (!wb_search_is_simple(s, i) || !wb_search_is_argument(s, i)) return;
  for (size_t at = i; at > s->function && !wb_search_is_one_of(s, at, ends); at--) {
    const bool is_part = wb_search_is(s, at, "(") && wb_search_is_same(s, at + 1, i) &&
                         wb_search_is(s, at + 4, ")") && at + 4 < i;
    if (is_part && wb_search_copy(s, at, at + 5, text)) wb_search_change(s, i, i + 1, 3, text);
  }
}

void wb_search_change_form(wb_search *s, size_t i, bool begins_statement) {
  if (begins_statement) {
    change_waits(s, i);
    change_bytes(s, i);
    change_words(s, i);
    if (wb_search_is(s, i, "else") && wb_search_is(s, i + 1, "if"))
      wb_search_change(s, i, i + 1, 4, "");
    return;
  }
  change_first_bit(s, i);
  round_up(s, i);
  cut_field(s, i);
  cut_byte(s, i);
  take_part(s, i);
}
