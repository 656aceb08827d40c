// SPDX-License-Identifier: MIT
// ptx/lex.c - tokens of PTX.
//
// Characters are ASCII; other bytes may occur in comments and strings (file names) only, NUL
// nowhere. A dot glued to a word or number of letters starts a DOTTED token, so that
// `ld.global.v4.f32` is WORD ld, DOTTED global, v4, f32.
// Not modelled: the preprocessor lines that PTX ISA 4.1 mentions ('#' starts no token).
#include "ptx/lex.h"

#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_DECIMAL = 128 };

static bool is_digit(char c) { return c >= '0' && c <= '9'; }

static bool is_word_start(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}

static bool is_word(char c) { return (is_word_start(c) && c != '%') || is_digit(c); }

static int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return 16;
}

static bool fail(ptx_lexer *lexer, const char *why) {
  snprintf(lexer->error, sizeof lexer->error, "%s", why);
  return false;
}

void ptx_lex_begin(ptx_lexer *lexer, const char *text, size_t text_bytes) {
  memset(lexer, 0, sizeof *lexer);
  lexer->text = text;
  lexer->text_bytes = text_bytes;
  lexer->line = 1;
}

static void new_line(ptx_lexer *lexer) { // `at` is at the line feed
  lexer->at++;
  lexer->line++;
  lexer->line_start = lexer->at;
}

// Refuses NUL (a NUL that is not the terminator), which is not allowed anywhere.
static bool nul_inside(ptx_lexer *lexer) {
  snprintf(lexer->error, sizeof lexer->error, "NUL byte at column %zu",
           lexer->at - lexer->line_start + 1);
  return false;
}

static bool skip_block_comment(ptx_lexer *lexer) {
  uint32_t first_line = lexer->line;
  size_t first_start = lexer->line_start;
  lexer->at += 2;
  while (lexer->at < lexer->text_bytes) {
    char c = lexer->text[lexer->at];
    if (c == '\0') return nul_inside(lexer);
    if (c == '\n') {
      new_line(lexer);
    } else if (c == '*' && lexer->text[lexer->at + 1] == '/') {
      lexer->at += 2;
      return true;
    } else {
      lexer->at++;
    }
  }
  lexer->line = first_line;
  lexer->line_start = first_start;
  return fail(lexer, "comment is not closed");
}

static bool skip_line_comment(ptx_lexer *lexer) {
  while (lexer->at < lexer->text_bytes && lexer->text[lexer->at] != '\n') {
    if (lexer->text[lexer->at] == '\0') return nul_inside(lexer);
    lexer->at++;
  }
  return true;
}

static bool skip_space(ptx_lexer *lexer) {
  for (;;) {
    const char *c = lexer->text + lexer->at; // the terminator ends every comparison
    if (*c == ' ' || *c == '\t' || *c == '\r' || *c == '\f' || *c == '\v') {
      lexer->at++;
    } else if (*c == '\n') {
      new_line(lexer);
    } else if (c[0] == '/' && c[1] == '/') {
      if (!skip_line_comment(lexer)) return false;
    } else if (c[0] == '/' && c[1] == '*') {
      if (!skip_block_comment(lexer)) return false;
    } else {
      return true;
    }
  }
}

static bool lex_string(ptx_lexer *lexer, ptx_token *token) {
  size_t start = ++lexer->at;
  for (;; lexer->at++) {
    if (lexer->at >= lexer->text_bytes || lexer->text[lexer->at] == '\n')
      return fail(lexer, "string is not closed on its line");
    char c = lexer->text[lexer->at];
    if (c == '\0') return nul_inside(lexer);
    if (c == '"') break;
    if (c == '\\' && lexer->at + 1 < lexer->text_bytes && lexer->text[lexer->at + 1] != '\n' &&
        lexer->text[lexer->at + 1] != '\0')
      lexer->at++;
  }
  token->kind = PTX_TOKEN_STRING;
  token->text = (simt_str){lexer->text + start, (uint32_t)(lexer->at - start)};
  lexer->at++;
  return true;
}

// Letters, digits and "::" pairs after a dot.
static void lex_dotted(ptx_lexer *lexer, ptx_token *token) {
  size_t start = ++lexer->at;
  for (;;) {
    const char *c = lexer->text + lexer->at;
    if (is_word(*c)) lexer->at++;
    else if (c[0] == ':' && c[1] == ':' && is_word(c[2])) lexer->at += 2;
    else break;
  }
  token->kind = PTX_TOKEN_DOTTED;
  token->text = (simt_str){lexer->text + start, (uint32_t)(lexer->at - start)};
}

// 0fXXXXXXXX and 0dXXXXXXXXXXXXXXXX: the bits of a value, digit by digit.
static bool lex_hex_float(ptx_lexer *lexer, ptx_token *token, int n_digits) {
  lexer->at += 2;
  for (int i = 0; i < n_digits; i++, lexer->at++) {
    int value = digit_value(lexer->text[lexer->at]);
    if (value > 15)
      return fail(lexer, n_digits == 8 ? "0f needs exactly 8 hexadecimal digits"
                                       : "0d needs exactly 16 hexadecimal digits");
    token->bits = token->bits << 4 | (uint64_t)value;
  }
  token->kind = n_digits == 8 ? PTX_TOKEN_F32 : PTX_TOKEN_F64;
  return true;
}

