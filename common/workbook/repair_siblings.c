// SPDX-License-Identifier: MIT
// repair_siblings.c - changes that copy what stands elsewhere in the text: the index of another
// element, a statement for the array that has none. See repair.h.
//
// Programs do the same to several arrays, and what was forgotten for one of them or copied from the
// wrong one stands beside it, as it should be.
#include <string.h>

#include "repair_search.h"

enum { MOST_INDICES = 6 };

// A float's name, behind its type or as `, top = ...`.
void wb_search_note_float(wb_search *s, size_t i, bool in_declaration) {
  bool is_first = wb_search_is(s, i - 1, "float") || wb_search_is(s, i - 1, "double");
  bool is_further = in_declaration && wb_search_is(s, i - 1, ",");
  if (!wb_search_token(s, i)->is_word || (!is_first && !is_further)) return;
  if (wb_search_is(s, i + 1, "[") || wb_search_is(s, i + 1, "(")) return;
  if (s->n_floats == MOST_NAMES)
    memmove(s->floats, s->floats + 1, --s->n_floats * sizeof *s->floats);
  s->floats[s->n_floats++] = i;
}

// --- indices -------------------------------------------------------------------------------------

// The token of the bracket that closes the one at `open`, or the end.
static size_t closing(const wb_search *s, size_t open) {
  int depth = 0;
  for (size_t i = open; i < s->list->n; i++) {
    depth += wb_search_is(s, i, "[") - wb_search_is(s, i, "]");
    if (depth == 0) return i;
  }
  return s->list->n;
}

// Whether the texts of tokens [a, a + n) and [b, b + n) are the same.
static bool are_same(const wb_search *s, size_t a, size_t b, size_t n) {
  for (size_t k = 0; k < n; k++)
    if (!wb_search_is_same(s, a + k, b + k)) return false;
  return true;
}

static bool is_known(const wb_search *s, const size_t *opens, size_t n, size_t open) {
  size_t length = closing(s, open) - open;
  for (size_t k = 0; k < n; k++)
    if (closing(s, opens[k]) - opens[k] == length && are_same(s, opens[k], open, length))
      return true;
  return false;
}

// An element of an array, and not its declaration.
static bool is_element(const wb_search *s, size_t i) {
  return wb_search_token(s, i)->is_word && wb_search_is(s, i + 1, "[") &&
         !wb_search_is_type(s, i - 1);
}

// in[first]: as in[first + c] elsewhere in the function, of this array or of another one.
void wb_search_change_index(wb_search *s, size_t i) {
  char text[WB_EDIT_BYTES];
  size_t opens[MOST_INDICES + 1] = {i + 1}, n = 1;
  if (!is_element(s, i)) return;
  for (size_t k = s->function; k < s->list->n && n <= MOST_INDICES; k++) {
    if (k > s->function && wb_search_is(s, k, "__global__")) break;
    if (!is_element(s, k) || is_known(s, opens, n, k + 1)) continue;
    size_t end = closing(s, k + 1);
    opens[n++] = k + 1;
    if (wb_search_copy(s, k + 2, end, text))
      wb_search_change(s, i + 2, closing(s, i + 1), wb_search_is_same(s, i, k) ? 4 : 6, text);
  }
}

// k < BINS;: for as many elements as an array has, where a loop walks over it.
void wb_search_change_bound(wb_search *s, size_t i) {
  char size[WB_EDIT_BYTES];
  if (!wb_search_is(s, i, "<") || !wb_search_is(s, i + 2, ";")) return;
  for (size_t k = 0; k < s->n_arrays; k++) {
    const size_t open = s->arrays[k] + 1, close = closing(s, open);
    const bool is_known = close == open + 2 && wb_search_is_same(s, open + 1, i + 1);
    if (!wb_search_is(s, open, "[") || close == open + 1 || is_known) continue;
    if (wb_search_copy(s, open + 1, close, size)) wb_search_change(s, i + 1, i + 2, 4, size);
  }
}

// --- statements ----------------------------------------------------------------------------------

