// SPDX-License-Identifier: MIT
// nearest.c - two CUDA texts compared as tokens: see nearest.h.
//
// The longest common subsequence aligns them. A name that only one of them uses matches a name that
// only the other uses, and always the same one. Not modelled: what the tokens mean; a program that
// is right in another form differs in many places, and then no advice is given.
#include "nearest.h"
#include "nearest_tokens.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  MOST_COMPARED = 1500, // of each text, without what is equal at both ends
  MOST_DIFFERENT = 28,  // tokens of both in the one place
  MOST_LINES = 2,       // of the judged text, that it may begin and end in
  NEAR_TOKENS = 24      // what is nearer to each other is one place
};

// Whether a name is declared at this token: behind a type, or in a list of declarations.
static bool is_declared_at(const wb_token_list *list, size_t at) {
  static const char *const before[] = {",", "*", "&", NULL}, *const behind[] = {"=", ";", "[",
                                                                                NULL};
  static const char *const not_types[] = {"return", "else", "case", NULL};
  if (at == 0 || at + 1 >= list->n) return false;
  const wb_token *t = &list->at[at];
  if (t[-1].is_word) return !wb_token_is_one_of(t - 1, not_types);
  return wb_token_is_one_of(t - 1, before) && wb_token_is_one_of(t + 1, behind);
}

