// SPDX-License-Identifier: MIT
// generate_memory.c - statements that touch memory: local, pool and constants, cells, exchanges.
#include <stdio.h>
#include <string.h>

#include "generate_internal.h"
#include "rows.h"

typedef struct access {
  const char *type; // "u8"
  const char *row;  // "U8"
  unsigned bytes;
  bool is_exact; // the register must be as wide as the type
} access;

static const access accesses[] = {
    {"b8", "B8", 1, false},   {"u8", "U8", 1, false},   {"s8", "S8", 1, false},
    {"b16", "B16", 2, false}, {"u16", "U16", 2, false}, {"s16", "S16", 2, false},
    {"b32", "B32", 4, false}, {"u32", "U32", 4, false}, {"s32", "S32", 4, false},
    {"f32", "F32", 4, true},  {"b64", "B64", 8, true},  {"u64", "U64", 8, true},
    {"s64", "S64", 8, true},  {"f64", "F64", 8, true}};
enum { N_ACCESSES = sizeof accesses / sizeof accesses[0] };

// A register wide enough for an element; narrower elements may go to wider registers.
static char letter_for(generator *g, const access *a) {
  if (a->bytes == 8) return 'd';
  if (a->bytes == 4) return a->is_exact || one_in(g, 2) ? 'r' : 'd';
  return "hrd"[pick(g, 3)];
}

static unsigned registers_of(char letter) {
  return letter == 'h' ? N_HALVES : letter == 'r' ? N_WORDS : N_DOUBLES;
}

// A load or store of up to `most` bytes at once: its type words and its registers.
typedef struct transfer {
  const access *access;
  unsigned n, bytes; // elements; of all of them
  char letter;       // of its registers
  unsigned first;    // their numbers follow one another, and 0 follows the last
  char vector[16], registers[64];
} transfer;

static transfer pick_transfer(generator *g, unsigned most) {
  transfer t = {.access = &accesses[pick(g, N_ACCESSES)]};
  t.n = 1U << pick(g, 3);
  while (t.n * t.access->bytes > most) t.n /= 2;
  t.bytes = t.n * t.access->bytes;
  if (t.n > 1) snprintf(t.vector, sizeof t.vector, ".v%u", t.n);
  t.letter = letter_for(g, t.access);
  t.first = any_register(g, t.letter);
  for (unsigned i = 0; i < t.n; i++) {
    const size_t at = strlen(t.registers);
    snprintf(t.registers + at, sizeof t.registers - at, "%s%%%c%u", i > 0 ? ", " : "", t.letter,
             (t.first + i) % registers_of(t.letter));
  }
  return t;
}

static void count_transfer(generator *g, const char *opcode, const transfer *t) {
  char name[24];
  snprintf(name, sizeof name, "%s_%s", opcode, t->access->row);
  count_row(g, name);
}

// A number that was loaded as one of a float type is made mere bits (hide_origin).
static void hide_loaded(generator *g, const transfer *t) {
  const unsigned n_registers = registers_of(t->letter);
  for (unsigned i = 0; i < t->n && t->access->type[0] == 'f'; i++)
    hide_origin(g, numbered_operand(t->letter, (t->first + i) % n_registers));
}

static void emit_load(generator *g, const char *opcode, const transfer *t, const char *address) {
  emit(g, t->n > 1 ? "  %s%s.%s {%s}, [%s];\n" : "  %s%s.%s %s, [%s];\n", opcode, t->vector,
       t->access->type, t->registers, address);
  hide_loaded(g, t);
  count_transfer(g, strncmp(opcode, "ldu", 3) == 0 ? "LDU" : "LD", t);
}
static void emit_store(generator *g, const char *opcode, const transfer *t, const char *address) {
  emit(g, t->n > 1 ? "  %s%s.%s [%s], {%s};\n" : "  %s%s.%s [%s], %s;\n", opcode, t->vector,
       t->access->type, address, t->registers);
  count_transfer(g, "ST", t);
}

// At an offset that a register decides, in local memory or, as a generic address, the same.
void state_local(generator *g) {
  static const char *const loads[] = {"ld.local", "ld.weak.local", "ld"};
  static const char *const stores[] = {"st.local", "st.weak.local", "st"};
  begin_statement(g);
  const transfer t = pick_transfer(g, 16);
  const unsigned how = pick(g, 3);
  emit(g, "  and.b32 %%t0, %s, %u;\n", register_operand(g, 'r').text, LOCAL_BYTES - t.bytes);
  emit(g, "  mov.u64 %%u0, lmem;\n");
  if (how == 2) emit(g, "  cvta.local.u64 %%u0, %%u0;\n");
  emit(g, "  cvt.u64.u32 %%u1, %%t0;\n  add.u64 %%u0, %%u0, %%u1;\n");
  if (one_in(g, 2)) emit_store(g, stores[how], &t, "%u0");
  else emit_load(g, loads[how], &t, "%u0");
  end_statement(g);
}

