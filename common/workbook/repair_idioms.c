// SPDX-License-Identifier: MIT
// repair_idioms.c - changes of what CUDA programs have in common: the place of a block, the step of
// a loop, types, the arrays and arguments of a call. See repair.h.
#include <string.h>

#include "repair_search.h"

bool wb_search_copy(const wb_search *s, size_t from, size_t to, char out[WB_EDIT_BYTES]) {
  size_t used = 0;
  for (size_t i = from; i < to; i++) {
    const wb_token *t = wb_search_token(s, i);
    bool is_apart = i > from && t->text > t[-1].text + t[-1].whole;
    if (used + t->whole + 2 > WB_EDIT_BYTES) return false;
    if (is_apart) out[used++] = ' ';
    memcpy(out + used, t->text, t->whole);
    used += t->whole;
  }
  out[used] = '\0';
  return true;
}

// --- places and steps ----------------------------------------------------------------------------

static bool is_size(const wb_search *s, size_t i) {
  return wb_search_is(s, i, "blockDim") || wb_search_is(s, i, "gridDim");
}

// blockIdx.x + t, blockIdx.x * n + t, 32 * blockIdx.x + t.
static void change_block_place(wb_search *s, size_t i) {
  char name[NAME_BYTES];
  if (!wb_search_is(s, i, "blockIdx") || !wb_search_is(s, i + 1, ".")) return;
  bool scaled_before = wb_search_is(s, i - 1, "*"), scaled_behind = wb_search_is(s, i + 3, "*");
  bool is_summand = wb_search_is(s, i + 3, "+") || wb_search_is(s, i - 1, "+");
  if (!scaled_before && !scaled_behind && is_summand)
    wb_search_change(s, i + 3, i + 3, 2, "* blockDim.x ");
  if (scaled_behind && wb_search_is_simple(s, i + 4))
    wb_search_change(s, i + 4, i + 5, 2, "blockDim.x");
  if (scaled_behind && wb_search_is(s, i + 4, "blockDim")) wb_search_change(s, i, i, 3, "2 * ");
  for (size_t k = 0; k < s->n_names && scaled_behind && is_size(s, i + 4); k++) {
    wb_search_spell(s, s->names[k], name); // rows have a width of their own
    wb_search_change(s, i + 4, i + 7, 5, name);
  }
  if (scaled_before && (wb_search_is_simple(s, i - 2) || wb_search_is_number(s, i - 2)))
    wb_search_change(s, i - 2, i - 1, 2, "blockDim.x");
}

// result[0] = ... and result[t] = ...: the block's own element.
static void change_block_result(wb_search *s, size_t i) {
  if (!wb_search_is(s, i, "[") || !wb_search_is(s, i + 2, "]") || !wb_search_is(s, i + 3, "="))
    return;
  if (wb_search_is_number(s, i + 1) || wb_search_is_simple(s, i + 1))
    wb_search_change(s, i + 1, i + 2, wb_search_is_number(s, i + 1) ? 3 : 5, "blockIdx.x");
}

// for (...; i++): the step of threads that walk side by side.
static void change_step(wb_search *s, size_t i) {
  static const char *const steps[] = {"+= blockDim.x", "+= gridDim.x * blockDim.x", "+= 32", NULL};
  char text[WB_EDIT_BYTES], name[NAME_BYTES];
  bool is_prefix = wb_search_is_simple(s, i + 1) && wb_search_is(s, i + 2, ")");
  if (!wb_search_is(s, i, "++") || (!is_prefix && !wb_search_is(s, i + 1, ")"))) return;
  wb_search_spell(s, is_prefix ? i + 1 : i - 1, name);
  for (const char *const *step = steps; *step; step++) {
    snprintf(text, sizeof text, "%s %s", is_prefix ? name : "", *step);
    wb_search_change(s, i, is_prefix ? i + 2 : i + 1, 3, text);
  }
}

// step = blockDim.x;: that of the whole grid.
static void change_whole_step(wb_search *s, size_t i) {
  static const char *const ends[] = {";", ",", NULL};
  if (wb_search_is(s, i, "=") && wb_search_is(s, i + 1, "blockDim") &&
      wb_search_is_one_of(s, i + 4, ends))
    wb_search_change(s, i + 1, i + 1, 2, "gridDim.x * ");
}

