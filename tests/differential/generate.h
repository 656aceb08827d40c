// SPDX-License-Identifier: MIT
// generate.h - random PTX kernels whose results are the same on every GPU that follows the PTX ISA.
//
// A kernel is a function of its seed alone. Every thread begins with registers read from a pool of
// awkward values (make_pool), executes a random sequence of statements, and writes all its
// registers, its local memory and what is left in shared memory to `out`. Statements are lane-wise
// arithmetic from the rows of common/simt/isa/isa.def, loads and stores of every width, branches
// and loops that diverge, shuffles, votes, matches, reductions, exchanges through shared memory,
// atomics, calls.
//
// Deterministic by construction:
//   - Threads meet in memory only between two barriers, or by atomics that commute (each cell takes
//     one operation only, its old values are not used).
//   - Warp-wide instructions stand where all lanes of their mask are: outside divergence with a
//     full mask, inside a branch with the ballot of its condition, never in a loop whose trip count
//     differs.
//   - Additions and multiplications of floats carry their rounding: without it a compiler may
//     contract them (PTX ISA, add.f32: "may be optimized to use fused-multiply-add").
//   - Left out, because the PTX ISA leaves their bits open: .approx and .full operations; fns with
//     a base beyond 31 or an offset beyond 32; activemask; the bits of a NaN (canonicalised where
//     the ISA allows any, see generate_lanes.c).
//   - What ptxas 13.0 compiles wrongly (README.md, compiler/) is written so that it cannot: a zero
//     that it does not know is joined to results that it would misread (hide_origin). Left out:
//     guarded set and testp, .ftz where f32 is rounded down or up to f16, large immediate shift
//     amounts.
// `limit` cuts a kernel after that many statements (control flow stays): what two GPUs disagree on
// is found by comparing cuts.
#ifndef DIFFERENTIAL_GENERATE_H
#define DIFFERENTIAL_GENERATE_H

#include <stddef.h>
#include <stdint.h>

enum {
  POOL_WORDS = 1024, // 64-bit words of input, shared by all kernels
  CELLS = 32, // 64-bit cells for commuting atomics, in global memory; as many in shared memory
  MAX_THREADS = 256, // of a kernel, in all blocks together
  STATE_WORDS = 36,  // 64-bit words that each thread leaves in out
  NO_LIMIT = 1 << 30,
  MAX_ROWS = 2048 // of isa.def
};

typedef struct kernel_text {
  char *at; // 0-terminated; the caller frees it
  size_t size, room;
} kernel_text;

typedef struct kernel_shape {
  unsigned n_blocks, n_threads; // of a block: 32 … 128
  unsigned n_statements;        // of the whole kernel, whatever the limit
  size_t last_at, last_size;    // where in the text the last statement within the limit stands
} kernel_shape;

// What all kernels of a module share: directives and a function to be called.
void generate_header(kernel_text *text);

// Appends kernel `kSEED_LIMIT(in, out, cells, private_cells)`. in: [POOL_WORDS]; out: [threads]
// [STATE_WORDS]; cells: [CELLS], private_cells: [threads], zeroed. Row counts grow by the
// statements that use a row of isa.def; NULL: not wanted.
kernel_shape generate_kernel(kernel_text *text, uint64_t seed, unsigned limit,
                             unsigned *row_counts);

// The input of every kernel: pool[POOL_WORDS].
void make_pool(uint64_t *pool);

// The rows of isa.def, in order. Why a row is never generated, or NULL.
unsigned generated_rows(void);
const char *generated_row_name(unsigned row);
const char *why_not_generated(unsigned row);

uint64_t mix64(uint64_t x); // SplitMix64's finaliser
#endif
