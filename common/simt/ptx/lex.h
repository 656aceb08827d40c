// SPDX-License-Identifier: MIT
// ptx/lex.h - PTX text to tokens, one at a time, in linear time and without memory of its own.
//
// The text must be NUL-terminated at text[text_bytes]; tokens are views into it.
// Source: PTX ISA, chapter 4 (syntax: identifiers, constants, comments).
#ifndef SIMT_PTX_LEX_H
#define SIMT_PTX_LEX_H

#include "base/arena.h"
#include "base/status.h"

typedef enum ptx_token_kind {
  PTX_TOKEN_END,
  PTX_TOKEN_WORD,    // an identifier: add, %r1, $L__BB0_1, _
  PTX_TOKEN_DOTTED,  // .global, .f32, .L2::128B; the text leaves the dot out
  PTX_TOKEN_INTEGER, // `bits`
  PTX_TOKEN_F32,     // 0fXXXXXXXX: `bits`
  PTX_TOKEN_F64,     // 0dXXXXXXXXXXXXXXXX or decimal: `bits`
  PTX_TOKEN_STRING,  // the text leaves the quotes out; escapes stay as written
  PTX_TOKEN_MARK     // one punctuation character: `mark`
} ptx_token_kind;

typedef struct ptx_token {
  ptx_token_kind kind;
  char mark;     // MARK: the character, else 0
  bool adjacent; // no space between the previous token and this one
  uint32_t line; // 1-based
  uint64_t bits;
  simt_str text;
} ptx_token;

typedef struct ptx_lexer {
  const char *text;
  size_t text_bytes;
  size_t at;
  size_t line_start; // offset of the current line, for columns
  uint32_t line;
  char error[96]; // why ptx_lex_next failed; the position is `line`
} ptx_lexer;

void ptx_lex_begin(ptx_lexer *lexer, const char *text, size_t text_bytes);

// Reads the next token. False when the text is not PTX; then lexer->error says why and lexer->line
// says where. At the end of the text: true and PTX_TOKEN_END, as often as asked.
bool ptx_lex_next(ptx_lexer *lexer, ptx_token *token);

#endif