// for (c = 0; ...; c += blockDim.x): all threads begin at the same place.
static void change_loop_start(wb_search *s, size_t i) {
  size_t at = i + 2;
  if (!wb_search_is(s, i, "=") || !wb_search_is(s, i + 1, "0") || !wb_search_is(s, i + 2, ";"))
    return;
  while (at < s->list->n && !wb_search_is(s, at, "+=") && !wb_search_is(s, at, "{")) at++;
  if (wb_search_is(s, at + 1, "blockDim")) wb_search_change(s, i + 1, i + 2, 2, "threadIdx.x");
  if (wb_search_is(s, at + 1, "gridDim"))
    wb_search_change(s, i + 1, i + 2, 2, "blockIdx.x * blockDim.x + threadIdx.x");
}

// t % 32 is the lane, t / 32 the warp.
static void change_lane_or_warp(wb_search *s, size_t i) {
  if (!wb_search_is(s, i + 1, "32")) return;
  if (wb_search_is(s, i, "%")) wb_search_change(s, i, i + 1, 2, "/");
  if (wb_search_is(s, i, "/")) wb_search_change(s, i, i + 1, 2, "%");
}

// x >> b % 4: a byte has eight bits.
static void change_byte_place(wb_search *s, size_t i) {
  if (wb_search_is(s, i, "%") && wb_search_is(s, i + 1, "4") && !wb_search_is(s, i + 2, "*") &&
      !wb_search_is(s, i + 2, "=="))
    wb_search_change(s, i + 2, i + 2, 2, " * 8");
  if (wb_search_is(s, i, "&") && wb_search_is(s, i + 1, "3") && wb_search_is(s, i + 2, ")") &&
      !wb_search_is(s, i + 3, "*") && !wb_search_is(s, i + 3, "=="))
    wb_search_change(s, i + 3, i + 3, 2, " * 8");
}

// (size_t)p % 16: so far is the address behind a multiple of 16; -(size_t)p % 16: before the next.
static void change_alignment(wb_search *s, size_t i) {
  static const char *const types[] = {"size_t", "uintptr_t", NULL};
  const bool is_rest = wb_search_is(s, i + 4, "%") || wb_search_is(s, i + 4, "&");
  if (wb_search_is(s, i, "(") && wb_search_is_one_of(s, i + 1, types) &&
      wb_search_is(s, i + 2, ")") && is_rest && wb_search_is_number(s, i + 5))
    wb_search_change(s, i, i, 3, "-");
}

// i = blockIdx.x ...; ... i += : a variable that begins at a place of the whole grid walks over it.
static bool begins_in_grid(const wb_search *s, size_t i) {
  static const char *const ends[] = {",", ";", NULL};
  size_t at = i - 1;
  while (at > s->function && !(wb_search_is(s, at + 1, "=") && wb_search_is_same(s, at, i - 1)))
    at--;
  for (; at > s->function && at < i && !wb_search_is_one_of(s, at, ends); at++)
    if (wb_search_is(s, at, "blockIdx")) return true;
  return false;
}

static void change_stride(wb_search *s, size_t i) {
  if (!wb_search_is(s, i, "+=")) return;
  bool ends = wb_search_is(s, i + 4, ")") || wb_search_is(s, i + 4, ";");
  if (wb_search_is(s, i + 1, "blockDim") && ends)
    wb_search_change(s, i + 1, i + 1, begins_in_grid(s, i) ? 1 : 4, "gridDim.x * ");
  if (wb_search_is(s, i + 1, "gridDim") && ends)
    wb_search_change(s, i + 4, i + 4, 2, " * blockDim.x");
  if (!wb_search_is_simple(s, i + 1) && !wb_search_is_number(s, i + 1)) return;
  if (!wb_search_is(s, i + 2, ")")) return;
  wb_search_change(s, i + 1, i + 2, 4, "gridDim.x * blockDim.x");
  wb_search_change(s, i + 1, i + 2, 4, "blockDim.x");
}

// for (unsigned s = blockDim.x; ...): a tree's first step is half of it.
static void change_first_step(wb_search *s, size_t i) {
  if (!wb_search_is(s, i, "=")) return;
  size_t end = wb_search_is(s, i + 1, "blockDim") ? i + 4 : i + 2;
  if (end == i + 2 && !wb_search_is_simple(s, i + 1)) return;
  if (wb_search_is(s, end, ";")) wb_search_change(s, end, end, end == i + 4 ? 3 : 5, " / 2");
}

