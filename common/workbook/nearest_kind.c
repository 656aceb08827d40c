// SPDX-License-Identifier: MIT
// nearest_kind.c - what kind of thing it is that differs between two texts in one place: the first
// that fits, from the tokens there and around. See nearest.h.
#include "nearest_kind.h"

#include <ctype.h>

static bool has(const wb_token_list *list, size_t from, size_t to, const char *const *texts) {
  for (size_t i = from; i < to; i++)
    if (wb_token_is_one_of(&list->at[i], texts)) return true;
  return false;
}

static bool either_has(const wb_token_list *a, const wb_token_list *b, const wb_place *p,
                       const char *const *texts) {
  return has(a, p->a_from, p->a_to, texts) || has(b, p->b_from, p->b_to, texts);
}

static bool has_atomic(const wb_token_list *list, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (wb_token_begins(&list->at[i], "atomic")) return true;
  return false;
}

// The name of the call whose argument number `argument` begins at token `at`, or NULL.
static const wb_token *call_of(const wb_token_list *list, size_t at, unsigned *argument) {
  int depth = 0;
  *argument = 0;
  for (size_t i = at; i-- > 0 && !wb_token_is(&list->at[i], ";");) {
    const wb_token *t = &list->at[i];
    if (wb_token_is(t, ")") || wb_token_is(t, "]")) depth++;
    else if (wb_token_is(t, "[")) depth--;
    else if (wb_token_is(t, ",") && depth == 0) (*argument)++;
    else if (wb_token_is(t, "(") && depth-- == 0) return i > 0 && t[-1].is_word ? t - 1 : NULL;
  }
  return NULL;
}

static bool is_mask(const wb_token_list *b, const wb_place *p) {
  unsigned argument;
  const wb_token *call = call_of(b, p->b_from, &argument);
  return call && argument == 0 && wb_token_ends(call, "_sync");
}

static bool in_atomic_call(const wb_token_list *b, const wb_place *p) {
  unsigned argument;
  const wb_token *call = call_of(b, p->b_from, &argument);
  return call && wb_token_begins(call, "atomic");
}

// Between [ and ].
static bool in_index(const wb_token_list *list, size_t at) {
  int depth = 0;
  for (size_t i = at; i-- > 0 && !wb_token_is(&list->at[i], ";");) {
    if (wb_token_is(&list->at[i], "]")) depth++;
    if (wb_token_is(&list->at[i], "[") && depth-- == 0) return true;
  }
  return false;
}

// Behind the : of ?: and before the end of that expression.
static bool is_alternative(const wb_token_list *b, const wb_place *p) {
  size_t i = p->b_from;
  static const char *const ends[] = {";", ",", ")", NULL};
  while (i > 0 && (wb_token_is(&b->at[i - 1], "-") || wb_token_is(&b->at[i - 1], "+"))) i--;
  if (i == 0 || !wb_token_is(&b->at[i - 1], ":")) return false;
  while (wb_token_is(&b->at[i], "-") || wb_token_is(&b->at[i], "+")) i++;
  return i + 1 >= b->n || wb_token_is_one_of(&b->at[i + 1], ends); // one value, not a product
}

// The right text's own: whole, and missing in the judged one.
static bool is_statement(const wb_token_list *b, const wb_place *p) {
  return p->a_from == p->a_to && wb_token_is(&b->at[p->b_to - 1], ";") && p->b_from > 0 &&
         (wb_token_is(&b->at[p->b_from - 1], ";") || wb_token_is(&b->at[p->b_from - 1], "{") ||
          wb_token_is(&b->at[p->b_from - 1], "}"));
}

// One of `texts` stands before the place, in the same comparison.
static bool follows_one_of(const wb_token_list *b, const wb_place *p, const char *const *texts) {
  static const char *const ends[] = {";",  ",",  "(", ")",  "{", "?",
                                     "&&", "||", "=", "+=", "[", NULL};
  for (size_t i = p->b_from; i-- > 0 && !wb_token_is_one_of(&b->at[i], ends);)
    if (wb_token_is_one_of(&b->at[i], texts)) return true;
  return false;
}

// A summand too many or too few of what stands before one of `texts`.
static bool precedes_one_of(const wb_token_list *a, const wb_place *p, const char *const *texts) {
  static const char *const ends[] = {";", ",", ")", "]", "{", "?", ":", "&&", "||", "=", NULL};
  if (p->a_from < p->a_to && p->b_from < p->b_to) return false;
  for (size_t i = p->a_to; i < a->n && !wb_token_is_one_of(&a->at[i], ends); i++)
    if (wb_token_is_one_of(&a->at[i], texts)) return true;
  return false;
}

static bool in_statement_with(const wb_token_list *b, const wb_place *p, const char *const *texts) {
  size_t from = p->b_from, to = p->b_to;
  while (from > 0 && !wb_token_is(&b->at[from - 1], ";") && !wb_token_is(&b->at[from - 1], "{"))
    from--;
  while (to < b->n && !wb_token_is(&b->at[to], ";") && !wb_token_is(&b->at[to], "{")) to++;
  return has(b, from, to, texts);
}

