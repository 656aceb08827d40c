// SPDX-License-Identifier: MIT
// nearest_tokens.c - a CUDA text as tokens: see nearest_tokens.h.
#include "nearest_tokens.h"

#include <ctype.h>
#include <string.h>

bool wb_token_is(const wb_token *t, const char *text) {
  return strlen(text) == t->length && memcmp(t->text, text, t->length) == 0;
}

bool wb_token_begins(const wb_token *t, const char *text) {
  size_t length = strlen(text);
  return length <= t->length && memcmp(t->text, text, length) == 0;
}

bool wb_token_ends(const wb_token *t, const char *text) {
  size_t length = strlen(text);
  return length <= t->length && memcmp(t->text + t->length - length, text, length) == 0;
}

bool wb_token_is_one_of(const wb_token *t, const char *const *texts) {
  for (; *texts; texts++)
    if (wb_token_is(t, *texts)) return true;
  return false;
}

static bool is_name_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Behind white space, comments and preprocessor lines.
static const char *skip_blank(const char *at, unsigned *line, bool *line_start) {
  for (;;) {
    if (*at == '\n') (*line)++, *line_start = true, at++;
    else if (isspace((unsigned char)*at)) at++;
    else if (at[0] == '/' && at[1] == '/') at += strcspn(at, "\n");
    else if (at[0] == '/' && at[1] == '*') {
      for (at += 2; *at && !(at[0] == '*' && at[1] == '/'); at++) *line += *at == '\n';
      at += *at ? 2 : 0;
    } else if (*at == '#' && *line_start) {
      for (; *at && *at != '\n'; at++)
        if (at[0] == '\\' && at[1] == '\n') (*line)++, at++;
    } else return at;
  }
}

static size_t token_length(const char *at) {
  static const char *const operators[] = {"<<=", ">>=", "<=", ">=", "==", "!=", "&&", "||",
                                          "+=",  "-=",  "*=", "/=", "%=", "&=", "|=", "^=",
                                          "++",  "--",  "<<", ">>", "->", "::", NULL};
  size_t n = 0;
  if (isdigit((unsigned char)*at) || (*at == '.' && isdigit((unsigned char)at[1]))) {
    while (is_name_char(at[n]) || at[n] == '.') n++;
    return n;
  }
  while (is_name_char(at[n])) n++;
  if (n > 0) return n;
  for (const char *const *one = operators; *one; one++)
    if (strncmp(at, *one, strlen(*one)) == 0) return strlen(*one);
  return 1;
}

// 0.0f, 0.f, 0u and 0 are one number, in comparisons at least.
static size_t number_length(const char *text, size_t length) {
  bool is_hex = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  while (length > 1 && strchr(is_hex ? "uUlL" : "uUlLfF", text[length - 1])) length--;
  if (is_hex || !memchr(text, '.', length)) return length;
  while (length > 1 && text[length - 1] == '0') length--;
  return length > 1 && text[length - 1] == '.' ? length - 1 : length;
}

// Words that say how, not what.
static bool says_nothing(const wb_token *t) {
  static const char *const words[] = {"const",        "static",          "inline",
                                      "__restrict__", "__forceinline__", NULL};
  return wb_token_is_one_of(t, words);
}

void wb_tokens_read(const char *text, wb_token_list *list) {
  unsigned line = 1;
  bool line_start = true;
  list->n = 0;
  for (const char *at = text; list->n < WB_TOKENS;) {
    at = skip_blank(at, &line, &line_start);
    if (!*at) return;
    size_t length = token_length(at);
    wb_token t = {.text = at, .length = (unsigned)length, .line = line, .whole = (unsigned)length};
    t.is_word = is_name_char(*at) && !isdigit((unsigned char)*at);
    if (isdigit((unsigned char)*at)) t.length = (unsigned)number_length(at, length);
    line_start = false;
    at += length;
    if (!says_nothing(&t)) list->at[list->n++] = t;
  }
}

// Takes out `(void)name;`, which a stub leaves behind, and, if asked, braces.
void wb_tokens_simplify(wb_token_list *list, bool without_braces) {
  size_t kept = 0;
  for (size_t i = 0; i < list->n; i++) {
    const wb_token *t = &list->at[i];
    bool is_void = i + 3 < list->n && wb_token_is(t, "(") && wb_token_is(t + 1, "void") &&
                   wb_token_is(t + 2, ")");
    if (is_void) {
      while (i < list->n && !wb_token_is(&list->at[i], ";")) i++;
      continue;
    }
    if (without_braces && (wb_token_is(t, "{") || wb_token_is(t, "}"))) continue;
    list->at[kept++] = *t;
  }
  list->n = kept;
}