static void load_constant(generator *g, const transfer *t) {
  emit(g, "  and.b32 %%t0, %s, %u;\n  cvt.u64.u32 %%u1, %%t0;\n", register_operand(g, 'r').text,
       128 - t->bytes);
  emit(g, "  mov.u64 %%u0, table;\n  add.u64 %%u0, %%u0, %%u1;\n");
  emit_load(g, "ld.const", t, "%u0");
}

void state_load(generator *g) {
  static const char *const opcodes[] = {"ld.global",
                                        "ld.global.nc",
                                        "ld",
                                        "ldu.global",
                                        "ld.volatile.global",
                                        "ld.relaxed.gpu.global",
                                        "ld.acquire.sys.global",
                                        "ld.global.ca",
                                        "ld.global.cg",
                                        "ld.global.cs"};
  begin_statement(g);
  const transfer t = pick_transfer(g, 16);
  const unsigned how = pick(g, 12);
  if (how >= 10) load_constant(g, &t);
  else {
    emit(g, "  and.b32 %%t0, %s, %u;\n  cvt.u64.u32 %%u1, %%t0;\n", register_operand(g, 'r').text,
         8 * POOL_WORDS - t.bytes);
    emit(g, "  add.u64 %%u0, %%in, %%u1;\n");
    emit_load(g, opcodes[how], &t, "%u0");
  }
  end_statement(g);
}

// ---- cells

// Operations whose order does not matter, a cell each. inc and dec: with one modulus.
static const struct {
  const char *operation, *row, *operand; // operand: the letter of a register, or a constant
} commuting[] = {
    {"add.u32", "ADD_U32", "r"}, {"add.s32", "ADD_S32", "r"}, {"add.u64", "ADD_U64", "d"},
    {"min.u32", "MIN_U32", "r"}, {"min.s32", "MIN_S32", "r"}, {"min.u64", "MIN_U64", "d"},
    {"min.s64", "MIN_S64", "d"}, {"max.u32", "MAX_U32", "r"}, {"max.s32", "MAX_S32", "r"},
    {"max.u64", "MAX_U64", "d"}, {"max.s64", "MAX_S64", "d"}, {"and.b32", "AND_B32", "r"},
    {"and.b64", "AND_B64", "d"}, {"or.b32", "OR_B32", "r"},   {"or.b64", "OR_B64", "d"},
    {"xor.b32", "XOR_B32", "r"}, {"xor.b64", "XOR_B64", "d"}, {"inc.u32", "INC_U32", "1000"},
    {"dec.u32", "DEC_U32", "77"}};
enum { N_COMMUTING = sizeof commuting / sizeof commuting[0] };

static operand operand_of(generator *g, const char *letter_or_constant) {
  if (letter_or_constant[0] >= 'a') return integer_operand(g, letter_or_constant[0]);
  operand o;
  snprintf(o.text, sizeof o.text, "%s", letter_or_constant);
  return o;
}

// Cell `index` of global or shared memory, directly or as a generic address: %u0 or %t0.
static const char *cell_address(generator *g, bool is_shared, bool is_generic, unsigned index) {
  if (!is_shared) {
    emit(g, "  add.u64 %%u0, %%cells, %u;\n", 8 * index);
    return "%u0";
  }
  emit(g, "  add.u32 %%t0, %%smem, %u;\n", 8 * index);
  if (!is_generic) return "%t0";
  emit(g, "  cvt.u64.u32 %%u0, %%t0;\n  cvta.shared.u64 %%u0, %%u0;\n");
  return "%u0";
}