// (1u << lane) - 1: the lanes below.
static void change_lanes_below(wb_search *s, size_t i) {
  if (wb_search_is(s, i, "<<") && wb_search_is_simple(s, i + 1) && wb_search_is(s, i + 2, ")") &&
      !wb_search_is(s, i + 3, "-"))
    wb_search_change(s, i + 3, i + 3, 4, " - 1");
  char lane[NAME_BYTES], text[WB_EDIT_BYTES];
  if (!wb_search_is(s, i, ">>") || !wb_search_is_simple(s, i + 1)) return;
  wb_search_spell(s, i + 1, lane);
  snprintf(text, sizeof text, "& ((1u << %s) - 1)", lane);
  wb_search_change(s, i, i + 2, 4, text);
}

// t == blockDim.x - 1: the first thread, as it is asked for elsewhere.
static void change_compared(wb_search *s, size_t i) {
  static const char *const ends[] = {")", "&&", "||", "?", ";", NULL};
  size_t end = i + 1;
  if (!wb_search_is(s, i, "==")) return;
  while (end < s->list->n && !wb_search_is_one_of(s, end, ends) && !wb_search_is(s, end, "("))
    end++;
  if (end > i + 2 && wb_search_is_one_of(s, end, ends)) wb_search_change(s, i + 1, end, 4, "0");
}

// fabsf(x): x.
static void change_function(wb_search *s, size_t i) {
  static const char *const functions[] = {"fabsf",  "fabs",  "abs",    "sqrtf",
                                          "floorf", "ceilf", "roundf", NULL};
  if (wb_search_is_one_of(s, i, functions) && wb_search_is(s, i + 1, "("))
    wb_search_change(s, i, i + 1, 4, "");
}

// --- types, arrays, operands ---------------------------------------------------------------------

static bool is_float(const char *type) { return strcmp(type, "float") == 0; }

// Whether the name declared at token i does later what only an integer can: as an index, or with %,
// & and shifts. It cannot become a float.
static bool is_used_as_integer(const wb_search *s, size_t i) {
  static const char *const before[] = {"[", "%", "&", "<<", ">>", NULL}, *const behind[] = {
                                                                             "]",  "%",  "&",
                                                                             "<<", ">>", NULL};
  for (size_t k = i + 1; k < s->list->n && !wb_search_is(s, k, "__global__"); k++)
    if (wb_search_is_same(s, k, i) && !wb_search_is(s, k - 1, ".") &&
        (wb_search_is_one_of(s, k - 1, before) || wb_search_is_one_of(s, k + 1, behind)))
      return true;
  return false;
}

static void change_type(wb_search *s, size_t i) {
  static const struct {
    const char *type, *other;
    unsigned rank;
  } types[] = {{"int", "float", 3},      {"int", "unsigned", 4},    {"int", "long long", 4},
               {"short", "unsigned", 2}, {"char", "unsigned", 2},   {"unsigned", "float", 5},
               {"float", "unsigned", 6}, {"unsigned", "size_t", 6}, {"double", "float", 3}};
  if (!wb_search_is_type(s, i)) return;
  bool is_cast = wb_search_is(s, i - 1, "(") && wb_search_is(s, i + 1, ")");
  if (is_cast) wb_search_change(s, i - 1, i + 2, 4, "");
  if (!wb_search_token(s, i + 1)->is_word || wb_search_is_type(s, i + 1)) return;
  const bool is_integer = is_used_as_integer(s, i + 1);
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (wb_search_is(s, i, types[k].type) && !(is_integer && is_float(types[k].other)))
      wb_search_change(s, i, i + 1, types[k].rank, types[k].other);
}

// Behind a type, or as `, *high = ...`.
void wb_search_note_array(wb_search *s, size_t i) {
  bool is_pointer =
      wb_search_is(s, i - 1, "*") && (wb_search_is_type(s, i - 2) || wb_search_is(s, i - 2, ","));
  bool is_array = wb_search_is_type(s, i - 1) && wb_search_is(s, i + 1, "[");
  if (!wb_search_token(s, i)->is_word || (!is_pointer && !is_array)) return;
  if (s->n_arrays < MOST_ARRAYS) s->arrays[s->n_arrays++] = i;
}

bool wb_search_is_argument(const wb_search *s, size_t i) {
  return (wb_search_is(s, i - 1, "(") || wb_search_is(s, i - 1, ",")) &&
         (wb_search_is(s, i + 1, ")") || wb_search_is(s, i + 1, ","));
}

bool wb_search_is_array(const wb_search *s, size_t i) {
  for (size_t k = 0; k < s->n_arrays; k++)
    if (s->arrays[k] != i && wb_search_is_same(s, s->arrays[k], i)) return true;
  return false;
}