static bool same_text(const wb_token *a, const wb_token *b) {
  return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

// Own are the names that a text declares itself and that the other one does not have.
static void mark_own_names(wb_token_list *list, const wb_token_list *other) {
  for (size_t i = 0; i < list->n; i++) {
    wb_token *t = &list->at[i];
    bool is_declared = false;
    for (size_t k = 0; k < list->n && t->is_word && !is_declared; k++)
      is_declared = same_text(&list->at[k], t) && is_declared_at(list, k);
    t->is_own = is_declared;
    for (size_t k = 0; k < other->n && t->is_own; k++) t->is_own = !same_text(&other->at[k], t);
  }
}

// --- alignment --------------------------------------------------------------------------------

static bool match(const wb_token *a, const wb_token *b) {
  static const char *const integers[] = {"int", "unsigned", "size_t", "auto", NULL};
  if (same_text(a, b)) return true;
  if (a->is_own && b->is_own) return true;
  return wb_token_is_one_of(a, integers) && wb_token_is_one_of(b, integers);
}

// What lies between the places where two texts begin and cease to differ.
typedef struct place {
  size_t a_from, a_to, b_from, b_to; // token numbers; a: judged, b: right
  size_t n_different;
} place;

typedef struct alignment {
  const wb_token_list *a, *b;
  place found;
  size_t n_places;
} alignment;

// One more token that has no partner, behind `a` and `b` tokens of the texts.
static void add_difference(alignment *x, size_t a, size_t b, bool of_a) {
  place *p = &x->found;
  bool is_near = x->n_places > 0 && a - p->a_to <= NEAR_TOKENS && b - p->b_to <= NEAR_TOKENS;
  if (!is_near) {
    x->n_places++;
    *p = (place){a, a, b, b, 0};
  }
  p->a_to = a + of_a;
  p->b_to = b + !of_a;
  p->n_different++;
}

// Walks along the longest common subsequence of a[from, a_end) and b[from, b_end).
static bool walk(alignment *x, size_t from, size_t a_end, size_t b_end) {
  size_t n = a_end - from, m = b_end - from, row = m + 1;
  if (n > MOST_COMPARED || m > MOST_COMPARED) return false;
  uint16_t *longest = calloc((n + 1) * row, sizeof *longest);
  if (!longest) return false;
  const wb_token *a = x->a->at + from, *b = x->b->at + from;
  for (size_t i = n; i-- > 0;)
    for (size_t k = m; k-- > 0;) {
      uint16_t down = longest[(i + 1) * row + k], right = longest[i * row + k + 1];
      longest[i * row + k] = match(&a[i], &b[k]) ? (uint16_t)(longest[(i + 1) * row + k + 1] + 1)
                             : down > right      ? down
                                                 : right;
    }
  for (size_t i = 0, k = 0; i < n || k < m;) {
    if (i < n && k < m && match(&a[i], &b[k])) i++, k++;
    else if (k == m || (i < n && longest[(i + 1) * row + k] >= longest[i * row + k + 1]))
      add_difference(x, from + i++, from + k, true);
    else add_difference(x, from + i, from + k++, false);
  }
  free(longest);
  return true;
}

// A name that stands for one of the other's must do so everywhere.
static bool names_agree(const wb_token_list *a, const wb_token_list *b, const place *p) {
  for (size_t i = 0; i < a->n; i++) {
    if (i >= p->a_from && i < p->a_to) i = p->a_to;
    if (i >= a->n || !a->at[i].is_own) continue;
    const wb_token *partner = &b->at[i < p->a_from ? i : i - p->a_to + p->b_to];
    for (size_t k = 0; k < i; k++) {
      if (k >= p->a_from && k < p->a_to) continue;
      const wb_token *other = &b->at[k < p->a_from ? k : k - p->a_to + p->b_to];
      if (a->at[k].is_own && same_text(&a->at[k], &a->at[i]) != same_text(other, partner))
        return false;
    }
  }
  return true;
}

static bool find_place(const wb_token_list *a, const wb_token_list *b, place *out) {
  size_t from = 0, a_end = a->n, b_end = b->n;
  while (from < a_end && from < b_end && match(&a->at[from], &b->at[from])) from++;
  while (a_end > from && b_end > from && match(&a->at[a_end - 1], &b->at[b_end - 1]))
    a_end--, b_end--;
  alignment x = {.a = a, .b = b};
  if (!walk(&x, from, a_end, b_end) || x.n_places != 1) return false;
  *out = x.found;
  if (out->n_different > MOST_DIFFERENT) return false;
  if (out->a_to > out->a_from && a->at[out->a_to - 1].line - a->at[out->a_from].line >= MOST_LINES)
    return false;
  return names_agree(a, b, out);
}

// --- what kind it is --------------------------------------------------------------------------

static bool has(const wb_token_list *list, size_t from, size_t to, const char *const *texts) {
  for (size_t i = from; i < to; i++)
    if (wb_token_is_one_of(&list->at[i], texts)) return true;
  return false;
}

static bool either_has(const wb_token_list *a, const wb_token_list *b, const place *p,
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

static bool is_mask(const wb_token_list *b, const place *p) {
  unsigned argument;
  const wb_token *call = call_of(b, p->b_from, &argument);
  return call && argument == 0 && wb_token_ends(call, "_sync");
}

static bool in_atomic_call(const wb_token_list *b, const place *p) {
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
static bool is_alternative(const wb_token_list *b, const place *p) {
  size_t i = p->b_from;
  while (i > 0 && (wb_token_is(&b->at[i - 1], "-") || wb_token_is(&b->at[i - 1], "+"))) i--;
  return i > 0 && wb_token_is(&b->at[i - 1], ":");
}

// The right text's own: whole, and missing in the judged one.
static bool is_statement(const wb_token_list *b, const place *p) {
  return p->a_from == p->a_to && wb_token_is(&b->at[p->b_to - 1], ";") && p->b_from > 0 &&
         (wb_token_is(&b->at[p->b_from - 1], ";") || wb_token_is(&b->at[p->b_from - 1], "{") ||
          wb_token_is(&b->at[p->b_from - 1], "}"));
}

// One of `texts` stands before the place, in the same comparison.
static bool follows_one_of(const wb_token_list *b, const place *p, const char *const *texts) {
  static const char *const ends[] = {";",  ",",  "(", ")",  "{", "?",
                                     "&&", "||", "=", "+=", "[", NULL};
  for (size_t i = p->b_from; i-- > 0 && !wb_token_is_one_of(&b->at[i], ends);)
    if (wb_token_is_one_of(&b->at[i], texts)) return true;
  return false;
}

// A summand too many or too few of what stands before one of `texts`.
static bool precedes_one_of(const wb_token_list *a, const place *p, const char *const *texts) {
  static const char *const ends[] = {";", ",", ")", "]", "{", "?", ":", "&&", "||", "=", NULL};
  if (p->a_from < p->a_to && p->b_from < p->b_to) return false;
  for (size_t i = p->a_to; i < a->n && !wb_token_is_one_of(&a->at[i], ends); i++)
    if (wb_token_is_one_of(&a->at[i], texts)) return true;
  return false;
}

static bool in_statement_with(const wb_token_list *b, const place *p, const char *const *texts) {
  size_t from = p->b_from, to = p->b_to;
  while (from > 0 && !wb_token_is(&b->at[from - 1], ";") && !wb_token_is(&b->at[from - 1], "{"))
    from--;
  while (to < b->n && !wb_token_is(&b->at[to], ";") && !wb_token_is(&b->at[to], "{")) to++;
  return has(b, from, to, texts);
}

// The whole of what a variable begins with, but for a loop's.
static bool is_start(const wb_token_list *b, const place *p) {
  static const char *const ends[] = {";", ",", NULL};
  unsigned argument;
  const wb_token *call = call_of(b, p->b_from, &argument);
  if (call && wb_token_is(call, "for")) return false;
  return p->b_to == p->b_from + 1 && p->b_from > 0 && p->b_to < b->n &&
         wb_token_is(&b->at[p->b_from - 1], "=") && wb_token_is_one_of(&b->at[p->b_to], ends);
}

// The right text's own: the value that a variable begins with.
static bool is_missing_start(const wb_token_list *b, const place *p) {
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
static bool is_exchange(const wb_token_list *a, const wb_token_list *b, const place *p,
                        const char *const *texts) {
  return p->a_to == p->a_from + 1 && p->b_to == p->b_from + 1 &&
         has(a, p->a_from, p->a_to, texts) && has(b, p->b_from, p->b_to, texts);
}

// One name for another, of what an index follows.
static bool is_other_array(const wb_token_list *a, const wb_token_list *b, const place *p) {
  return p->a_to == p->a_from + 1 && p->b_to == p->b_from + 1 && p->a_to < a->n && p->b_to < b->n &&
         a->at[p->a_from].is_word && b->at[p->b_from].is_word &&
         wb_token_is(&a->at[p->a_to], "[") && wb_token_is(&b->at[p->b_to], "[");
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

static bool same_texts(const wb_token_list *a, size_t a_at, const wb_token_list *b, size_t b_at,
                       size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!same_text(&a->at[a_at + i], &b->at[b_at + i])) return false;
  return true;
}

// Two neighbouring arguments of a call, interchanged: x, y for y, x.
static bool is_turned(const wb_token_list *a, const wb_token_list *b, const place *p) {
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

static wb_difference_kind kind_of(const wb_token_list *a, const wb_token_list *b, const place *p) {
  static const char *const barriers[] = {"__syncthreads", "__syncwarp", "sync", NULL};
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
  if (is_exchange(a, b, p, assignments)) return WB_DIFFERENCE_OPERATOR;
  if (in_atomic_call(b, p)) return WB_DIFFERENCE_ATOMIC;
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

// The judged text's tokens of the place with blanks as they stand there, on one line.
static void quote(const wb_token_list *a, const place *p, char *out, size_t out_bytes) {
  *out = '\0';
  for (size_t i = p->a_from, used = 0; i < p->a_to; i++) {
    const wb_token *t = &a->at[i];
    bool is_apart = i > p->a_from && t->text > t[-1].text + t[-1].whole;
    if (used + t->whole + 2 > out_bytes) return;
    used += (size_t)snprintf(out + used, out_bytes - used, "%s%.*s", is_apart ? " " : "",
                             (int)t->whole, t->text);
  }
}

static bool compare(wb_token_list *a, wb_token_list *b, bool without_braces, wb_difference *out) {
  place p;
  wb_tokens_simplify(a, without_braces);
  wb_tokens_simplify(b, without_braces);
  mark_own_names(a, b);
  mark_own_names(b, a);
  if (!find_place(a, b, &p)) return false;
  *out = (wb_difference){
      .kind = kind_of(a, b, &p), .is_missing = p.a_from == p.a_to, .is_extra = p.b_from == p.b_to};
  out->line = a->at[p.a_from < a->n ? p.a_from : a->n - 1].line;
  out->line_before = a->at[p.a_from > 0 ? p.a_from - 1 : 0].line;
  quote(a, &p, out->own, sizeof out->own);
  return true;
}

bool wb_nearest_difference(const char *judged, const char *right, wb_difference *out) {
  wb_token_list *lists = malloc(2 * sizeof *lists);
  bool found = false;
  if (!lists) return false;
  for (int without_braces = 0; without_braces < 2 && !found; without_braces++) {
    wb_tokens_read(judged, &lists[0]);
    wb_tokens_read(right, &lists[1]);
    bool is_whole = lists[0].n > 0 && lists[0].n < WB_TOKENS && lists[1].n < WB_TOKENS;
    found = is_whole && compare(&lists[0], &lists[1], without_braces, out);
  }
  free(lists);
  return found;
}