// A type, or one in parentheses, with nothing in its place.
static bool is_type(const wb_token_list *list, size_t from, size_t to) {
  static const char *const types[] = {"int",   "unsigned", "size_t", "float", "double",
                                      "short", "char",     "long",   "bool",  "signed",
                                      "(",     ")",        NULL};
  for (size_t i = from; i < to; i++)
    if (!wb_token_is_one_of(&list->at[i], types)) return false;
  return from == to || list->at[to - 1].is_word || wb_token_is(&list->at[from], "(");
}

// The whole of what a variable begins with, but for a loop's.
static bool is_start(const wb_token_list *b, const wb_place *p) {
  static const char *const ends[] = {";", ",", NULL}, *const breaks[] = {";", "{", "}", NULL};
  unsigned argument;
  size_t begin = p->b_from;
  const wb_token *call = call_of(b, p->b_from, &argument);
  while (begin > 0 && !wb_token_is_one_of(&b->at[begin - 1], breaks)) begin--;
  if ((call && wb_token_is(call, "for")) || !is_type(b, begin, begin + 1)) return false;
  return p->b_to == p->b_from + 1 && p->b_from > 0 && p->b_to < b->n &&
         wb_token_is(&b->at[p->b_from - 1], "=") && wb_token_is_one_of(&b->at[p->b_to], ends);
}

// The right text's own: the value that a variable begins with.
static bool is_missing_start(const wb_token_list *b, const wb_place *p) {
  static const char *const ends[] = {";", ",", NULL};
  return p->a_from == p->a_to && p->b_from > 0 && p->b_to < b->n && b->at[p->b_from - 1].is_word &&
         wb_token_is(&b->at[p->b_from], "=") && wb_token_is_one_of(&b->at[p->b_to], ends);
}

static bool all_numbers(const wb_token_list *list, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (!isdigit((unsigned char)*list->at[i].text)) return false;
  return to > from;
}

// One token for another of which both are in `texts`.
static bool is_exchange(const wb_token_list *a, const wb_token_list *b, const wb_place *p,
                        const char *const *texts) {
  return p->a_to == p->a_from + 1 && p->b_to == p->b_from + 1 &&
         has(a, p->a_from, p->a_to, texts) && has(b, p->b_from, p->b_to, texts);
}

// One name for another, of what an index follows.
static bool is_other_array(const wb_token_list *a, const wb_token_list *b, const wb_place *p) {
  return p->a_to == p->a_from + 1 && p->b_to == p->b_from + 1 && p->a_to < a->n && p->b_to < b->n &&
         a->at[p->a_from].is_word && b->at[p->b_from].is_word &&
         wb_token_is(&a->at[p->a_to], "[") && wb_token_is(&b->at[p->b_to], "[");
}

static bool same_texts(const wb_token_list *a, size_t a_at, const wb_token_list *b, size_t b_at,
                       size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!wb_token_same(&a->at[a_at + i], &b->at[b_at + i])) return false;
  return true;
}

// Two neighbouring arguments of a call, interchanged: x, y for y, x.
static bool is_turned(const wb_token_list *a, const wb_token_list *b, const wb_place *p) {
  const size_t n = p->a_to - p->a_from;
  unsigned argument;
  if (n < 3 || p->b_to - p->b_from != n || !call_of(b, p->b_from, &argument)) return false;
  for (size_t x = 1; x + 1 < n; x++) { // tokens of the first; a comma; the rest
    const size_t y = n - x - 1;
    if (wb_token_is(&a->at[p->a_from + x], ",") && wb_token_is(&b->at[p->b_from + y], ",") &&
        same_texts(a, p->a_from, b, p->b_from + y + 1, x) &&
        same_texts(a, p->a_from + x + 1, b, p->b_from, y))
      return true;
  }
  return false;
}

// What both texts have alike before and behind the place belongs to its statements, too.
static wb_place with_whole_statements(const wb_token_list *a, const wb_place *p) {
  static const char *const ends[] = {";", "{", "}", NULL};
  wb_place whole = *p;
  while (whole.a_from > 0 && whole.b_from > 0 &&
         !wb_token_is_one_of(&a->at[whole.a_from - 1], ends))
    whole.a_from--, whole.b_from--;
  while (whole.a_to < a->n && whole.a_to > 0 && !wb_token_is(&a->at[whole.a_to - 1], ";"))
    whole.a_to++, whole.b_to++;
  return whole;
}

// Two neighbouring statements, interchanged.
static bool is_reordered(const wb_token_list *a, const wb_token_list *b, const wb_place *part) {
  const wb_place whole = with_whole_statements(a, part), *p = &whole;
  const size_t n = p->a_to - p->a_from;
  if (n < 4 || p->b_to > b->n || p->b_to - p->b_from != n) return false;
  for (size_t x = 1; x + 1 < n; x++) // tokens of the first
    if (wb_token_is(&a->at[p->a_from + x - 1], ";") &&
        same_texts(a, p->a_from, b, p->b_to - x, x) &&
        same_texts(a, p->a_from + x, b, p->b_from, n - x))
      return true;
  return false;
}