// The array whose element this statement assigns, before token i; 0: none.
static size_t assigned_array(const wb_search *s, size_t i) {
  static const char *const ends[] = {";", "{", "}", NULL}, *const assigns[] = {
                                                               "=",  "+=", "-=", "*=",
                                                               "|=", "&=", "^=", NULL};
  while (i > 0 && !wb_search_is_one_of(s, i, ends) && !wb_search_is_one_of(s, i, assigns)) i--;
  if (i < 2 || !wb_search_is_one_of(s, i, assigns) || !wb_search_is(s, i - 1, "]")) return 0;
  int depth = 0;
  for (size_t at = i - 1; at > 0; at--) {
    depth += wb_search_is(s, at, "]") - wb_search_is(s, at, "[");
    if (depth == 0) return at - 1;
  }
  return 0;
}

// One array for another; likeliest that for which the rest of the statement is.
static void change_array(wb_search *s, size_t i) {
  char text[NAME_BYTES];
  if (!wb_search_is(s, i + 1, "[") && !wb_search_is_argument(s, i)) return;
  if (!wb_search_token(s, i)->is_word || !wb_search_is_array(s, i)) return;
  for (size_t k = 0; k < s->n_arrays; k++) {
    if (wb_search_is_same(s, s->arrays[k], i)) continue;
    if (wb_search_is_assigned(s, i) && wb_search_is_const(s, s->arrays[k])) continue;
    const size_t left = assigned_array(s, i);
    const bool is_left = left > 0 && wb_search_is_same(s, left, s->arrays[k]);
    wb_search_spell(s, s->arrays[k], text);
    wb_search_change(s, i, i + 1, is_left ? 2 : 5, text);
  }
}

// A call's name: not what a control statement's or a declaration's parenthesis stands behind.
static bool is_called(const wb_search *s, size_t i) {
  static const char *const not_called[] = {
      "if", "for", "while", "switch", "return", "sizeof", "asm", "volatile", "__launch_bounds__",
      NULL};
  return wb_search_token(s, i)->is_word && wb_search_is(s, i + 1, "(") &&
         !wb_search_is_one_of(s, i, not_called) && !wb_search_is_type(s, i) &&
         !wb_search_is_type(s, i - 1);
}

enum { MOST_ARGUMENTS = 6 };

// The { of a list of values: f({a, b}), return {a, b}.
static bool begins_list(const wb_search *s, size_t i) {
  static const char *const before[] = {"(", ",", "=", "return", NULL};
  return wb_search_is(s, i, "{") && wb_search_is_one_of(s, i - 1, before);
}

// The values between the ( or { before token `begin` and its end: ends[k] is the comma, or the end,
// behind value k. Returns their number; 0: none, or too many.
static size_t find_arguments(const wb_search *s, size_t begin, size_t ends[MOST_ARGUMENTS]) {
  static const char *const closes[] = {")", "}", NULL};
  int depth = 0;
  size_t n = 0;
  for (size_t at = begin; at < s->list->n && !wb_search_is(s, at, ";"); at++) {
    bool is_end = depth == 0 && (wb_search_is(s, at, ",") || wb_search_is_one_of(s, at, closes));
    if (is_end && n == MOST_ARGUMENTS) return 0;
    if (is_end) ends[n++] = at;
    if (is_end && !wb_search_is(s, at, ",")) return n;
    depth += wb_search_is(s, at, "(") + wb_search_is(s, at, "[") + wb_search_is(s, at, "{");
    depth -= wb_search_is(s, at, ")") + wb_search_is(s, at, "]") + wb_search_is(s, at, "}");
  }
  return 0;
}

// Whether the value [from, to) begins with a float: x, *x, x[k], 1.0f.
static bool is_float_value(const wb_search *s, size_t from, size_t to) {
  const bool through = wb_search_is(s, from, "*");
  const size_t at = from + through;
  if (wb_search_is_number(s, at))
    return memchr(wb_search_token(s, at)->text, '.', wb_search_token(s, at)->whole);
  for (size_t k = 0; k < s->n_floats; k++)
    if (!through && wb_search_is_same(s, s->floats[k], at)) return true;
  for (size_t k = 0; k < s->n_arrays; k++) {
    const size_t type = s->arrays[k] - (wb_search_is(s, s->arrays[k] - 1, "*") ? 2 : 1);
    const bool is_element = through || (at + 1 < to && wb_search_is(s, at + 1, "["));
    if (is_element && wb_search_is_same(s, s->arrays[k], at) && wb_search_is(s, type, "float"))
      return true;
  }
  return false;
}

