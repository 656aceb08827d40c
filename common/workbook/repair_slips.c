// SPDX-License-Identifier: MIT
// repair_slips.c - changes of what the language takes otherwise than it looks: which operator binds
// first, a `;` behind an `if`, a variable declared once more, a value that is worked out and not
// stored, a comparison with a NaN, two pointers to one place. See repair.h.
#include <string.h>

#include "repair_search.h"

// --- which operator binds first ------------------------------------------------------------------

// The first token of the operand that ends before token `end`: a name, a number, a member, an
// element, a parenthesis, a call; 0: it is something else.
static size_t operand_before(const wb_search *s, size_t end) {
  static const char *const joins[] = {"::", "->", NULL}, *const heads[] = {"if",     "while",
                                                                           "for",    "return",
                                                                           "switch", NULL};
  if (end < 2 || wb_search_is_type(s, end - 1)) return 0;
  if (wb_search_is(s, end - 1, "]")) {
    size_t open = end - 1;
    while (open > s->function && !wb_search_is(s, open, "[")) open--;
    return wb_search_token(s, open - 1)->is_word ? open - 1 : 0;
  }
  if (wb_search_is(s, end - 1, ")")) {
    const size_t open = wb_search_opening(s, end - 1);
    const bool is_call = open > 0 && wb_search_token(s, open - 1)->is_word &&
                         !wb_search_is_one_of(s, open - 1, heads);
    return is_call ? open - 1 : open;
  }
  if (!wb_search_token(s, end - 1)->is_word && !wb_search_is_number(s, end - 1)) return 0;
  if (wb_search_is(s, end - 2, ".")) return end >= 4 ? end - 3 : 0;
  return wb_search_is_one_of(s, end - 2, joins) ? 0 : end - 1;
}

// n + 1 / 2: (n + 1) / 2; bits & 1 == 0: (bits & 1) == 0; 1 << k - 1: (1 << k) - 1.
static void put_parentheses(wb_search *s, size_t i) {
  static const struct {
    const char *weaker[5], *stronger[7];
  } pairs[] = {{{"+", "-"}, {"*", "/", "%"}},
               {{"<<", ">>"}, {"+", "-"}},
               {{"&", "|", "^"}, {"==", "!=", "<", ">", "<=", ">="}}};
  char text[WB_EDIT_BYTES], inner[WB_EDIT_BYTES];
  const size_t right = operand_before(s, i), left = right > 1 ? operand_before(s, right - 1) : 0;
  if (left == 0 || !wb_search_copy(s, left, i, inner)) return;
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
    if (wb_search_is_one_of(s, right - 1, pairs[p].weaker) &&
        wb_search_is_one_of(s, i, pairs[p].stronger)) {
      snprintf(text, sizeof text, "(%.*s)", WB_EDIT_BYTES - 3, inner);
      wb_search_change_as(s, left, i, 2, text, WB_SENSE_BINDS, NULL);
    }
}

// --- statements ----------------------------------------------------------------------------------

// if (a == b); break;: without the first semicolon.
static void drop_empty_statement(wb_search *s, size_t i) {
  static const char *const heads[] = {"if", "for", "while", NULL};
  if (!wb_search_is_one_of(s, i, heads) || !wb_search_is(s, i + 1, "(")) return;
  const size_t end = wb_search_closing(s, i + 1) + 1;
  if (wb_search_is(s, end, ";") && !wb_search_is(s, i - 1, "}"))
    wb_search_change_as(s, end, end + 1, 1, "", WB_SENSE_EMPTY, NULL);
}

static bool is_known(const wb_search *s, const size_t *names, size_t n, size_t i) {
  for (size_t k = 0; k < n; k++)
    if (names[k] < i && wb_search_is_same(s, names[k], i)) return true;
  return false;
}

// { int left = half; } where there is a `left` already: that one is meant.
static void drop_declaration(wb_search *s, size_t i) {
  size_t name = i;
  while (wb_search_is_type(s, name)) name++;
  if (name == i || !wb_search_is(s, name + 1, "=")) return;
  if (is_known(s, s->names, s->n_names, name) || is_known(s, s->floats, s->n_floats, name))
    wb_search_change_as(s, i, name, 1, "", WB_SENSE_SHADOW, NULL);
}

// for (...; ...; s >> 1): s >>= 1.
static void store_step(wb_search *s, size_t i) {
  static const char *const operators[] = {"<<", ">>", "+", "-", "*", "/", NULL};
  char text[8];
  const bool begins = wb_search_is(s, i - 2, ";") && wb_search_is_simple(s, i - 1);
  if (!begins || !wb_search_is_one_of(s, i, operators) || !wb_search_is(s, i + 2, ")")) return;
  snprintf(text, sizeof text, "%.*s=", (int)wb_search_token(s, i)->whole,
           wb_search_token(s, i)->text);
  wb_search_change(s, i, i + 1, 1, text);
}