void state_cell(generator *g) {
  static const char *const orders[] = {"", ".relaxed.gpu", ".release.gpu", ".relaxed.sys"};
  const unsigned index = pick(g, N_COMMUTING), order = pick(g, 4);
  const bool is_shared = one_in(g, 2), is_generic = one_in(g, 3), is_red = one_in(g, 2);
  const char *space = is_generic ? "" : is_shared ? ".shared" : ".global";
  char name[32];
  begin_statement(g);
  const char *address = cell_address(g, is_shared, is_generic, index);
  const operand value = operand_of(g, commuting[index].operand);
  if (is_red)
    emit(g, "  red%s%s.%s [%s], %s;\n", orders[order], space, commuting[index].operation, address,
         value.text);
  else
    emit(g, "  atom%s%s.%s %s, [%s], %s;\n", orders[order], space, commuting[index].operation,
         strstr(commuting[index].operation, "64") != NULL ? "%u1" : "%t1", address, value.text);
  snprintf(name, sizeof name, "%s_%s", is_red ? "RED" : "ATOM", commuting[index].row);
  count_row(g, name);
  end_statement(g);
}

// "ADD" and "F16X2" of ATOM_ADD_F16X2, in lower case; noftz where the type demands it.
static void operation_of(const row *r, char *out, size_t room) {
  const char *operation = strchr(r->name, '_') + 1, *type = strchr(operation, '_') + 1;
  const bool noftz = strstr(type, "F16") != NULL;
  snprintf(out, room, "%.*s%s.%s", (int)(type - operation - 1), operation, noftz ? ".noftz" : "",
           type);
  for (char *c = out; *c != 0; c++)
    if (*c >= 'A' && *c <= 'Z') *c = (char)(*c - 'A' + 'a');
}

// ptxas 13.0 splits packed halves for its loop of shared memory, and takes the upper one from the
// wrong bits where the register was made from a wider one (cvt.u32.u64).
static operand private_operand(generator *g, const row *r, bool is_shared) {
  const operand b = register_operand(g, register_letter(r->type));
  if (is_shared && strstr(r->type, "X2") != NULL) hide_origin(g, b);
  return b;
}

static void write_private(generator *g, const row *r, bool is_red, bool is_shared) {
  static const char *const orders[] = {"", ".relaxed.gpu", ".acq_rel.gpu", ".acquire.cta"};
  const char letter = register_letter(r->type), *address = is_shared ? "%own" : "%private";
  const char *space = is_shared ? ".shared" : ".global";
  char operation[40];
  operation_of(r, operation, sizeof operation);
  const unsigned order = pick(g, 4);
  if (is_red) {
    const operand b = private_operand(g, r, is_shared);
    emit(g, "  red%s%s.%s [%s], %s;\n", order < 2 ? orders[order] : "", space, operation, address,
         b.text);
  } else {
    const operand d = register_operand(g, letter), b = private_operand(g, r, is_shared);
    emit(g, "  atom%s%s.%s %s, [%s], %s", orders[order], space, operation, d.text, address, b.text);
    if (r->n_sources == 2) emit(g, ", %s", register_operand(g, letter).text);
    emit(g, ";\n");
    if (strchr(r->type, 'F') != NULL) hide_origin(g, d);
  }
  if (strcmp(r->type, "F64") == 0 && is_shared) { // whose NaN it is: the compiler decides
    emit(g, "  ld%s.b64 %%u0, [%s];\n  testp.notanumber.f64 %%tp, %%u0;\n", space, address);
    emit(g, "  @%%tp st%s.b64 [%s], 0x7fffffffffffffff;\n", space, address);
  }
}

// On a cell that no other thread touches: any operation, and its result counts.
void state_private(generator *g) {
  const row *found[128];
  unsigned n = 0;
  const bool is_red = one_in(g, 4), is_shared = one_in(g, 2);
  for (unsigned i = 0; i < n_ordered && n < 128; i++)
    if (strcmp(rows[row_order[i]].form, is_red ? "RED" : "ATOM") == 0)
      found[n++] = &rows[row_order[i]];
  const row *r = found[pick(g, n)];
  begin_statement(g);
  write_private(g, r, is_red, is_shared);
  count_row_at(g, (unsigned)(r - rows));
  end_statement(g);
}

// ---- addresses, calls, fences

void state_address(generator *g) {
  static const char *const spaces[] = {"global", "shared", "local", "const"};
  const unsigned of = pick(g, 3), asked = pick(g, 4);
  begin_statement(g);
  if (of == 0) emit(g, "  cvta.global.u64 %%u0, %%in;\n");
  if (of == 1) emit(g, "  cvt.u64.u32 %%u1, %%own;\n  cvta.shared.u64 %%u0, %%u1;\n");
  if (of == 2) emit(g, "  mov.u64 %%u1, lmem;\n  cvta.local.u64 %%u0, %%u1;\n");
  emit(g, "  isspacep.%s %s, %%u0;\n", spaces[asked], register_operand(g, 'p').text);
  if (of == 1) {
    emit(g, "  cvta.to.shared.u64 %%u2, %%u0;\n  sub.u64 %%u2, %%u2, %%u1;\n");
    emit(g, "  add.u64 %%d0, %%d0, %%u2;\n  ld.b64 %s, [%%u0];\n", register_operand(g, 'd').text);
  }
  count_row(g, "CVTA_U64");
  count_row(g, "ISSPACEP_OP");
  end_statement(g);
}