// f(a, b[k]): f(b[k], a), of any two neighbours. What the types forbid does not compile; a number
// in place of a float and the reverse does, and nothing is said.
static void change_arguments(wb_search *s, size_t i) {
  char a[WB_EDIT_BYTES], b[WB_EDIT_BYTES], text[2 * WB_EDIT_BYTES + 8];
  size_t ends[MOST_ARGUMENTS], from = is_called(s, i) ? i + 2 : i + 1;
  const bool is_list = is_called(s, i) || begins_list(s, i);
  const size_t n = is_list ? find_arguments(s, from, ends) : 0;
  for (size_t k = 0, begin = from; k + 1 < n; begin = ends[k++] + 1) {
    if (!wb_search_copy(s, begin, ends[k], a) || !wb_search_copy(s, ends[k] + 1, ends[k + 1], b) ||
        strcmp(a, b) == 0)
      continue;
    const bool differ =
        is_float_value(s, begin, ends[k]) != is_float_value(s, ends[k] + 1, ends[k + 1]);
    if (snprintf(text, sizeof text, "%s, %s", b, a) < WB_EDIT_BYTES)
      wb_search_change(s, begin, ends[k + 1], differ ? 3 : 5, text);
  }
  for (size_t k = 0, begin = from; k < n && begins_list(s, i); begin = ends[k++] + 1) {
    if (!is_float_value(s, begin, ends[k]) || wb_search_is_number(s, begin)) continue;
    wb_search_change(s, begin, ends[k], 4, "1.0f");
    wb_search_change(s, begin, ends[k], 5, "0.0f");
  }
}

// a - b: b - a; with members, too.
static void change_operands(wb_search *s, size_t i) {
  char a[WB_EDIT_BYTES], b[WB_EDIT_BYTES], text[2 * WB_EDIT_BYTES + 8];
  static const char *const binds[] = {"*", "/", "%", ".", "->", "::", "[", "(", NULL};
  if (i < 4 || (!wb_search_is(s, i, "-") && !wb_search_is(s, i, "/"))) return;
  if (!wb_search_token(s, i - 1)->is_word || !wb_search_token(s, i + 1)->is_word) return;
  size_t from = wb_search_is(s, i - 2, ".") ? i - 3 : i - 1;
  size_t to = wb_search_is(s, i + 2, ".") ? i + 4 : i + 2;
  bool is_part = wb_search_is_one_of(s, to, binds) ||
                 (wb_search_is_one_of(s, from - 1, binds) && !wb_search_is(s, from - 1, "(") &&
                  !wb_search_is(s, from - 1, "["));
  if (is_part || !wb_search_copy(s, from, i, a) || !wb_search_copy(s, i + 1, to, b)) return;
  snprintf(text, sizeof text, "%s %c %s", b, *wb_search_token(s, i)->text, a);
  wb_search_change(s, from, to, 4, text);
}

// atomicExch(p, v) stores without a look: atomicCAS(p, seen, v).
static void change_exchange(wb_search *s, size_t i) {
  char seen[NAME_BYTES], text[WB_EDIT_BYTES], place[WB_EDIT_BYTES];
  if (!wb_search_is(s, i, "atomicExch") || !wb_search_is(s, i + 1, "(")) return;
  size_t comma = i + 2;
  while (comma < s->list->n && !wb_search_is(s, comma, ",") && !wb_search_is(s, comma, ";"))
    comma++;
  if (!wb_search_is(s, comma, ",") || !wb_search_copy(s, i + 2, comma, place)) return;
  for (size_t k = s->n_names, n = 0; k-- > 0 && n < INDEX_NAMES; n++) {
    wb_search_spell(s, s->names[k], seen);
    if (snprintf(text, sizeof text, "atomicCAS(%s, %s,", place, seen) < WB_EDIT_BYTES)
      wb_search_change(s, i, comma + 1, 4, text);
  }
}

void wb_search_change_idioms(wb_search *s, size_t i) {
  change_block_place(s, i);
  change_block_result(s, i);
  change_step(s, i);
  change_stride(s, i);
  change_loop_start(s, i);
  change_whole_step(s, i);
  change_byte_place(s, i);
  change_alignment(s, i);
  change_lane_or_warp(s, i);
  change_first_step(s, i);
  change_lanes_below(s, i);
  change_compared(s, i);
  change_function(s, i);
  change_type(s, i);
  change_array(s, i);
  change_arguments(s, i);
  change_operands(s, i);
  change_exchange(s, i);
}
