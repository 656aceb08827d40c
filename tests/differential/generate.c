// SPDX-License-Identifier: MIT
// generate.c - a kernel from its seed: registers, random statements, branches and loops, results.
//
// Layout of shared memory: CELLS cells of 8 bytes, then 8 private bytes for each thread of the
// block, then 16 bytes each for exchanges.
#include "generate_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "rows.h"

enum { MOST_DEPTH = 3, FEWEST_STATEMENTS = 12, MORE_STATEMENTS = 36 };

uint64_t mix64(uint64_t x) {
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

uint64_t random64(generator *g) { return mix64(g->state += UINT64_C(0x9e3779b97f4a7c15)); }
unsigned pick(generator *g, unsigned n) { return (unsigned)((random64(g) >> 32) * n >> 32); }
bool one_in(generator *g, unsigned n) { return pick(g, n) == 0; }

// ---- text

static void append(kernel_text *text, const char *format, va_list arguments) {
  enum { ROOM = 2048 }; // of one piece
  if (text->room - text->size < ROOM) {
    text->room = 2 * text->room + ROOM;
    text->at = (char *)realloc(text->at, text->room);
    if (text->at == NULL) abort();
  }
  const int n = vsnprintf(text->at + text->size, ROOM, format, arguments);
  if (n > 0) text->size += (size_t)n;
}

void emit_always(generator *g, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  append(g->text, format, arguments);
  va_end(arguments);
}

void emit(generator *g, const char *format, ...) {
  if (g->is_muted) return;
  va_list arguments;
  va_start(arguments, format);
  append(g->text, format, arguments);
  va_end(arguments);
}

void begin_statement(generator *g) {
  g->is_muted = g->shape.n_statements++ >= g->limit;
  if (!g->is_muted) g->shape.last_at = g->text->size;
}

void end_statement(generator *g) {
  if (!g->is_muted) g->shape.last_size = g->text->size - g->shape.last_at;
  g->is_muted = false;
}

void count_row_at(generator *g, unsigned index) {
  if (g->row_counts != NULL && !g->is_muted) g->row_counts[index]++;
}

void count_row(generator *g, const char *name) {
  if (g->row_counts == NULL) return;
  for (unsigned i = 0; i < n_rows; i++)
    if (strcmp(rows[i].name, name) == 0) count_row_at(g, i);
}

// ---- operands

unsigned any_register(generator *g, char letter) {
  switch (letter) {
  case 'p': return pick(g, N_PREDICATES);
  case 'h': return pick(g, N_HALVES);
  case 'r': return pick(g, N_WORDS);
  default: return pick(g, N_DOUBLES);
  }
}

operand numbered_operand(char letter, unsigned number) {
  operand o;
  snprintf(o.text, sizeof o.text, "%%%c%u", letter, number);
  return o;
}

operand register_operand(generator *g, char letter) {
  return numbered_operand(letter, any_register(g, letter));
}

void hide_origin(generator *g, operand o) {
  const unsigned bits = o.text[1] == 'h' ? 16 : o.text[1] == 'r' ? 32 : 64;
  emit(g, "  or.b%u %s, %s, %%zero%u;\n", bits, o.text, o.text, bits);
}

operand predicate_operand(generator *g) {
  const bool is_negated = one_in(g, 2);
  operand o;
  snprintf(o.text, sizeof o.text, "%s%%p%u", is_negated ? "!" : "", pick(g, N_PREDICATES));
  return o;
}

// ---- beginning and end of a kernel

// What is read from the pool: a window of the pool that moves with the thread and the kernel. Each
// register is read with its own width, so that nothing is known of where its bits come from.
static void read_registers(generator *g) {
  const unsigned step = 2 * pick(g, 64) + 1, from = pick(g, POOL_WORDS);
  const unsigned n = 1 + N_HALVES + N_WORDS + N_DOUBLES + LOCAL_BYTES / 8;
  for (unsigned i = 0; i < n; i++) {
    emit_always(g, "  mad.lo.u32 %%t0, %%g, %u, %u;\n", step, from + 17 * i);
    emit_always(g, "  and.b32 %%t0, %%t0, %d;\n  mad.wide.u32 %%u0, %%t0, 8, %%in;\n",
                POOL_WORDS - 1);
    const unsigned half = i - 1, word = half - N_HALVES, wide = word - N_WORDS;
    if (i == 0) {
      emit_always(g, "  ld.global.b64 %%u1, [%%u0];\n");
      for (unsigned p = 0; p < N_PREDICATES; p++)
        emit_always(g, "  bfe.u64 %%u0, %%u1, %u, 1;\n  setp.ne.u64 %%p%u, %%u0, 0;\n", 9 * p, p);
    } else if (half < N_HALVES) emit_always(g, "  ld.global.b16 %%h%u, [%%u0];\n", half);
    else if (word < N_WORDS) emit_always(g, "  ld.global.b32 %%r%u, [%%u0];\n", word);
    else if (wide < N_DOUBLES) emit_always(g, "  ld.global.b64 %%d%u, [%%u0];\n", wide);
    else
      emit_always(g, "  ld.global.b64 %%u1, [%%u0];\n  st.local.b64 [lmem+%u], %%u1;\n",
                  8 * (wide - N_DOUBLES));
  }
}

// Zeros that no compiler knows, not even whether all threads have the same: a block is one row.
static void make_zeros(generator *g) {
  emit_always(g, "  mov.u32 %%zero32, %%tid.y;\n  cvt.u64.u32 %%zero64, %%zero32;\n"
                 "  cvt.u16.u32 %%zero16, %%zero32;\n");
}

static void begin_kernel(generator *g, uint64_t seed) {
  const unsigned threads = g->shape.n_threads;
  emit_always(g,
              ".visible .entry k%llu_%u(.param .u64 in, .param .u64 out, .param .u64 cells,\n"
              "  .param .u64 private_cells)\n{\n",
              (unsigned long long)seed, g->limit);
  emit_always(g,
              "  .reg .pred %%p<%d>, %%tp, %%tq;\n  .reg .b16 %%h<%d>, %%zero16;\n"
              "  .reg .b32 %%r<%d>, %%t<4>, %%m<%d>, %%c<%d>, %%zero32;\n"
              "  .reg .b32 %%me, %%g, %%smem, %%own, %%swap;\n",
              N_PREDICATES, N_HALVES, N_WORDS, MOST_DEPTH + 1, MOST_DEPTH + 1);
  emit_always(g,
              "  .reg .b64 %%d<%d>, %%u<4>, %%zero64, %%in, %%out, %%cells, %%private;\n"
              "  .reg .b128 %%q<2>;\n  .shared .align 16 .b8 smem[%u];\n"
              "  .local .align 16 .b8 lmem[%d];\n",
              N_DOUBLES, CELLS * 8 + 24 * threads, LOCAL_BYTES);
  emit_always(g,
              "  ld.param.u64 %%in, [in];\n  ld.param.u64 %%out, [out];\n"
              "  ld.param.u64 %%cells, [cells];\n  ld.param.u64 %%private, [private_cells];\n"
              "  mov.u32 %%me, %%tid.x;\n  mov.u32 %%t0, %%ctaid.x;\n"
              "  mad.lo.u32 %%g, %%t0, %u, %%me;\n  mad.wide.u32 %%private, %%g, 8, %%private;\n"
              "  mad.wide.u32 %%out, %%g, %d, %%out;\n",
              threads, 8 * STATE_WORDS);
  emit_always(g,
              "  mov.u32 %%smem, smem;\n  mad.lo.u32 %%own, %%me, 8, %%smem;\n"
              "  add.u32 %%own, %%own, %d;\n  mad.lo.u32 %%swap, %%me, 16, %%smem;\n"
              "  add.u32 %%swap, %%swap, %u;\n",
              CELLS * 8, CELLS * 8 + 8 * threads);
  make_zeros(g);
  read_registers(g);
  emit_always(g,
              "  st.shared.b64 [%%own], %%d0;\n"
              "  st.shared.v2.b64 [%%swap], {%%d1, %%d2};\n"
              "  and.b32 %%t0, %%me, %d;\n  mul.wide.u32 %%u0, %%t0, 0x9e3779b9;\n"
              "  mad.lo.u32 %%t0, %%t0, 8, %%smem;\n"
              "  setp.lt.u32 %%tp, %%me, %d;\n  @%%tp st.shared.b64 [%%t0], %%u0;\n"
              "  bar.sync 0;\n",
              CELLS - 1, CELLS);
}

// Every register is stored as 64 bits; put together in memory and not by a conversion, which the
// driver's compiler may take for one of the number that a register holds (README.md).
static void end_kernel(generator *g) {
  unsigned at = 0;
  emit_always(g, "  bar.sync 0;\n");
  for (unsigned i = 0; i < N_PREDICATES; i++)
    emit_always(g, "  selp.b64 %%u0, 1, 0, %%p%u;\n  st.global.b64 [%%out+%u], %%u0;\n", i,
                8 * at++);
  for (unsigned i = 0; i < N_HALVES; i++)
    emit_always(g, "  st.global.v4.b16 [%%out+%u], {%%h%u, %%zero16, %%zero16, %%zero16};\n",
                8 * at++, i);
  for (unsigned i = 0; i < N_WORDS; i++)
    emit_always(g, "  st.global.v2.b32 [%%out+%u], {%%r%u, %%zero32};\n", 8 * at++, i);
  for (unsigned i = 0; i < N_DOUBLES; i++)
    emit_always(g, "  st.global.b64 [%%out+%u], %%d%u;\n", 8 * at++, i);
  for (unsigned i = 0; i < LOCAL_BYTES / 8; i++)
    emit_always(g, "  ld.local.b64 %%u0, [lmem+%u];\n  st.global.b64 [%%out+%u], %%u0;\n", 8 * i,
                8 * at++);
  emit_always(g, "  ld.shared.b64 %%u0, [%%own];\n  st.global.b64 [%%out+%u], %%u0;\n", 8 * at++);
  emit_always(g,
              "  and.b32 %%t0, %%me, %d;\n  mad.lo.u32 %%t0, %%t0, 8, %%smem;\n"
              "  ld.shared.b64 %%u0, [%%t0];\n  st.global.b64 [%%out+%u], %%u0;\n  ret;\n}\n",
              CELLS - 1, 8 * at++);
}

// ---- statements

static void block(generator *g, unsigned n);

// The mask of those lanes that are here, if it is known.
static void name_lanes(generator *g, int outer, unsigned predicate) {
  if (outer == NO_MASK) return;
  g->mask_depth = (int)g->depth;
  if (outer == ALL_LANES)
    emit_always(g, "  vote.sync.ballot.b32 %%m%d, %%p%u, 0xffffffff;\n", g->mask_depth, predicate);
  else
    emit_always(g, "  vote.sync.ballot.b32 %%m%d, %%p%u, %%m%d;\n", g->mask_depth, predicate,
                outer);
}

static void name_others(generator *g, int outer) {
  if (outer == NO_MASK) return;
  emit_always(g, "  not.b32 %%m%d, %%m%d;\n", g->mask_depth, g->mask_depth);
  if (outer != ALL_LANES)
    emit_always(g, "  and.b32 %%m%d, %%m%d, %%m%d;\n", g->mask_depth, g->mask_depth, outer);
}

static void state_if(generator *g) {
  const unsigned label = g->n_labels++, predicate = pick(g, N_PREDICATES);
  const int outer = g->mask_depth;
  const bool has_else = one_in(g, 2);
  name_lanes(g, outer, predicate);
  count_row(g, "BRA");
  g->depth++;
  emit_always(g, "  @!%%p%u bra $else%u;\n", predicate, label);
  block(g, 1 + pick(g, 5));
  if (has_else) emit_always(g, "  bra $join%u;\n", label);
  emit_always(g, "$else%u:\n", label);
  if (has_else) {
    name_others(g, outer);
    block(g, 1 + pick(g, 5));
    emit_always(g, "$join%u:\n", label);
  }
  g->depth--;
  g->mask_depth = outer;
}

// A trip count of each lane's own, 1 to 4, or the same for all.
// The trip count of a loop that all threads run alike goes through a zero of each thread's own:
// ptxas 13.0 counts in a register of the warp, and counts twice where the retries of an atomic in
// shared memory split the warp.
static void state_loop(generator *g) {
  const unsigned label = g->n_labels++, counter = g->depth;
  const bool is_uniform = one_in(g, 3);
  const int outer = g->mask_depth;
  if (is_uniform) emit_always(g, "  or.b32 %%c%u, %%zero32, %u;\n", counter, pick(g, 4));
  else emit_always(g, "  and.b32 %%c%u, %s, 3;\n", counter, register_operand(g, 'r').text);
  if (!is_uniform) g->mask_depth = NO_MASK;
  g->depth++;
  emit_always(g, "$loop%u:\n", label);
  block(g, 1 + pick(g, 5));
  emit_always(g,
              "  sub.s32 %%c%u, %%c%u, 1;\n  setp.ge.s32 %%tp, %%c%u, 0;\n"
              "  @%%tp bra%s $loop%u;\n",
              counter, counter, counter, is_uniform && outer == ALL_LANES ? ".uni" : "", label);
  g->depth--;
  g->mask_depth = outer;
}

typedef enum place { ANYWHERE, KNOWN_LANES, ALL_THREADS, SHALLOW } place;

static const struct {
  void (*generate)(generator *g);
  unsigned weight;
  place where;
} kinds[] = {{state_lanes, 60, ANYWHERE},     {state_carry, 4, ANYWHERE},
             {state_pack, 4, ANYWHERE},       {state_local, 6, ANYWHERE},
             {state_load, 4, ANYWHERE},       {state_cell, 4, ANYWHERE},
             {state_private, 5, ANYWHERE},    {state_call, 1, ANYWHERE},
             {state_fence, 1, ANYWHERE},      {state_address, 1, ANYWHERE},
             {state_warp, 12, KNOWN_LANES},   {state_exchange, 6, ALL_THREADS},
             {state_barrier, 2, ALL_THREADS}, {state_if, 6, SHALLOW},
             {state_loop, 4, SHALLOW}};

static bool may_stand_here(const generator *g, place where) {
  if (where == KNOWN_LANES) return g->mask_depth != NO_MASK;
  if (where == ALL_THREADS) return g->mask_depth == ALL_LANES;
  return where == ANYWHERE || g->depth < MOST_DEPTH;
}

static void statement(generator *g) {
  unsigned sum = 0;
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    if (may_stand_here(g, kinds[k].where)) sum += kinds[k].weight;
  unsigned at = pick(g, sum);
  for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++) {
    if (!may_stand_here(g, kinds[k].where)) continue;
    if (at < kinds[k].weight) {
      kinds[k].generate(g);
      return;
    }
    at -= kinds[k].weight;
  }
}

