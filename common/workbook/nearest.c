// SPDX-License-Identifier: MIT
// nearest.c - two CUDA texts compared as tokens: see nearest.h.
//
// The longest common subsequence aligns them. A name that only one of them uses matches a name that
// only the other uses, and always the same one. Not modelled: what the tokens mean; a program that
// is right in another form differs in many places, and then no advice is given.
#include "nearest.h"
#include "nearest_kind.h"

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

// Own are the names that a text declares itself and that the other one does not have.
static void mark_own_names(wb_token_list *list, const wb_token_list *other) {
  for (size_t i = 0; i < list->n; i++) {
    wb_token *t = &list->at[i];
    bool is_declared = false;
    for (size_t k = 0; k < list->n && t->is_word && !is_declared; k++)
      is_declared = wb_token_same(&list->at[k], t) && is_declared_at(list, k);
    t->is_own = is_declared;
    for (size_t k = 0; k < other->n && t->is_own; k++) t->is_own = !wb_token_same(&other->at[k], t);
  }
}

// --- alignment --------------------------------------------------------------------------------

static bool match(const wb_token *a, const wb_token *b) {
  static const char *const integers[] = {"int", "unsigned", "size_t", "auto", NULL};
  if (wb_token_same(a, b)) return true;
  if (a->is_own && b->is_own) return true;
  return wb_token_is_one_of(a, integers) && wb_token_is_one_of(b, integers);
}

typedef struct alignment {
  const wb_token_list *a, *b;
  wb_place found;
  size_t n_places;
} alignment;

// One more token that has no partner, behind `a` and `b` tokens of the texts.
static void add_difference(alignment *x, size_t a, size_t b, bool of_a) {
  wb_place *p = &x->found;
  bool is_near = x->n_places > 0 && a - p->a_to <= NEAR_TOKENS && b - p->b_to <= NEAR_TOKENS;
  if (!is_near) {
    x->n_places++;
    *p = (wb_place){a, a, b, b, 0};
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
static bool names_agree(const wb_token_list *a, const wb_token_list *b, const wb_place *p) {
  for (size_t i = 0; i < a->n; i++) {
    if (i >= p->a_from && i < p->a_to) i = p->a_to;
    if (i >= a->n || !a->at[i].is_own) continue;
    const wb_token *partner = &b->at[i < p->a_from ? i : i - p->a_to + p->b_to];
    for (size_t k = 0; k < i; k++) {
      if (k >= p->a_from && k < p->a_to) continue;
      const wb_token *other = &b->at[k < p->a_from ? k : k - p->a_to + p->b_to];
      if (a->at[k].is_own && wb_token_same(&a->at[k], &a->at[i]) != wb_token_same(other, partner))
        return false;
    }
  }
  return true;
}

static bool find_place(const wb_token_list *a, const wb_token_list *b, wb_place *out) {
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

// The end of the judged text's tokens of the place, and of the parentheses that they open.
static size_t quoted_end(const wb_token_list *a, const wb_place *p) {
  size_t end = p->a_to;
  int depth = 0;
  for (size_t i = p->a_from; i < end; i++)
    depth += wb_token_is(&a->at[i], "(") - wb_token_is(&a->at[i], ")");
  while (depth-- > 0 && end > p->a_from && end < a->n && wb_token_is(&a->at[end], ")")) end++;
  return end;
}

// Those tokens with blanks as they stand there, on one line.
static void quote(const wb_token_list *a, const wb_place *p, char *out, size_t out_bytes) {
  const size_t end = quoted_end(a, p);
  *out = '\0';
  for (size_t i = p->a_from, used = 0; i < end; i++) {
    const wb_token *t = &a->at[i];
    bool is_apart = i > p->a_from && t->text > t[-1].text + t[-1].whole;
    if (used + t->whole + sizeof " ..." + 1 > out_bytes) {
      snprintf(out + used, out_bytes - used, " ...");
      return;
    }
    used += (size_t)snprintf(out + used, out_bytes - used, "%s%.*s", is_apart ? " " : "",
                             (int)t->whole, t->text);
  }
}

static bool compare(wb_token_list *a, wb_token_list *b, bool without_braces, wb_difference *out) {
  wb_place p;
  wb_tokens_simplify(a, without_braces);
  wb_tokens_simplify(b, without_braces);
  mark_own_names(a, b);
  mark_own_names(b, a);
  if (!find_place(a, b, &p)) return false;
  *out = (wb_difference){.kind = wb_nearest_kind(a, b, &p),
                         .is_missing = p.a_from == p.a_to,
                         .is_extra = p.b_from == p.b_to};
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