// for (...; ...; s += 2): s *= 2.
static void multiply_step(wb_search *s, size_t i) {
  if (!wb_search_is(s, i + 1, "2") || !wb_search_is(s, i + 2, ")")) return;
  if (wb_search_is(s, i, "+=")) wb_search_change(s, i, i + 1, 2, "*=");
  if (wb_search_is(s, i, "-=")) wb_search_change(s, i, i + 1, 2, "/=");
}

// --- values --------------------------------------------------------------------------------------

// x > a ? a : x, which is x where one of them is a NaN: !(x > a) ? x : a in other words.
static void turn_choice(wb_search *s, size_t i) {
  static const char *const pairs[][2] = {{"<", ">="}, {">", "<="}, {"<=", ">"}, {">=", "<"}};
  static const char *const ends[] = {";", ",", ")", NULL};
  char a[WB_EDIT_BYTES], b[WB_EDIT_BYTES], yes[WB_EDIT_BYTES], no[WB_EDIT_BYTES];
  char text[WB_EDIT_MOST_BYTES];
  size_t question = i + 1, colon, end, from = i;
  while (question < s->list->n && !wb_search_is(s, question, "?") &&
         !wb_search_is_one_of(s, question, ends))
    question++;
  if (!wb_search_is(s, question, "?")) return;
  for (colon = question; colon < s->list->n && !wb_search_is(s, colon, ":"); colon++)
    if (wb_search_is(s, colon, ";")) return;
  for (end = colon; end < s->list->n && !wb_search_is_one_of(s, end, ends);) end++;
  while (from > s->function && !wb_search_is(s, from - 1, "=") && !wb_search_is(s, from - 1, "(") &&
         !wb_search_is(s, from - 1, ",") && !wb_search_is(s, from - 1, "return") &&
         !wb_search_is(s, from - 1, ";"))
    from--;
  for (size_t p = 0; p < sizeof pairs / sizeof *pairs; p++) {
    if (!wb_search_is(s, i, pairs[p][0])) continue;
    if (!wb_search_copy(s, from, i, a) || !wb_search_copy(s, i + 1, question, b) ||
        !wb_search_copy(s, question + 1, colon, yes) || !wb_search_copy(s, colon + 1, end, no))
      return;
    int n = snprintf(text, sizeof text, "%s %s %s ? %s : %s", a, pairs[p][1], b, no, yes);
    if (n < (int)sizeof text) wb_search_change_as(s, from, end, 3, text, WB_SENSE_NAN, NULL);
  }
}

// for (unsigned k = ...; k >= 0; ...): an unsigned number is never below 0.
static void give_sign(wb_search *s, size_t i) {
  if (wb_search_is(s, i, ">=") && wb_search_is(s, i + 1, "0") && wb_search_is_simple(s, i - 1))
    wb_search_change_as(s, i - 1, i - 1, 2, "(int)", WB_SENSE_UNSIGNED, NULL);
}

// float *high = values;: behind as many elements as the block has threads.
static void move_pointer(wb_search *s, size_t i) {
  const bool declares =
      wb_search_is(s, i, "*") && wb_search_token(s, i + 1)->is_word && wb_search_is(s, i + 2, "=");
  if (!declares || (!wb_search_is_type(s, i - 1) && !wb_search_is(s, i - 1, ","))) return;
  const size_t end = i + 4;
  if (wb_search_is_array(s, i + 3) && (wb_search_is(s, end, ";") || wb_search_is(s, end, ",")))
    wb_search_change_as(s, end, end, 3, " + blockDim.x", WB_SENSE_OVERLAP, NULL);
}

// values + 1024, &values[256]: what depends on the launch is not to be written as a number.
static void take_block_size(wb_search *s, size_t i) {
  unsigned long value = 0;
  static const char *const before[] = {"+", "[", "<", ">=", "*", "+=", "=", NULL};
  if (!wb_search_is_number(s, i) || !wb_search_is_one_of(s, i - 1, before)) return;
  for (size_t k = 0; k < wb_search_token(s, i)->length; k++) {
    const char digit = wb_search_token(s, i)->text[k];
    if (digit < '0' || digit > '9' || value > 4096) return;
    value = 10 * value + (unsigned long)(digit - '0');
  }
  if (value < 32 || (value & (value - 1)) != 0) return;
  for (size_t at = i; at > s->function && !wb_search_is(s, at, ";"); at--)
    if (wb_search_is(s, at, "__shared__")) return; // the size of an array
  wb_search_change(s, i, i + 1, 3, "blockDim.x");
}

// threadIdx.y: all of these launches have one row.
static void take_row(wb_search *s, size_t i) {
  static const char *const places[] = {"threadIdx", "blockIdx", "blockDim", "gridDim", NULL};
  static const char *const others[] = {"y", "z", NULL};
  if (wb_search_is_one_of(s, i, others) && wb_search_is(s, i - 1, ".") &&
      wb_search_is_one_of(s, i - 2, places))
    wb_search_change(s, i, i + 1, 1, "x");
}

