// SPDX-License-Identifier: MIT
// repair_search.h - what the files that find changes share (repair.c, repair_*.c): the place
// in a text's tokens, and the integer variables known there. Private to them.
#ifndef WB_REPAIR_SEARCH_H
#define WB_REPAIR_SEARCH_H

#include "nearest_tokens.h"
#include "repair.h"

enum { MOST_NAMES = 12, INDEX_NAMES = 5, MOST_ARRAYS = 8, NAME_BYTES = 48 };

typedef struct wb_search {
  const char *text;
  const wb_token_list *list;
  wb_edit_list *out;
  unsigned suspected;
  wb_orders orders;         // whether barriers come into question
  size_t names[MOST_NAMES]; // tokens where variables that hold integers are declared, the latest
  size_t n_names;
  size_t arrays[MOST_ARRAYS]; // where arrays and pointers are declared
  size_t n_arrays;
  size_t floats[MOST_NAMES]; // where variables that hold a float are declared, the latest
  size_t n_floats;
  size_t n_parameters; // of names, the first ones
  size_t function;     // where the present one's body begins
} wb_search;

// Token i; an empty statement beyond the end.
const wb_token *wb_search_token(const wb_search *s, size_t i);
bool wb_search_is(const wb_search *s, size_t i, const char *text);
bool wb_search_is_one_of(const wb_search *s, size_t i, const char *const *texts);
bool wb_search_is_number(const wb_search *s, size_t i); // it begins with a digit
bool wb_search_is_type(const wb_search *s, size_t i);
// A name alone: not called, indexed, or a member.
bool wb_search_is_simple(const wb_search *s, size_t i);
bool wb_search_is_same(const wb_search *s, size_t a, size_t b);
void wb_search_spell(const wb_search *s, size_t i, char out[NAME_BYTES]);
// The text of tokens [from, to) as it stands, in one line. False: too long.
bool wb_search_copy(const wb_search *s, size_t from, size_t to, char out[WB_EDIT_BYTES]);
// Whether the text [begin, end) ends with `word`, and is longer.
bool wb_search_ends_with(const char *begin, const char *end, const char *word);
// Whether the array or pointer that is declared at token `at` is to const.
bool wb_search_is_const(const wb_search *s, size_t at);
// Whether token i is an argument as a whole; whether it is a known array's name.
bool wb_search_is_argument(const wb_search *s, size_t i);
bool wb_search_is_array(const wb_search *s, size_t i);
// Whether an element of the array at token i is assigned.
bool wb_search_is_assigned(const wb_search *s, size_t i);
// The parenthesis that closes the one at token `open`, or the number of tokens; that which opens
// what the one at `close` ends, or 0.
size_t wb_search_closing(const wb_search *s, size_t open);
size_t wb_search_opening(const wb_search *s, size_t close);
// Adds a change: `text` in place of tokens [from, to), or before `from` where both are the same.
void wb_search_change(wb_search *s, size_t from, size_t to, unsigned rank, const char *text);
// The same, with what it is about; `call`: what waits, or NULL.
void wb_search_change_as(wb_search *s, size_t from, size_t to, unsigned rank, const char *text,
                         wb_sense sense, const char *call);

// Remembers token i if a variable of an integer type is declared there.
void wb_search_note_name(wb_search *s, size_t i, bool in_declaration, int parentheses);
// The same, of an array or a pointer.
void wb_search_note_array(wb_search *s, size_t i);
// The same, of a float.
void wb_search_note_float(wb_search *s, size_t i, bool in_declaration);
// Adds the changes of a token: another operator, number, index, operand.
void wb_search_change_token(wb_search *s, size_t i, int brackets);
// Adds the changes of what CUDA programs have in common: a block's place, a loop's step ...
void wb_search_change_idioms(wb_search *s, size_t i);
// Adds the indices of other elements, where token i is an array.
void wb_search_change_index(wb_search *s, size_t i);
// Adds the sizes of arrays, where token i compares a loop's counter with its bound.
void wb_search_change_bound(wb_search *s, size_t i);
// Adds copies of the statement [i, end) for other arrays.
void wb_search_change_sibling(wb_search *s, size_t i, size_t end);
// Adds values that the statement at token i lacks, interchanges, or has in several places.
void wb_search_change_values(wb_search *s, size_t i);
// Adds the changes of the statement that begins at token i; is_outermost: in no block but the
// function's.
void wb_search_change_whole_statement(wb_search *s, size_t i, bool is_outermost);
// Adds changes of form: reading before a wait and writing behind it, a wait behind each of several
// statements, `if` for `else if`, a number rounded up, a part of a word.
void wb_search_change_form(wb_search *s, size_t i, bool begins_statement);
// Adds the changes of what the language takes otherwise than it looks: which operator binds first,
// `if (...);`, a variable declared once more, a comparison with a NaN, two pointers to one place.
void wb_search_change_slips(wb_search *s, size_t i, bool begins_statement);
// The token behind a simple statement's `;`, which an `if` may lead; 0: it is none.
size_t wb_search_end_of_guarded(const wb_search *s, size_t i);

#endif
