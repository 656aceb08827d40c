// SPDX-License-Identifier: MIT
// nearest_tokens.h - a CUDA text as tokens, for nearest.c: without comments, layout, preprocessor
// lines and words that say how and not what (const, static).
#ifndef WB_WB_TOKENS_H
#define WB_WB_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

enum { WB_TOKENS = 4000 };

typedef struct wb_token {
  const char *text;
  unsigned length, line;
  unsigned whole; // length with a number's suffix
  bool is_word;   // a name or keyword
  bool is_own;    // a name that the other text does not have
} wb_token;

typedef struct wb_token_list {
  wb_token at[WB_TOKENS];
  size_t n;
} wb_token_list;

// Reads at most WB_TOKENS; they point into `text`.
void wb_tokens_read(const char *text, wb_token_list *list);
// Takes out `(void)name;`, which a stub leaves behind, and, if asked, braces.
void wb_tokens_simplify(wb_token_list *list, bool without_braces);
bool wb_token_is(const wb_token *t, const char *text);
bool wb_token_begins(const wb_token *t, const char *text);
bool wb_token_ends(const wb_token *t, const char *text);
// `texts` ends with NULL.
bool wb_token_is_one_of(const wb_token *t, const char *const *texts);

#endif