void state_call(generator *g) {
  begin_statement(g);
  emit(g, "  {\n  .param .b64 x;\n  .param .b32 k;\n  .param .b64 y;\n");
  emit(g, "  st.param.b64 [x], %s;\n", register_operand(g, 'd').text);
  emit(g, "  st.param.b32 [k], %s;\n", register_operand(g, 'r').text);
  emit(g, "  call (y), blend, (x, k);\n  ld.param.b64 %s, [y];\n  }\n",
       register_operand(g, 'd').text);
  count_row(g, "CALL_OP");
  count_row(g, "RET");
  end_statement(g);
}

void state_fence(generator *g) {
  static const struct {
    const char *text, *row;
  } fences[] = {{"membar.cta", "MEMBAR"},
                {"membar.gl", "MEMBAR"},
                {"membar.sys", "MEMBAR"},
                {"fence.acq_rel.gpu", "FENCE_OP"},
                {"fence.sc.cta", "FENCE_OP"},
                {"nanosleep.u32 20", "NANOSLEEP_U32"},
                {"griddepcontrol.wait", "GRIDDEPCONTROL_WAIT"},
                {"griddepcontrol.launch_dependents", "GRIDDEPCONTROL_LAUNCH_DEPENDENTS"},
                {"prefetch.global.L2 [%in]", "PREFETCH"},
                {"prefetchu.L1 [%in]", "PREFETCHU"}};
  const unsigned which = pick(g, sizeof fences / sizeof fences[0]);
  begin_statement(g);
  emit(g, "  %s;\n", fences[which].text);
  count_row(g, fences[which].row);
  end_statement(g);
}

// ---- between threads of a block

static void emit_barrier(generator *g) {
  static const char *const barriers[] = {"bar.sync 0", "barrier.sync 0", "barrier.sync.aligned 0",
                                         "bar.cta.sync 0", "bar.sync 3, "};
  const unsigned which = pick(g, 5);
  if (which == 4) emit(g, "  %s%u;\n", barriers[which], g->shape.n_threads);
  else emit(g, "  %s;\n", barriers[which]);
  count_row(g, strncmp(barriers[which], "bar.", 4) == 0 ? "BAR_SYNC" : "BARRIER_SYNC");
}

// Each thread writes to its own 16 bytes; after a barrier each reads another's; a barrier.
void state_exchange(generator *g) {
  begin_statement(g);
  const transfer out = pick_transfer(g, 16), in = pick_transfer(g, 16);
  const unsigned shift = pick(g, g->shape.n_threads);
  const bool is_volatile = one_in(g, 3);
  emit_store(g, is_volatile ? "st.volatile.shared" : "st.shared", &out, "%swap");
  emit_barrier(g);
  emit(g, "  add.u32 %%t0, %%me, %u;\n  rem.u32 %%t0, %%t0, %u;\n", shift, g->shape.n_threads);
  emit(g, "  mad.lo.u32 %%t0, %%t0, 16, %%smem;\n  add.u32 %%t0, %%t0, %u;\n",
       CELLS * 8 + 8 * g->shape.n_threads + pick(g, 16 / in.bytes) * in.bytes);
  emit_load(g, is_volatile ? "ld.volatile.shared" : "ld.shared", &in, "%t0");
  emit_barrier(g);
  end_statement(g);
}

void state_barrier(generator *g) {
  static const char *const operations[] = {"popc.u32", "and.pred", "or.pred"};
  static const char *const names[] = {"POPC_U32", "AND_PRED", "OR_PRED"};
  const unsigned operation = pick(g, 3), spelling = pick(g, 3);
  char name[40];
  begin_statement(g);
  const operand d = register_operand(g, operation == 0 ? 'r' : 'p'), p = predicate_operand(g);
  emit(g, "  %s.red%s%s %s, 0, %s;\n", spelling == 0 ? "bar" : "barrier",
       spelling == 2 ? ".aligned." : ".", operations[operation], d.text, p.text);
  snprintf(name, sizeof name, "%s_RED_%s", spelling == 0 ? "BAR" : "BARRIER", names[operation]);
  count_row(g, name);
  end_statement(g);
}
