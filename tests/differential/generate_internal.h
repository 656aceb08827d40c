// SPDX-License-Identifier: MIT
// generate_internal.h - what the parts of the generator share: the state, the choice of operands,
// one function for each kind of statement. Private to generate*.c.
//
// Random numbers are drawn one in a statement, never twice among the arguments of a call or the
// members of an initialiser: their order is the compiler's own, and kernels must not depend on it.
#ifndef DIFFERENTIAL_GENERATE_INTERNAL_H
#define DIFFERENTIAL_GENERATE_INTERNAL_H

#include <stdbool.h>

#include "generate.h"

enum { N_PREDICATES = 4, N_HALVES = 6, N_WORDS = 10, N_DOUBLES = 6, LOCAL_BYTES = 64 };

typedef struct generator {
  kernel_text *text;
  kernel_shape shape;
  uint64_t state; // of the pseudorandom numbers
  unsigned limit;
  bool is_muted;  // inside a statement beyond the limit
  unsigned depth; // of branches and loops around here
  int mask_depth; // %m[mask_depth] names the lanes that are here; -1: all; NO_MASK: not known
  unsigned n_labels;
  unsigned n_left; // statements still to be generated
  unsigned *row_counts;
} generator;

enum { ALL_LANES = -1, NO_MASK = -2 };

// Pseudorandom.
uint64_t random64(generator *g);
unsigned pick(generator *g, unsigned n); // 0 … n - 1
bool one_in(generator *g, unsigned n);

// Text of a statement: emitted only within the limit.
void emit(generator *g, const char *format, ...);
void begin_statement(generator *g);
void end_statement(generator *g);
// Text that stays whatever the limit: labels, branches, declarations.
void emit_always(generator *g, const char *format, ...);
void count_row(generator *g, const char *name);
void count_row_at(generator *g, unsigned index); // of rows[]

// Register number for a letter p, h, r, d, at random.
unsigned any_register(generator *g, char letter);
// "%r3", written to `out` and returned.
typedef struct operand {
  char text[32];
} operand;
operand register_operand(generator *g, char letter);
operand integer_operand(generator *g, char letter); // a register, or an immediate now and then
operand predicate_operand(generator *g);            // "%p1" or "!%p1"
operand numbered_operand(char letter, unsigned number);
// Makes mere bits of a register, for the compiler: ptxas 13.0 takes a register for a number of the
// float type that wrote it even where it is read as an integer (README.md).
void hide_origin(generator *g, operand o);

// Statements. `deep`: may stand in divergent code.
void state_lanes(generator *g);    // deep: one row of arithmetic, perhaps guarded
void state_carry(generator *g);    // deep: a chain of add.cc, addc …
void state_pack(generator *g);     // deep: mov with a vector operand
void state_local(generator *g);    // deep: local memory
void state_load(generator *g);     // deep: the pool
void state_cell(generator *g);     // deep: a commuting atomic
void state_private(generator *g);  // deep: an atomic on the thread's own cell, old value used
void state_call(generator *g);     // deep
void state_fence(generator *g);    // deep
void state_address(generator *g);  // deep: generic addresses and what they point to
void state_warp(generator *g);     // where the lanes are known: shuffle, vote, match, redux
void state_exchange(generator *g); // all threads: shared memory between two barriers
void state_barrier(generator *g);  // all threads: bar.red

#endif