// a * b * c: b * c.
static void drop_factor(wb_search *s, size_t i) {
  static const char *const begins[] = {"=", "+=", "(", ",", "return", "+", "-", "?", ":", NULL};
  const size_t from = wb_search_is(s, i, "*") ? operand_before(s, i) : 0;
  const bool is_factor = from > 0 && wb_search_is_one_of(s, from - 1, begins);
  const bool has_another = wb_search_is(s, i + 2, "*") || wb_search_is(s, i + 5, "*");
  if (is_factor && has_another) wb_search_change(s, from, i + 1, 5, "");
}

// isnan(x): !isnan(x), and the reverse.
static void turn_question(wb_search *s, size_t i) {
  static const char *const questions[] = {"isnan", "isinf", "isfinite", NULL};
  if (!wb_search_is_one_of(s, i, questions) || !wb_search_is(s, i + 1, "(")) return;
  if (wb_search_is(s, i - 1, "!")) wb_search_change(s, i - 1, i, 2, "");
  else wb_search_change(s, i, i, 2, "!");
}

// 1u + k, where bit k is meant: 1u << k.
static void take_bit(wb_search *s, size_t i) {
  static const char *const operators[] = {"+", "*", NULL};
  if (wb_search_is_one_of(s, i, operators) && wb_search_is(s, i - 1, "1") &&
      wb_search_is_simple(s, i + 1))
    wb_search_change(s, i, i + 1, 3, "<<");
}

// (sum + e) / n: sum / n + e.
static void divide_one(wb_search *s, size_t i) {
  char a[NAME_BYTES], b[NAME_BYTES], by[NAME_BYTES], text[WB_EDIT_BYTES];
  const bool is_sum = wb_search_is(s, i, "(") && wb_search_is_simple(s, i + 1) &&
                      wb_search_is(s, i + 2, "+") && wb_search_is_simple(s, i + 3) &&
                      wb_search_is(s, i + 4, ")") && wb_search_is(s, i + 5, "/");
  if (!is_sum || !wb_search_is_simple(s, i + 6)) return;
  wb_search_spell(s, i + 1, a);
  wb_search_spell(s, i + 3, b);
  wb_search_spell(s, i + 6, by);
  snprintf(text, sizeof text, "(%s / %s + %s)", a, by, b);
  wb_search_change_as(s, i, i + 7, 3, text, WB_SENSE_DIVIDED, NULL);
}

// s[t] = x + s[t + d], where x is to go on with it: s[t] = x += s[t + d].
static void go_on_with_sum(wb_search *s, size_t i) {
  bool is_float = false;
  if (!wb_search_is(s, i, "+") || !wb_search_is_simple(s, i - 1) || !wb_search_is(s, i - 2, "=") ||
      !wb_search_is(s, i - 3, "]"))
    return;
  for (size_t k = 0; k < s->n_floats; k++) is_float |= wb_search_is_same(s, s->floats[k], i - 1);
  if (is_float) wb_search_change_as(s, i, i + 1, 4, "+=", WB_SENSE_KEPT, NULL);
}

// if (t == 0) out[b] = sum;, where the last thread has it.
static void take_last_thread(wb_search *s, size_t i) {
  if (wb_search_is(s, i, "0") && wb_search_is(s, i - 1, "==") && wb_search_is(s, i + 1, ")"))
    wb_search_change(s, i, i + 1, 5, "blockDim.x - 1");
}

// atomicAdd(word, run);: what was handed over is not to be handed over once more.
static void begin_anew(wb_search *s, size_t i) {
  char name[NAME_BYTES], text[NAME_BYTES + 8];
  if (!wb_token_begins(wb_search_token(s, i), "atomic") || !wb_search_is(s, i + 1, "(")) return;
  const size_t close = wb_search_closing(s, i + 1);
  if (!wb_search_is(s, close + 1, ";") || !wb_search_is_simple(s, close - 1)) return;
  for (size_t k = s->n_parameters; k < s->n_names; k++) {
    if (!wb_search_is_same(s, s->names[k], close - 1)) continue;
    wb_search_spell(s, close - 1, name);
    snprintf(text, sizeof text, "; %s = 0;", name);
    wb_search_change(s, close + 1, close + 2, 4, text);
    return;
  }
}

void wb_search_change_slips(wb_search *s, size_t i, bool begins_statement) {
  if (begins_statement) {
    drop_empty_statement(s, i);
    drop_declaration(s, i);
    begin_anew(s, i);
  }
  put_parentheses(s, i);
  store_step(s, i);
  turn_choice(s, i);
  give_sign(s, i);
  move_pointer(s, i);
  take_block_size(s, i);
  take_row(s, i);
  drop_factor(s, i);
  turn_question(s, i);
  take_bit(s, i);
  multiply_step(s, i);
  divide_one(s, i);
  go_on_with_sum(s, i);
  take_last_thread(s, i);
}