static void block(generator *g, unsigned n) {
  for (; n > 0 && g->n_left > 0; n--) {
    g->n_left--;
    statement(g);
  }
}

// ---- a module

void generate_header(kernel_text *text) {
  generator g = {.text = text, .limit = NO_LIMIT};
  emit_always(&g,
              ".version 8.3\n.target sm_90\n.address_size 64\n.const .align 16 .b64 table[16] = {");
  for (unsigned i = 0; i < 16; i++)
    emit_always(&g, "%s0x%llx", i > 0 ? ", " : "", (unsigned long long)mix64(i + 1));
  // A branch and a loop of its own, for callers that diverge.
  emit_always(&g, "};\n.func (.param .b64 y) blend(.param .b64 x, .param .b32 k)\n{\n"
                  "  .reg .pred %%p;\n  .reg .b32 %%k;\n  .reg .b64 %%x;\n"
                  "  ld.param.b64 %%x, [x];\n  ld.param.b32 %%k, [k];\n"
                  "  and.b32 %%k, %%k, 7;\n  setp.gt.u32 %%p, %%k, 4;\n  @%%p bra $much;\n"
                  "$again:\n  mad.lo.u64 %%x, %%x, 0x5851f42d4c957f2d, 1;\n"
                  "  sub.s32 %%k, %%k, 1;\n  setp.gt.s32 %%p, %%k, 0;\n  @%%p bra $again;\n"
                  "  bra $done;\n$much:\n  not.b64 %%x, %%x;\n$done:\n"
                  "  st.param.b64 [y], %%x;\n  ret;\n}\n");
}

