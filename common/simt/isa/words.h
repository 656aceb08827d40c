// SPDX-License-Identifier: MIT
// isa/words.h - the modifiers as PTX spells them. Private to this room.
#ifndef SIMT_ISA_WORDS_H
#define SIMT_ISA_WORDS_H

#include "isa/isa.h"

// The field of isa_op that a modifier sets.
typedef enum isa_field {
  ISA_FIELD_NONE,
  ISA_FIELD_ROUNDING,
  ISA_FIELD_ROUNDING_TO_INTEGER,
  ISA_FIELD_COMPARE,
  ISA_FIELD_SPACE,
  ISA_FIELD_VECTOR,
  ISA_FIELD_ORDER,
  ISA_FIELD_SCOPE,
  ISA_FIELD_SHUFFLE,
  ISA_FIELD_PRMT,
  ISA_FIELD_TEST,
  ISA_FIELD_GEOMETRY,
  ISA_FIELD_BOUNDARY,
  ISA_FIELD_COMPONENT,
  ISA_FIELD_SCALE
} isa_field;

typedef struct isa_word {
  const char *text; // without the dot
  isa_modifiers bits;
  isa_field field;
  uint8_t value;        // of the field
  const char *only_for; // opcode to which this meaning is confined, or NULL
} isa_word;

// The part of the index that holds the modifiers.
void isa_index_words(isa_index *index);

// The meaning of `text` for an opcode; NULL: unknown.
const isa_word *isa_find_word(const isa_index *index, simt_str text, simt_str opcode);

#endif