static const char *const assigns[] = {
    "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "%=", "++", "--", "<<=", ">>=", NULL};

// Whether anything can have been stored in the array that is declared at token `at`: an element is
// assigned, or it is handed on as a whole.
static bool is_stored(const wb_search *s, size_t at) {
  for (size_t i = at + 1; i < s->list->n && !wb_search_is(s, i, "__global__"); i++) {
    if (!wb_search_is_same(s, i, at)) continue;
    if (!wb_search_is(s, i + 1, "[") || wb_search_is(s, i - 1, "&")) return true;
    size_t end = closing(s, i + 1) + 1;
    if (wb_token_is_one_of(wb_search_token(s, end), assigns)) return true;
  }
  return false;
}

// const float *in: tokens leave the word out.
bool wb_search_is_const(const wb_search *s, size_t at) {
  size_t type = at - 1;
  while (type > 0 && (wb_search_is(s, type, "*") || wb_search_is_type(s, type - 1))) type--;
  const char *end = wb_search_token(s, type)->text;
  while (end > s->text && (end[-1] == ' ' || end[-1] == '\n')) end--;
  return wb_search_ends_with(s->text, end, "const");
}

// Tokens [i, end) with `array` in place of the array at token `from`; and, if asked, maxima for
// minima. False: too long.
static bool copy_for(const wb_search *s, size_t i, size_t end, size_t from, size_t array,
                     bool opposite, char out[WB_EDIT_BYTES]) {
  static const char *const pairs[][2] = {
      {"fmaxf", "fminf"}, {"fminf", "fmaxf"}, {"max", "min"}, {"min", "max"}};
  size_t used = 0;
  bool has_pair = false;
  for (size_t k = i; k < end; k++) {
    const wb_token *t = wb_search_token(s, wb_search_is_same(s, k, from) ? array : k);
    const char *word = t->text;
    size_t length = t->whole;
    for (size_t p = 0; p < 4 && opposite; p++)
      if (wb_search_is(s, k + 1, "(") && wb_token_is(t, pairs[p][0]))
        word = pairs[p][1], length = strlen(word), has_pair = true;
    if (used + length + 2 > WB_EDIT_BYTES) return false;
    memcpy(out + used, word, length);
    used += length;
    out[used++] = ' ';
  }
  out[used] = '\0';
  return has_pair == opposite;
}

// low[t] = ...;: the same for high, behind it and before it.
static void repeat_for_arrays(wb_search *s, size_t i, size_t end) {
  char text[WB_EDIT_BYTES];
  for (size_t k = 0; k < s->n_arrays; k++)
    for (int opposite = 0; opposite < 2; opposite++) {
      if (wb_search_is_same(s, s->arrays[k], i) || wb_search_is_const(s, s->arrays[k])) continue;
      if (!copy_for(s, i, end, i, s->arrays[k], opposite == 1, text)) continue;
      unsigned rank = is_stored(s, s->arrays[k]) ? 5 : 1;
      wb_search_change(s, i, i, rank, text);
      wb_search_change(s, end, end, rank, text);
    }
}

// places[warp] = index;: the same place of an array in which nothing is stored, and each value.
static void store_values(wb_search *s, size_t i, size_t end) {
  char text[WB_EDIT_BYTES], array[NAME_BYTES], value[NAME_BYTES], place[WB_EDIT_BYTES];
  size_t close = closing(s, i + 1);
  if (!wb_search_is(s, close + 1, "=") || !wb_search_copy(s, i + 2, close, place)) return;
  for (size_t k = 0; k < s->n_arrays; k++) {
    if (wb_search_is_const(s, s->arrays[k]) || is_stored(s, s->arrays[k])) continue;
    wb_search_spell(s, s->arrays[k], array);
    for (size_t v = 0; v < s->n_names + s->n_floats; v++) {
      wb_search_spell(s, v < s->n_names ? s->names[v] : s->floats[v - s->n_names], value);
      if (snprintf(text, sizeof text, "%s[%s] = %s; ", array, place, value) < WB_EDIT_BYTES)
        wb_search_change(s, end, end, 1, text);
    }
  }
}

// values[t] = mine;, which stands somewhere: again behind mine = ...;.
static void store_again(wb_search *s, size_t i, size_t end) {
  char text[WB_EDIT_BYTES];
  if (!wb_search_is_simple(s, i) || !wb_token_is_one_of(wb_search_token(s, i + 1), assigns)) return;
  for (size_t k = s->function; k < s->list->n && !wb_search_is(s, k, "__global__"); k++) {
    const size_t value = is_element(s, k) ? closing(s, k + 1) + 2 : 0;
    if (value == 0 || !wb_search_is(s, value - 1, "=") || !wb_search_is_same(s, value, i) ||
        !wb_search_is(s, value + 1, ";") || k == end)
      continue;
    if (wb_search_copy(s, k, value + 2, text)) wb_search_change(s, end, end, 4, text);
  }
}

bool wb_search_is_assigned(const wb_search *s, size_t i) {
  return is_element(s, i) && wb_token_is_one_of(wb_search_token(s, closing(s, i + 1) + 1), assigns);
}

void wb_search_change_sibling(wb_search *s, size_t i, size_t end) {
  store_again(s, i, end);
  if (!wb_search_is_assigned(s, i)) return;
  repeat_for_arrays(s, i, end);
  store_values(s, i, end);
}
