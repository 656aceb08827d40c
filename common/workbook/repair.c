// SPDX-License-Identifier: MIT
// repair.c - the changes that may mend a program, found in its tokens: see repair.h.
//
// What is changed is what people get wrong: bounds by one, the other comparison, a stride, a mask,
// a number of lanes, part of an index, a neutral element, a guard or a barrier too few or too many.
// A change that does not compile or does not help costs time, and nothing else.
#include "repair.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "repair_search.h"

const wb_token *wb_search_token(const wb_search *s, size_t i) {
  static const wb_token none = {.text = ";", .length = 1, .whole = 1};
  return i < s->list->n ? &s->list->at[i] : &none;
}

bool wb_search_is(const wb_search *s, size_t i, const char *text) {
  return wb_token_is(wb_search_token(s, i), text);
}

bool wb_search_is_one_of(const wb_search *s, size_t i, const char *const *texts) {
  return wb_token_is_one_of(wb_search_token(s, i), texts);
}

bool wb_search_is_number(const wb_search *s, size_t i) {
  return isdigit((unsigned char)*wb_search_token(s, i)->text);
}

bool wb_search_is_type(const wb_search *s, size_t i) {
  static const char *const types[] = {"unsigned", "int",   "size_t", "uint32_t", "int32_t",
                                      "long",     "float", "double", "char",     "bool",
                                      "short",    "auto",  "void",   NULL};
  return wb_token_is_one_of(wb_search_token(s, i), types);
}

bool wb_search_ends_with(const char *begin, const char *end, const char *word) {
  size_t length = strlen(word);
  return (size_t)(end - begin) > length && memcmp(end - length, word, length) == 0;
}

// Where a statement begins whose first token is `t`: tokens leave out `const` and `static`.
static size_t before_qualifiers(const wb_search *s, const wb_token *t) {
  const char *at = t->text;
  for (;;) {
    const char *end = at;
    while (end > s->text && isspace((unsigned char)end[-1])) end--;
    if (wb_search_ends_with(s->text, end, "const")) at = end - strlen("const");
    else if (wb_search_ends_with(s->text, end, "static")) at = end - strlen("static");
    else return (size_t)(at - s->text);
  }
}

// Between quotation marks, as the text of asm() is: what is no number of whole warps there would be
// refused when all of the programs that are tried together are loaded.
static bool is_spoilt(const wb_search *s, size_t begin, const char *text) {
  bool is_quoted = false;
  for (size_t at = begin; at > 0 && s->text[at - 1] != '\n'; at--)
    is_quoted ^= s->text[at - 1] == '"';
  char *end;
  const unsigned long number = strtoul(text, &end, 10);
  return is_quoted && (*end || number == 0 || number % 32 != 0);
}

// Puts `text` in place of tokens [from, to); before `from` where both are the same.
void wb_search_change(wb_search *s, size_t from, size_t to, unsigned rank, const char *text) {
  if (s->out->n == WB_EDITS || from >= s->list->n || to > s->list->n) return;
  wb_edit *edit = &s->out->at[s->out->n];
  const wb_token *first = wb_search_token(s, from),
                 *last = wb_search_token(s, to > from ? to - 1 : from);
  size_t begin = (size_t)(first->text - s->text);
  if (to == from) begin = before_qualifiers(s, first);
  size_t end = to > from ? (size_t)(last->text - s->text) + last->whole : begin;
  unsigned apart =
      first->line > s->suspected ? first->line - s->suspected : s->suspected - first->line;
  unsigned nearer = s->suspected == 0 || apart > 2 ? 0 : apart == 0 ? 2 : 1;
  if (is_spoilt(s, begin, text)) return;
  if ((size_t)snprintf(edit->text, sizeof edit->text, "%s", text) >= sizeof edit->text) return;
  edit->from = begin;
  edit->to = end;
  edit->rank = rank > nearer ? rank - nearer : 0;
  edit->line = first->line;
  edit->last_line = last->line;
  edit->waits = WB_WAITS_NOT;
  edit->sense = WB_SENSE_AS_COMPARED;
  edit->call = NULL;
  edit->takes_bits = false;
  s->out->n++;
}