// A decimal fraction. strtod rounds correctly but expects the locale's decimal point, so the point
// is replaced by it.
static bool lex_decimal(ptx_lexer *lexer, ptx_token *token, size_t start) {
  char buffer[2 * LONGEST_DECIMAL];
  size_t n = 0, written = 0;
  const char *point = localeconv()->decimal_point;
  for (; written < LONGEST_DECIMAL; written++) {
    char c = lexer->text[start + written];
    bool sign = (c == '+' || c == '-') && n > 0 && (buffer[n - 1] == 'e' || buffer[n - 1] == 'E');
    if (!is_digit(c) && c != '.' && c != 'e' && c != 'E' && !sign) break;
    if (c != '.') {
      buffer[n++] = c;
      continue;
    }
    size_t point_bytes = strlen(point);
    if (n + point_bytes >= sizeof buffer) return fail(lexer, "floating-point literal is too long");
    memcpy(buffer + n, point, point_bytes);
    n += point_bytes;
  }
  if (written == LONGEST_DECIMAL) return fail(lexer, "floating-point literal is too long");
  buffer[n] = '\0';
  char *end;
  double value = strtod(buffer, &end);
  if (*end != '\0') return fail(lexer, "malformed floating-point literal");
  if (value - value != 0.0) return fail(lexer, "floating-point literal is out of range");
  memcpy(&token->bits, &value, sizeof token->bits);
  token->kind = PTX_TOKEN_F64;
  lexer->at = start + written;
  return true;
}

static bool lex_integer(ptx_lexer *lexer, ptx_token *token, int base) {
  size_t start = lexer->at;
  for (;; lexer->at++) {
    int value = digit_value(lexer->text[lexer->at]);
    if (value >= base) break;
    uint64_t shifted = token->bits * (uint64_t)base;
    if (shifted / (uint64_t)base != token->bits || shifted + (uint64_t)value < shifted)
      return fail(lexer, "integer literal does not fit in 64 bits");
    token->bits = shifted + (uint64_t)value;
  }
  if (lexer->at == start) return fail(lexer, "integer literal has no digits");
  token->kind = PTX_TOKEN_INTEGER;
  if (lexer->text[lexer->at] == 'U') lexer->at++;
  return true;
}

static bool lex_number(ptx_lexer *lexer, ptx_token *token) {
  size_t start = lexer->at;
  const char *c = lexer->text + start;
  bool done;
  if (c[0] == '0' && (c[1] == 'f' || c[1] == 'F')) {
    done = lex_hex_float(lexer, token, 8);
  } else if (c[0] == '0' && (c[1] == 'd' || c[1] == 'D')) {
    done = lex_hex_float(lexer, token, 16);
  } else if (c[0] == '0' && (c[1] == 'x' || c[1] == 'X' || c[1] == 'b' || c[1] == 'B')) {
    lexer->at += 2;
    done = lex_integer(lexer, token, c[1] == 'x' || c[1] == 'X' ? 16 : 2);
  } else {
    size_t digits = 0;
    while (is_digit(c[digits])) digits++;
    if (c[digits] == '.' || c[digits] == 'e' || c[digits] == 'E')
      done = lex_decimal(lexer, token, start);
    else done = lex_integer(lexer, token, c[0] == '0' && digits > 1 ? 8 : 10);
  }
  if (done && is_word(lexer->text[lexer->at])) return fail(lexer, "malformed number");
  token->text = (simt_str){lexer->text + start, (uint32_t)(lexer->at - start)};
  return done;
}

static bool unknown_byte(ptx_lexer *lexer, char c) {
  size_t column = lexer->at - lexer->line_start + 1;
  unsigned code = (unsigned char)c;
  if (code > 0x20 && code < 0x7f)
    snprintf(lexer->error, sizeof lexer->error, "character '%c' at column %zu cannot begin a token",
             c, column);
  else
    snprintf(lexer->error, sizeof lexer->error, "byte 0x%02x at column %zu is not ASCII text", code,
             column);
  return false;
}

static bool lex_mark(ptx_lexer *lexer, ptx_token *token) {
  char c = lexer->text[lexer->at];
  if (c == '\0') return nul_inside(lexer);
  if (strchr("{}()[]<>,;:=@!|+-~*?&^/", c) == NULL) return unknown_byte(lexer, c);
  token->kind = PTX_TOKEN_MARK;
  token->mark = c;
  token->text = (simt_str){lexer->text + lexer->at, 1};
  lexer->at++;
  return true;
}

static void lex_word(ptx_lexer *lexer, ptx_token *token) {
  size_t start = lexer->at++;
  while (is_word(lexer->text[lexer->at])) lexer->at++;
  token->kind = PTX_TOKEN_WORD;
  token->text = (simt_str){lexer->text + start, (uint32_t)(lexer->at - start)};
}

bool ptx_lex_next(ptx_lexer *lexer, ptx_token *token) {
  size_t before = lexer->at;
  if (!skip_space(lexer)) return false;
  *token = (ptx_token){.line = lexer->line, .adjacent = lexer->at == before && before > 0};
  token->text = (simt_str){lexer->text + lexer->at, 0};
  if (lexer->at >= lexer->text_bytes) return true; // PTX_TOKEN_END is 0
  const char *c = lexer->text + lexer->at;
  if (is_word_start(*c)) {
    lex_word(lexer, token);
    if (token->text.size == 1 && *c == '%') {
      lexer->at--;
      return fail(lexer, "'%' without a register name");
    }
    return true;
  }
  bool glued = lexer->at > 0 && is_word(c[-1]);
  if (is_digit(*c) || (*c == '.' && is_digit(c[1]) && !glued)) return lex_number(lexer, token);
  if (*c == '"') return lex_string(lexer, token);
  if (*c == '.' && is_word(c[1])) {
    lex_dotted(lexer, token);
    return true;
  }
  return lex_mark(lexer, token);
}