// One number for another in tiled_partition<32>.
static bool is_template_number(const wb_token_list *a, const wb_token_list *b, const wb_place *p) {
  return all_numbers(a, p->a_from, p->a_to) && all_numbers(b, p->b_from, p->b_to) &&
         p->a_from > 0 && p->a_to < a->n && wb_token_is(&a->at[p->a_from - 1], "<") &&
         wb_token_is(&a->at[p->a_to], ">");
}

wb_difference_kind wb_nearest_kind(const wb_token_list *a, const wb_token_list *b,
                                   const wb_place *p) {
  static const char *const barriers[] = {"__syncthreads", "__syncwarp", "sync", NULL};
  static const char *const shuffles[] = {"__shfl_sync",
                                         "__shfl_up_sync",
                                         "__shfl_down_sync",
                                         "__shfl_xor_sync",
                                         "shfl",
                                         "shfl_up",
                                         "shfl_down",
                                         "shfl_xor",
                                         "down",
                                         NULL};
  static const char *const conversions[] = {"__float_as_uint", "__uint_as_float", "__float_as_int",
                                            "__int_as_float", NULL};
  static const char *const conditions[] = {"if", "&&", "||", "return", "else", "while", NULL};
  static const char *const comparisons[] = {"<", "<=", ">", ">=", "==", "!=", NULL};
  static const char *const limits[] = {"INFINITY", "NAN", "FLT_MAX", "FLT_MIN", NULL};
  static const char *const places[] = {"threadIdx", "blockIdx", "thread_rank", NULL};
  static const char *const sizes[] = {"blockDim", "gridDim", NULL}, *const sums[] = {"+=", NULL};
  static const char *const arithmetic[] = {
      "+", "-", "*", "/", "%", "+=", "-=", "*=", "/=", "=", "&", "|", "^", "<<", ">>", NULL};
  static const char *const assignments[] = {"=", "+=", "-=", "*=", "/=", "|=", "&=", NULL};
  if (is_reordered(a, b, p)) return WB_DIFFERENCE_ORDER;
  if (has(a, p->a_from, p->a_to, shuffles) && has(b, p->b_from, p->b_to, shuffles))
    return WB_DIFFERENCE_SHUFFLE;
  if (either_has(a, b, p, barriers)) return WB_DIFFERENCE_BARRIER;
  if (is_missing_start(b, p)) return WB_DIFFERENCE_START;
  if (is_statement(b, p)) return WB_DIFFERENCE_STATEMENT;
  if (is_turned(a, b, p)) return WB_DIFFERENCE_ARGUMENTS;
  if (is_mask(b, p)) return WB_DIFFERENCE_MASK;
  if (has_atomic(a, p->a_from, p->a_to)) return WB_DIFFERENCE_ATOMIC;
  if (has_atomic(b, p->b_from, p->b_to)) return WB_DIFFERENCE_NO_ATOMIC;
  if (has(a, p->a_from, p->a_to, conversions) != has(b, p->b_from, p->b_to, conversions))
    return WB_DIFFERENCE_CONVERSION;
  if (is_type(a, p->a_from, p->a_to) && is_type(b, p->b_from, p->b_to)) return WB_DIFFERENCE_TYPE;
  if (is_template_number(a, b, p)) return WB_DIFFERENCE_NUMBER;
  if (is_exchange(a, b, p, assignments)) return WB_DIFFERENCE_OPERATOR;
  if (p->a_from < p->a_to && in_atomic_call(b, p)) return WB_DIFFERENCE_ATOMIC;
  if (either_has(a, b, p, conditions)) return WB_DIFFERENCE_CONDITION;
  if (either_has(a, b, p, comparisons)) return WB_DIFFERENCE_COMPARISON;
  if (either_has(a, b, p, limits) || is_alternative(b, p) || is_start(b, p))
    return WB_DIFFERENCE_IDENTITY;
  if (follows_one_of(b, p, comparisons) || precedes_one_of(a, p, comparisons))
    return WB_DIFFERENCE_COMPARISON;
  if (is_other_array(a, b, p)) return WB_DIFFERENCE_ARRAY;
  if (either_has(a, b, p, sizes) && in_statement_with(b, p, sums) && !in_index(b, p->b_from))
    return WB_DIFFERENCE_STEP;
  if (in_index(b, p->b_from) || in_statement_with(b, p, places)) return WB_DIFFERENCE_INDEX;
  if (all_numbers(a, p->a_from, p->a_to) && all_numbers(b, p->b_from, p->b_to))
    return WB_DIFFERENCE_NUMBER;
  if (p->a_to > p->a_from && p->b_to > p->b_from && p->n_different == 2 &&
      either_has(a, b, p, arithmetic))
    return WB_DIFFERENCE_OPERATOR;
  static const char *const ends[] = {";", NULL};
  return either_has(a, b, p, ends) ? WB_DIFFERENCE_STATEMENT : WB_DIFFERENCE_OTHER;
}