void wb_search_change_as(wb_search *s, size_t from, size_t to, unsigned rank, const char *text,
                         wb_sense sense, const char *call) {
  const size_t n = s->out->n;
  wb_search_change(s, from, to, rank, text);
  if (s->out->n == n) return;
  s->out->at[n].sense = sense;
  s->out->at[n].call = call;
}

void wb_search_spell(const wb_search *s, size_t i, char out[NAME_BYTES]) {
  snprintf(out, NAME_BYTES, "%.*s", (int)wb_search_token(s, i)->whole, wb_search_token(s, i)->text);
}

bool wb_search_is_simple(const wb_search *s, size_t i) {
  static const char *const goes_on[] = {"(", "[", ".", "->", "::", NULL};
  bool ends = !wb_token_is_one_of(wb_search_token(s, i + 1), goes_on);
  bool begins = !wb_search_is(s, i - 1, ".") && !wb_search_is(s, i - 1, "->") &&
                !wb_search_is(s, i - 1, "::");
  return wb_search_token(s, i)->is_word && !wb_search_is_type(s, i) && ends && begins;
}

bool wb_search_is_same(const wb_search *s, size_t a, size_t b) {
  const wb_token *x = wb_search_token(s, a), *y = wb_search_token(s, b);
  return x->length == y->length && memcmp(x->text, y->text, x->length) == 0;
}

// --- statements ----------------------------------------------------------------------------------

size_t wb_search_closing(const wb_search *s, size_t open) {
  int depth = 0;
  for (size_t i = open; i < s->list->n; i++) {
    if (wb_search_is(s, i, "(")) depth++;
    if (wb_search_is(s, i, ")") && --depth == 0) return i;
  }
  return s->list->n;
}

size_t wb_search_opening(const wb_search *s, size_t close) {
  int depth = 0;
  for (size_t i = close; i > 0; i--) {
    depth += wb_search_is(s, i, ")") - wb_search_is(s, i, "(");
    if (depth == 0) return i;
  }
  return 0;
}

static bool calls_atomic(const wb_search *s, size_t i) {
  for (; i < s->list->n && !wb_search_is(s, i, ";"); i++)
    if (wb_token_begins(wb_search_token(s, i), "atomic")) return true;
  return false;
}

// Writes to memory: an assignment to an element, through a pointer, or by a call; or adds up.
static bool writes(const wb_search *s, size_t from) {
  bool is_element = wb_search_is(s, from, "*");
  for (size_t i = from; i < s->list->n && !wb_search_is(s, i, ";") && !wb_search_is(s, i, "{");
       i++) {
    is_element |= wb_search_is(s, i, "[");
    if (wb_search_is(s, i, "=")) return is_element || calls_atomic(s, i);
    if (wb_token_ends(wb_search_token(s, i), "=")) return true;
    if (i == from && wb_search_token(s, i)->is_word && wb_search_is(s, i + 1, "(") &&
        !wb_search_is(s, i, "if") && !wb_search_is(s, i, "for") && !wb_search_is(s, i, "while") &&
        !wb_token_begins(wb_search_token(s, i), "__sync"))
      return true;
  }
  return false;
}

// A guard of two names before a statement: if (a OPERATOR b) REST. A bound that is handed to the
// function is likelier.
static void guard_with(wb_search *s, size_t i, unsigned rank, const char *operator_name,
                       const char *rest, size_t most) {
  char a[NAME_BYTES], b[NAME_BYTES], text[3 * WB_EDIT_BYTES];
  for (size_t k = s->n_names, n = 0; k-- > 0 && n < most; n++)
    for (size_t j = s->n_names; j-- > 0;) {
      if (wb_search_is_same(s, s->names[k], s->names[j])) continue;
      wb_search_spell(s, s->names[k], a);
      wb_search_spell(s, s->names[j], b);
      snprintf(text, sizeof text, "if (%s %s %s) %s", a, operator_name, b, rest);
      unsigned likely = j < s->n_parameters ? rank - 2 : rank;
      if (strlen(text) < WB_EDIT_BYTES) wb_search_change(s, i, i, likely, text);
    }
}