kernel_shape generate_kernel(kernel_text *text, uint64_t seed, unsigned limit,
                             unsigned *row_counts) {
  generator g = {.text = text,
                 .state = mix64(seed + 1),
                 .limit = limit,
                 .row_counts = row_counts,
                 .mask_depth = ALL_LANES};
  g.shape.n_blocks = 1 + pick(&g, 2);
  g.shape.n_threads = 32 * (1 + pick(&g, 4));
  g.n_left = FEWEST_STATEMENTS + pick(&g, MORE_STATEMENTS);
  begin_kernel(&g, seed);
  block(&g, g.n_left);
  end_kernel(&g);
  return g.shape;
}

// Integers near powers of two, floats of both widths and halves with everything that is special.
void make_pool(uint64_t *pool) {
  static const uint32_t singles[] = {0x7fc00000, 0x7f800000, 0xff800000, 0x80000000, 1,
                                     0x807fffff, 0x00800000, 0x3f800000, 0xbf800000, 0x7f7fffff,
                                     0x7f800001, 0xffc12345, 0x4b000001, 0x4effffff, 0x5f000000};
  static const uint64_t doubles[] = {0x7ff8000000000000,
                                     0x7ff0000000000000,
                                     0xfff0000000000000,
                                     0x8000000000000000,
                                     1,
                                     0x800fffffffffffff,
                                     0x3ff0000000000000,
                                     0x7ff0000000000001,
                                     0xfff8000012345678,
                                     0x41dfffffffc00000,
                                     0x43e0000000000000,
                                     0x36a0000000000000,
                                     0x47efffffefffffff};
  static const uint16_t halves[] = {0x7e00, 0x7c00, 0xfc00, 0x8000, 1,      0x83ff, 0x0400, 0x3c00,
                                    0x7bff, 0x7c01, 0xfe12, 0x7f80, 0xff80, 0x7fc0, 0x0080, 0x3f80};
  for (uint64_t i = 0; i < POOL_WORDS; i++) {
    const uint64_t a = mix64(3 * i + 1), b = mix64(3 * i + 2), kind = mix64(3 * i) % 8;
    const unsigned shift = (unsigned)(b % 64);
    if (kind == 0) pool[i] = a;
    else if (kind == 1) pool[i] = a >> shift;
    else if (kind == 2) pool[i] = (UINT64_C(1) << shift) - 1 + a % 3;
    else if (kind == 3) pool[i] = 0 - (a % 100);
    else if (kind == 4) pool[i] = singles[a % 15] | (uint64_t)singles[b % 15] << 32;
    else if (kind == 5) pool[i] = doubles[a % 13];
    else if (kind == 6)
      pool[i] = halves[a % 16] | (uint64_t)halves[a / 16 % 16] << 16 |
                (uint64_t)halves[b % 16] << 32 | (uint64_t)halves[b / 16 % 16] << 48;
    else // floats and doubles of ordinary size
      pool[i] = (a & 1) != 0
                    ? 0x3f00000040000000u + (a >> 8 & 0x80ffffff80ffffffu)
                    : (0x3fe0000000000000u + (b & 0x800fffffffffffffu) + ((a & 0x70) << 48));
  }
}
