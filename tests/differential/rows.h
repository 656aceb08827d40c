// SPDX-License-Identifier: MIT
// rows.h - the rows of isa.def as text: names of opcodes, types and forms instead of enums, so that
// the generator needs nothing of the software GPU and builds for a real one. Private to
// generate*.c.
#ifndef DIFFERENTIAL_ROWS_H
#define DIFFERENTIAL_ROWS_H

#include "../../common/simt/isa/modifiers.h"

typedef struct row {
  const char *name, *opcode, *type, *source_type;
  isa_modifiers required, allowed;
  const char *form;
  unsigned n_sources;
  const char *d, *a, *b, *c; // types of registers, "NO_TYPE" for none
} row;

extern const row rows[];
extern const unsigned n_rows;
extern const unsigned short row_order[]; // indexes of those that may take part: row_order.def
extern const unsigned n_ordered;

// The letter of a type's register: p, h, r, d (1, 16, 32, 64 bits), q (128), 0 for none.
char register_letter(const char *type);
#endif