// x[t] = ... x[t + s] ...: for t < s, or t + s < n.
static void guard_sum(wb_search *s, size_t i) {
  char a[NAME_BYTES], b[NAME_BYTES], c[NAME_BYTES], text[3 * WB_EDIT_BYTES];
  size_t k = i;
  while (k < s->list->n && !wb_search_is(s, k, ";") &&
         !(wb_search_is(s, k, "[") && wb_search_is(s, k + 2, "+")))
    k++;
  if (!wb_search_is(s, k, "[") || !wb_search_is_simple(s, k + 1) || !wb_search_is_simple(s, k + 3))
    return;
  wb_search_spell(s, k + 1, a);
  wb_search_spell(s, k + 3, b);
  snprintf(text, sizeof text, "if (%s < %s) ", a, b);
  wb_search_change(s, i, i, 3, text);
  for (size_t n = 0; n < s->n_names; n++) {
    wb_search_spell(s, s->names[n], c);
    snprintf(text, sizeof text, "if (%s + %s < %s) ", a, b, c);
    if (strlen(text) < WB_EDIT_BYTES) wb_search_change(s, i, i, 4, text);
  }
}

// return count;: only if (count != 0), or what else is known.
static void guard_if_any(wb_search *s, size_t i) {
  char name[NAME_BYTES], text[WB_EDIT_BYTES];
  for (size_t k = s->n_names, n = 0; k-- > 0 && n < 3; n++) {
    wb_search_spell(s, s->names[k], name);
    snprintf(text, sizeof text, "if (%s != 0) ", name);
    wb_search_change(s, i, i, 5, text);
  }
}

// One more call that waits, before token i.
static void wait_before(wb_search *s, size_t i, wb_wait how, unsigned rank, const char *call) {
  const size_t n = s->out->n;
  wb_search_change(s, i, i, rank, call);
  if (s->out->n > n) s->out->at[n].waits = how;
}

// wave::sync(); tile.sync();: the program's own way to wait is tried as well.
static void wait_as_elsewhere(wb_search *s, size_t i, unsigned rank) {
  char call[WB_EDIT_BYTES], text[WB_EDIT_BYTES + 4];
  for (size_t k = 2; k < s->list->n; k++) {
    if (!wb_search_is(s, k, "sync") || !wb_search_is(s, k + 1, "(") ||
        !wb_search_is(s, k + 2, ")") || !wb_search_is(s, k + 3, ";"))
      continue;
    bool is_member = wb_search_is(s, k - 1, "::") || wb_search_is(s, k - 1, ".");
    if (!wb_search_copy(s, is_member ? k - 2 : k, k + 4, call)) return;
    snprintf(text, sizeof text, "%s ", call);
    if (strlen(text) < WB_EDIT_BYTES) wait_before(s, i, WB_WAITS_AS_ELSEWHERE, rank, text);
    return;
  }
}

// { ...; __syncthreads(); }: behind the block, where those come that skip it.
static void move_wait_out(wb_search *s, size_t i) {
  static const char *const outside[] = {"extern",     "static",     "template",
                                        "__global__", "__device__", NULL};
  const bool waits = wb_token_begins(wb_search_token(s, i), "__sync");
  if (i + 5 >= s->list->n || wb_token_is_one_of(wb_search_token(s, i + 5), outside)) return;
  if (!waits || !wb_search_is(s, i + 1, "(") || !wb_search_is(s, i + 3, ";") ||
      !wb_search_is(s, i + 4, "}"))
    return;
  char call[NAME_BYTES], text[WB_EDIT_BYTES];
  wb_search_spell(s, i, call);
  snprintf(text, sizeof text, "} %s();", call);
  wb_search_change_as(s, i, i + 5, 2, text, WB_SENSE_MOVED, NULL);
}

