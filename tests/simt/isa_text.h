// SPDX-License-Identifier: MIT
// isa_text.h - one instruction of PTX from its text, for tests of the opcode table: what the parser
// would give, without a module around it.
#ifndef ISA_TEXT_H
#define ISA_TEXT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "isa/isa.h"

// ck_assert notes its place with every call; in loops of a million that is most of the time.
#define EXPECT(condition, ...)                                                                     \
  do {                                                                                             \
    if (!(condition)) ck_abort_msg(__VA_ARGS__);                                                   \
  } while (0)

static inline ptx_operand operand_of_text(const char *text) {
  ptx_operand operand = {.kind = PTX_OPERAND_REGISTER};
  if (*text == '{') operand.kind = PTX_OPERAND_VECTOR;
  return operand;
}

// Splits "add.cc.u32 %d, %a" into opcode, suffixes and operand texts; `text` is cut up.
static inline void split(char *text, ptx_instr *instr, ptx_operand *operands, char *texts[8]) {
  memset(instr, 0, sizeof *instr);
  instr->loc = instr->guard = -1;
  while (*text == ' ') text++;
  char *rest = text + strcspn(text, " ");
  if (*rest) *rest++ = 0;
  char *dot = strchr(text, '.');
  instr->opcode = (simt_str){text, (uint32_t)(dot ? (size_t)(dot - text) : strlen(text))};
  while (dot) {
    char *start = dot + 1;
    dot = strchr(start, '.');
    const size_t size = dot ? (size_t)(dot - start) : strlen(start);
    EXPECT(instr->n_suffixes < PTX_MAX_SUFFIXES, "too many suffixes");
    instr->suffixes[instr->n_suffixes++] = (simt_str){start, (uint32_t)size};
  }
  for (char *word = strtok(rest, ", "); word; word = strtok(NULL, ", ")) {
    texts[instr->n_operands] = word;
    operands[instr->n_operands++] = operand_of_text(word);
  }
  instr->operands = operands;
}

#endif