static void change_statement(wb_search *s, size_t i) {
  if (wb_search_is(s, i, "}") || wb_search_is(s, i, "else") || wb_search_is(s, i, ";")) return;
  move_wait_out(s, i);
  const unsigned rank = s->orders == WB_ORDERS_LIKELY_LACK ? 1 : 3;
  if (s->orders) {
    wait_before(s, i, WB_WAITS_BLOCK, rank, "__syncthreads(); ");
    wait_before(s, i, WB_WAITS_WARP, 6, "__syncwarp(); ");
    wait_as_elsewhere(s, i, rank);
  }
  if (wb_search_is(s, i, "{")) guard_sum(s, i); // a block that a condition ought to lead
  if (writes(s, i)) {
    wb_search_change(s, i, i, calls_atomic(s, i) ? 2 : 5, "if (threadIdx.x == 0) ");
    wb_search_change(s, i, i, 6, "if (threadIdx.x % 32 == 0) ");
    guard_sum(s, i);
    guard_with(s, i, 5, "<", "", 2);
  }
  if (wb_search_is(s, i, "break") || wb_search_is(s, i, "return")) {
    guard_with(s, i, 5, "==", "", 2);
    guard_if_any(s, i);
  }
  if (!wb_search_is(s, i, "if") || !wb_search_is(s, i + 1, "(")) return;
  size_t end = wb_search_closing(s, i + 1);
  if (!wb_search_is(s, end + 1, "return")) wb_search_change(s, i, end + 1, 6, "");
}

// Behind the declaration of a place: threads whose place is beyond the end leave.
static void leave_early(wb_search *s, size_t i) {
  if (!wb_search_is(s, i, ";") || s->n_names == 0) return;
  size_t name = s->names[s->n_names - 1];
  if (wb_search_token(s, i)->line == wb_search_token(s, name)->line &&
      wb_search_is(s, name + 1, "=") && !wb_search_is(s, i + 1, "if"))
    guard_with(s, i + 1, 5, ">=", "return; ", 1);
}

// A { behind these begins statements, and behind others values: return {a, b}.
static bool is_statement_start(const wb_search *s, size_t i, int parentheses) {
  static const char *const before[] = {")", "else", "do", ";", "{", "}", NULL};
  if (parentheses > 0) return false;
  if (wb_search_is(s, i - 1, "{")) return wb_token_is_one_of(wb_search_token(s, i - 2), before);
  return wb_search_is(s, i - 1, ";") || wb_search_is(s, i - 1, "}");
}

// --- all of a text -------------------------------------------------------------------------------

enum { MOST_BLOCKS = 16 };

typedef struct position {
  int braces, body, parentheses, brackets; // `body`: the depth of the function's braces, 0: outside
  bool in_declaration;
  size_t blocks[MOST_BLOCKS];  // where what each block declares begins, its loop's head included
  size_t loop_begin, loop_end; // of a loop of one statement
} position;

// Forgets the variables that are declared at token `from` or behind it: their block has ended.
static void leave_block(wb_search *s, size_t from) {
  while (s->n_names > 0 && s->names[s->n_names - 1] >= from) s->n_names--;
  while (s->n_arrays > 0 && s->arrays[s->n_arrays - 1] >= from) s->n_arrays--;
  while (s->n_floats > 0 && s->floats[s->n_floats - 1] >= from) s->n_floats--;
}

static void enter_or_leave_block(wb_search *s, size_t i, position *p) {
  bool keeps = p->braces >= 0 && p->braces < MOST_BLOCKS;
  if (wb_search_is(s, i, "{") && keeps)
    p->blocks[p->braces] = wb_search_is(s, i - 1, ")") ? wb_search_opening(s, i - 1) : i;
  if (wb_search_is(s, i, "}") && p->braces > 0 && p->braces <= MOST_BLOCKS)
    leave_block(s, p->blocks[p->braces - 1]);
  if (wb_search_is(s, i, "for") && wb_search_is(s, i + 1, "(")) {
    size_t end = wb_search_closing(s, i + 1);
    p->loop_begin = i;
    while (end < s->list->n && !wb_search_is(s, end, ";") && !wb_search_is(s, end, "{")) end++;
    p->loop_end = wb_search_is(s, end, ";") ? end : 0;
  }
  if (i == p->loop_end && i > 0) leave_block(s, p->loop_begin);
}

static void step(wb_search *s, size_t i, position *p) {
  enter_or_leave_block(s, i, p);
  p->parentheses += wb_search_is(s, i, "(") - wb_search_is(s, i, ")");
  p->brackets += wb_search_is(s, i, "[") - wb_search_is(s, i, "]");
  if (wb_search_is(s, i, "{")) {
    p->braces++;
    if (!p->body && wb_search_is(s, i - 1, ")")) p->body = p->braces;
  }
  if (wb_search_is(s, i, "}")) {
    if (p->body == p->braces) p->body = 0;
    p->braces--;
  }
  if (wb_search_is(s, i, ";") || wb_search_is(s, i, "{") || wb_search_is(s, i, "}"))
    p->in_declaration = false;
  if (wb_search_is_type(s, i) && !wb_search_is(s, i, "float") && p->parentheses == 0)
    p->in_declaration = true;
}

static void change_at(wb_search *s, size_t i, const position *p) {
  wb_search_change_token(s, i, p->brackets);
  wb_search_change_idioms(s, i);
  wb_search_change_index(s, i);
  wb_search_change_bound(s, i);
  wb_search_change_form(s, i, false);
  wb_search_change_slips(s, i, is_statement_start(s, i, p->parentheses));
  if (is_statement_start(s, i, p->parentheses)) {
    change_statement(s, i);
    wb_search_change_values(s, i);
    wb_search_change_form(s, i, true);
    wb_search_change_whole_statement(s, i, p->braces == p->body);
  }
  if (p->parentheses == 0 && i != p->loop_end) leave_early(s, i);
}

static int by_rank(const void *a, const void *b) {
  const wb_edit *x = a, *y = b;
  if (x->rank != y->rank) return x->rank < y->rank ? -1 : 1;
  if (x->from != y->from) return x->from < y->from ? -1 : 1;
  return strcmp(x->text, y->text);
}

bool wb_repairs_find(const char *text, unsigned suspected_line, wb_orders orders,
                     wb_edit_list *out) {
  wb_token_list *list = malloc(sizeof *list);
  position p = {0};
  out->n = 0;
  if (!list) return false;
  wb_tokens_read(text, list);
  wb_search s = {
      .text = text, .list = list, .out = out, .suspected = suspected_line, .orders = orders};
  for (size_t i = 1; i < list->n; i++) {
    bool was_inside = p.body > 0;
    wb_search_note_name(&s, i, p.in_declaration, p.parentheses);
    if (!was_inside) s.n_parameters = s.n_names;
    wb_search_note_array(&s, i);
    wb_search_note_float(&s, i, p.in_declaration);
    if (was_inside) change_at(&s, i, &p);
    step(&s, i, &p);
    if (!was_inside && p.body) s.function = i;
    if (!p.body && wb_search_is(&s, i, "}"))
      s.n_names = s.n_arrays = s.n_floats = s.n_parameters = 0;
  }
  free(list);
  qsort(out->at, out->n, sizeof *out->at, by_rank);
  return true;
}

char *wb_repair_apply(const char *text, const wb_edit *edit) {
  size_t length = strlen(text), more = strlen(edit->text);
  char *out = malloc(length + more + 1);
  if (!out) return NULL;
  memcpy(out, text, edit->from);
  memcpy(out + edit->from, edit->text, more);
  memcpy(out + edit->from + more, text + edit->to, length - edit->to + 1);
  return out;
}
