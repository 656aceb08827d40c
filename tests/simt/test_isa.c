// SPDX-License-Identifier: MIT
// test_isa.c - the opcode table: look-up and refusals, completeness, and every lane function called
// directly with the operands of opcode_cases.def, under full and partial masks, in all variants.
#include <check.h>
#include <stdio.h>

#include "exec.h"
#include "isa.h"
#include "isa_modifiers.h"
#include "opcode_case.h"

// ck_assert notes its place with every call; in loops of a million that is most of the time.
#define EXPECT(condition, ...)                     \
  do {                                             \
    if (!(condition)) ck_abort_msg(__VA_ARGS__);   \
  } while (0)

// ---- a register file: one slot of 32 x 8 bytes for each operand letter

enum {
  SLOT_BYTES = 32 * 16,
  SLOT_D = 64, SLOT_Q = SLOT_D + SLOT_BYTES, SLOT_T = SLOT_Q + SLOT_BYTES,
  SLOT_A = SLOT_T + SLOT_BYTES, SLOT_B = SLOT_A + SLOT_BYTES, SLOT_C = SLOT_B + SLOT_BYTES,
  SLOT_E = SLOT_C + SLOT_BYTES, SLOT_IMMEDIATE = SLOT_E + SLOT_BYTES,
  FILE_BYTES = SLOT_IMMEDIATE + 4 * SLOT_BYTES
};

typedef struct file {
  _Alignas(64) uint8_t bytes[FILE_BYTES];
} file;

static uint64_t get(const file *f, uint32_t slot, char letter, int lane) {
  uint32_t word;
  uint64_t wide;
  memcpy(&word, f->bytes + slot + (letter == 'p' ? 0 : 4 * lane), sizeof word);
  memcpy(&wide, f->bytes + slot + (letter == 'd' ? 8 * lane : 0), sizeof wide);
  switch (letter) {
  case 'p': return word >> lane & 1;
  case 'h': return word & 0xffff;
  case 'r': return word;
  default: return wide;
  }
}

// 16-bit values come with rubbish above them, as they may.
static void put(file *f, uint32_t slot, char letter, int lane, uint64_t value) {
  uint32_t word = (uint32_t)value;
  if (letter == 'h') word = (word & 0xffff) | 0xdead0000u;
  if (letter == 'd') {
    memcpy(f->bytes + slot + 8 * lane, &value, sizeof value);
  } else if (letter == 'p') {
    uint32_t bits;
    memcpy(&bits, f->bytes + slot, sizeof bits);
    bits = (bits & ~(1u << lane)) | (uint32_t)(value & 1) << lane;
    memcpy(f->bytes + slot, &bits, sizeof bits);
  } else {
    memcpy(f->bytes + slot + 4 * lane, &word, sizeof word);
  }
}

// ---- instructions from text

typedef struct program {
  simt_instr instrs[4];
  uint32_t n;
  uint32_t rows[4];
  uint32_t n_immediates;
} program;

static ptx_operand operand_of_text(const char *text) {
  ptx_operand operand = {.kind = PTX_OPERAND_REGISTER};
  if (*text == '{') operand.kind = PTX_OPERAND_VECTOR;
  return operand;
}

// Splits "add.cc.u32 %d, %a" into opcode, suffixes and operand texts; `text` is cut up.
static void split(char *text, ptx_instr *instr, ptx_operand *operands, char *texts[8]) {
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

static uint32_t slot_of(char letter) {
  switch (letter) {
  case 'd': return SLOT_D;
  case 'q': return SLOT_Q;
  case 't': return SLOT_T;
  case 'a': return SLOT_A;
  case 'b': return SLOT_B;
  case 'c': return SLOT_C;
  case 'e': return SLOT_E;
  default: ck_abort_msg("no operand %%%c", letter);
  }
}

static uint32_t source_slot(program *p, file *f, const char *text, uint8_t *negated, bool is_wide) {
  *negated = *text == '!';
  if (*negated) text++;
  if (*text == '%') return slot_of(text[1]);
  const uint32_t slot = (uint32_t)(SLOT_IMMEDIATE + SLOT_BYTES * p->n_immediates++);
  for (int l = 0; l < 32; l++) put(f, slot, is_wide ? 'd' : 'r', l, strtoull(text, NULL, 0));
  return slot;
}

static uint8_t lane_bytes(const opcode_case *c, char name) {
  static const char names[] = "abce";
  const char *source = strchr(names, name); // else %d or %t
  const char letter =
      source ? opcode_source_letter(c, (uint32_t)(source - names)) : c->signature[0];
  return letter == 'd' ? 8 : 4;
}

static void add_instruction(program *p, file *f, const opcode_case *c, char *text) {
  ptx_instr ptx;
  ptx_operand operands[8];
  char *texts[8];
  isa_op op;
  simt_diag diag = {0};
  split(text, &ptx, operands, texts);
  EXPECT(isa_lookup(NULL, &ptx, &op, &diag) == SIMT_OK, "%s: %s", c->text, diag.text);
  simt_instr *in = &p->instrs[p->n];
  *in = (simt_instr){.lanes = op.row->lanes, .b = SIMT_NO_SLOT, .c = SIMT_NO_SLOT,
                     .e = SIMT_NO_SLOT, .rounding = (uint8_t)op.rounding, .ftz = op.ftz,
                     .saturate = op.saturate,
                     .rounds_to_integer = op.rounding_to_integer, .compare = (uint8_t)op.compare,
                     .boolean = (uint8_t)op.boolean, .mode = op.prmt_mode};
  in->d = slot_of(texts[0][1]);
  if (strlen(texts[0]) > 3) in->e = slot_of(texts[0][4]); // %d|%q
  uint32_t *slots[4] = {&in->a, &in->b, &in->c, &in->e};
  uint8_t *negated[4] = {&in->a_negated, &in->b_negated, &in->c_negated, &(uint8_t){0}};
  const bool is_wide = ptx_type_size_bytes(op.row->d) == 8;
  for (uint32_t i = 1; i < ptx.n_operands; i++) {
    *slots[i - 1] = source_slot(p, f, texts[i], negated[i - 1], is_wide);
  }
  if (!strcmp(op.row->opcode, "cvt")) {
    in->width_bytes = lane_bytes(c, texts[0][1]);
    in->data_bytes = lane_bytes(c, texts[1][1]);
  }
  p->rows[p->n++] = op.row->id;
}

static void assemble(program *p, file *f, const opcode_case *c) {
  char text[256], *rest = NULL;
  snprintf(text, sizeof text, "%s", c->text);
  *p = (program){.n = 0};
  char *parts[4];
  uint32_t n = 0;
  for (char *part = strtok_r(text, ";", &rest); part; part = strtok_r(NULL, ";", &rest)) {
    parts[n++] = part;
  }
  for (uint32_t i = 0; i < n; i++) add_instruction(p, f, c, parts[i]);
}

static void run(const program *p, file *f, uint32_t mask, bool best) {
  for (uint32_t i = 0; i < p->n; i++) {
    const isa_lanes lanes = best ? isa_lanes_of((isa_id)p->rows[i]) : isa_rows[p->rows[i]].lanes;
    EXPECT(lanes != NULL, "%s has no lane function", isa_rows[p->rows[i]].name);
    lanes(f->bytes, &p->instrs[i], mask);
  }
}

// ---- opcode_cases.def

static const uint32_t masks[] = {0xffffffffu, 0x00000001u, 0x80000000u, 0xaaaaaaaau,
                                 0x0000ffffu, 0x12345678u, 0xfffffffeu, 0u};
enum { N_MASKS = sizeof masks / sizeof masks[0], UNTOUCHED = 0x5a };

static void check_lanes(const opcode_case *c, const opcode_vector *vectors, uint32_t n,
                        uint32_t first, const file *f, uint32_t mask, const char *variant) {
  for (int l = 0; l < 32; l++) {
    const opcode_vector *v = &vectors[(first + (uint32_t)l) % n];
    for (uint32_t r = 0; r < opcode_n_results(c); r++) {
      const char letter = c->signature[r];
      const uint64_t got = get(f, r ? SLOT_Q : SLOT_D, letter, l);
      if (mask >> l & 1) {
        EXPECT(opcode_within(c->tolerance, v->results[r], got),
                      "%s (%s, %s): %llx %llx %llx %llx gives %llx, expected %llx", c->row, c->text,
                      variant, (unsigned long long)v->sources[0], (unsigned long long)v->sources[1],
                      (unsigned long long)v->sources[2], (unsigned long long)v->sources[3],
                      (unsigned long long)got, (unsigned long long)v->results[r]);
      } else {
        const uint64_t before = UINT64_C(0x5a5a5a5a5a5a5a5a) & opcode_mask_of(letter);
        const uint64_t expected = letter == 'p' ? 0x5a5a5a5au >> l & 1 : before;
        EXPECT(got == expected, "%s (%s, %s): lane %d written under mask %08x", c->row,
                      c->text, variant, l, mask);
      }
    }
  }
}

static void check_case(const opcode_case *c, bool best) {
  static const uint32_t source_slots[4] = {SLOT_A, SLOT_B, SLOT_C, SLOT_E};
  opcode_vector vectors[OPCODE_MAX_VECTORS];
  const uint32_t n = opcode_read_vectors(c, vectors);
  EXPECT(n > 0, "%s has no vectors", c->text);
  for (uint32_t first = 0; first < n; first += 32) {
    for (uint32_t m = 0; m < N_MASKS; m++) {
      file f;
      program p;
      memset(&f, UNTOUCHED, sizeof f);
      assemble(&p, &f, c);
      for (uint32_t s = 0; s < opcode_n_sources(c); s++) {
        for (int l = 0; l < 32; l++) {
          put(&f, source_slots[s], opcode_source_letter(c, s), l,
              vectors[(first + (uint32_t)l) % n].sources[s]);
        }
      }
      run(&p, &f, masks[m], best);
      check_lanes(c, vectors, n, first, &f, masks[m], best ? "best" : "base");
      uint32_t carry;
      memcpy(&carry, f.bytes + SIMT_CARRY_SLOT, sizeof carry);
      EXPECT(((carry ^ 0x5a5a5a5au) & ~masks[m]) == 0, "%s: carry of other lanes", c->text);
    }
  }
}

// Check starts a process for every test: the tables are walked in portions.
enum { PORTION = 64 };
#define PORTIONS(n) ((n) / PORTION + 1)

static void check_cases(int portion, bool best) {
  for (int i = portion * PORTION; i < (portion + 1) * PORTION && i < OPCODE_N_CASES; i++) {
    check_case(&opcode_cases[i], best);
  }
}

START_TEST(cases_in_the_base_variant) { check_cases(_i, false); }
END_TEST

START_TEST(cases_in_the_best_variant) { check_cases(_i, true); }
END_TEST

static isa_id row_named(const char *name) {
  for (uint32_t i = 0; i < ISA_ID_COUNT; i++) {
    if (!strcmp(isa_rows[i].name, name)) return (isa_id)i;
  }
  ck_abort_msg("no row %s", name);
}

START_TEST(cases_name_the_row_they_reach) {
  for (uint32_t i = 0; i < OPCODE_N_CASES; i++) {
    file f;
    program p;
    assemble(&p, &f, &opcode_cases[i]);
    const uint32_t wanted = row_named(opcode_cases[i].row);
    bool found = false;
    for (uint32_t k = 0; k < p.n; k++) found |= p.rows[k] == wanted;
    EXPECT(found, "'%s' does not use row %s", opcode_cases[i].text, opcode_cases[i].row);
  }
}
END_TEST

static const char *const kernel_rows[] = {
#define OPCODE_KERNEL(row, ...) #row,
#include "opcode_kernels.def"
#undef OPCODE_KERNEL
};

START_TEST(every_row_has_a_case) {
  static bool covered[ISA_ID_COUNT];
  for (uint32_t i = 0; i < OPCODE_N_CASES; i++) covered[row_named(opcode_cases[i].row)] = true;
  for (size_t i = 0; i < sizeof kernel_rows / sizeof kernel_rows[0]; i++) {
    covered[row_named(kernel_rows[i])] = true;
  }
  for (uint32_t i = 0; i < ISA_ID_COUNT; i++) {
    EXPECT(covered[i], "row %s has no case in opcode_cases.def or opcode_kernels.def",
                  isa_rows[i].name);
  }
}
END_TEST

// ---- the variants agree on any bits under any flags, and the same slot may be source and result

static uint64_t random_state;

static uint64_t random_bits(void) { // xorshift
  random_state ^= random_state << 13;
  random_state ^= random_state >> 7;
  random_state ^= random_state << 17;
  return random_state;
}

static void random_file(file *f) {
  for (size_t i = 0; i < sizeof f->bytes; i += 8) {
    uint64_t x = random_bits();
    if (x & 1) x &= random_bits() & random_bits(); // some with few bits
    memcpy(f->bytes + i, &x, sizeof x);
  }
}

static simt_instr random_instr(const isa_row *row) {
  simt_instr in = {.d = SLOT_D, .a = SLOT_A, .b = SLOT_B, .c = SLOT_C, .e = SLOT_E,
                   .vector = 2, .width_bytes = 4, .data_bytes = 4,
                   .v = {SLOT_B, SLOT_C, SLOT_E, SLOT_Q}};
  const uint64_t r = random_bits();
  in.rounding = row->allowed & M_RZ || row->allowed & M_RNDI || row->required & M_RNDI ? r & 3 : 0;
  in.ftz = row->allowed & M_FTZ ? r >> 2 & 1 : 0;
  in.saturate = row->allowed & M_SAT ? r >> 3 & 1 : 0;
  in.compare = (uint8_t)((r >> 4) % 14);
  in.boolean = r >> 8 & 3;
  in.c_negated = r >> 10 & 1;
  in.mode = (uint8_t)((r >> 11) % (row->required & M_TEST ? 6 : 7));
  if (row->opcode[0] == 'c' && row->opcode[1] == 'v') {
    in.width_bytes = ptx_type_size_bytes(row->d) == 8 || (r >> 14 & 1) ? 8 : 4;
    in.data_bytes = ptx_type_size_bytes(row->a) == 8 || (r >> 15 & 1) ? 8 : 4;
  } else if (row->form == ISA_PACK || row->form == ISA_UNPACK) {
    in.width_bytes = (uint8_t)(ptx_type_size_bytes(row->type) / 2);
  }
  return in;
}

static void check_variants(const isa_row *row) {
  if (!row->lanes) return;
  random_state = UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)row->id;
  for (int round = 0; round < 24; round++) {
    file base, best;
    random_file(&base);
    best = base;
    const simt_instr in = random_instr(row);
    const uint32_t mask = round % 2 ? 0xffffffffu : (uint32_t)random_bits();
    row->lanes(base.bytes, &in, mask);
    isa_lanes_of(row->id)(best.bytes, &in, mask);
    for (size_t i = 0; i < sizeof base.bytes; i += 4) {
      EXPECT(!memcmp(base.bytes + i, best.bytes + i, 4),
                    "%s: variants differ at byte %zu, rounding %d, ftz %d, sat %d", row->name, i,
                    in.rounding, in.ftz, in.saturate);
    }
  }
}

static void check_replacement(const isa_row *row) {
  const uint32_t d = ptx_type_size_bytes(row->d), a = ptx_type_size_bytes(row->a);
  if (!row->lanes || row->form != ISA_LANES || !a || (d == 8) != (a == 8)) return;
  random_state = 77 + (uint64_t)row->id;
  for (int round = 0; round < 8; round++) {
    file apart, together;
    random_file(&apart);
    memcpy(apart.bytes + SLOT_D, apart.bytes + SLOT_A, SLOT_BYTES);
    together = apart;
    simt_instr in = random_instr(row);
    in.width_bytes = in.data_bytes = d == 8 ? 8 : 4;
    const uint32_t mask = round % 2 ? 0xffffffffu : (uint32_t)random_bits();
    isa_lanes_of(row->id)(apart.bytes, &in, mask);
    in.d = SLOT_A;
    isa_lanes_of(row->id)(together.bytes, &in, mask);
    EXPECT(!memcmp(apart.bytes + SLOT_D, together.bytes + SLOT_A, SLOT_BYTES),
                  "%s: d == a gives another result", row->name);
  }
}

START_TEST(variants_agree) {
  for (int i = 0; i < ISA_ID_COUNT; i++) check_variants(&isa_rows[i]);
}
END_TEST

START_TEST(result_may_replace_a_source) {
  for (int i = 0; i < ISA_ID_COUNT; i++) check_replacement(&isa_rows[i]);
}
END_TEST

// ---- pack, unpack, 128 bits: worked by hand

static simt_instr vector_instr(uint32_t n, uint32_t bytes) {
  return (simt_instr){.d = SLOT_D, .a = SLOT_A, .b = SIMT_NO_SLOT, .c = SIMT_NO_SLOT,
                      .e = SIMT_NO_SLOT, .vector = (uint8_t)n, .width_bytes = (uint8_t)bytes,
                      .v = {SLOT_B, SLOT_C, SLOT_E, SLOT_Q}};
}

START_TEST(packs) {
  file f;
  memset(&f, 0, sizeof f);
  put(&f, SLOT_B, 'h', 3, 0x1111);
  put(&f, SLOT_C, 'h', 3, 0x2222);
  put(&f, SLOT_E, 'h', 3, 0x3333);
  put(&f, SLOT_Q, 'h', 3, 0x4444);
  simt_instr in = vector_instr(2, 2);
  isa_rows[ISA_MOV_PACK_B32].lanes(f.bytes, &in, 1u << 3);
  ck_assert_uint_eq(get(&f, SLOT_D, 'r', 3), 0x22221111u);
  ck_assert_uint_eq(get(&f, SLOT_D, 'r', 2), 0);
  in = vector_instr(4, 2);
  isa_rows[ISA_MOV_PACK_B64].lanes(f.bytes, &in, 1u << 3);
  ck_assert_uint_eq(get(&f, SLOT_D, 'd', 3), UINT64_C(0x4444333322221111));
  put(&f, SLOT_B, 'r', 31, 0x89abcdef);
  put(&f, SLOT_C, 'r', 31, 0x01234567);
  in = vector_instr(2, 4);
  isa_rows[ISA_MOV_PACK_B64].lanes(f.bytes, &in, 1u << 31);
  ck_assert_uint_eq(get(&f, SLOT_D, 'd', 31), UINT64_C(0x0123456789abcdef));
}
END_TEST

START_TEST(unpacks) {
  file f;
  memset(&f, 0, sizeof f);
  put(&f, SLOT_A, 'd', 7, UINT64_C(0x4444333322221111));
  simt_instr in = vector_instr(4, 2);
  in.v[1] = SIMT_NO_SLOT; // `_`
  isa_rows[ISA_MOV_UNPACK_B64].lanes(f.bytes, &in, 0xffffffffu);
  ck_assert_uint_eq(get(&f, SLOT_B, 'h', 7), 0x1111);
  ck_assert_uint_eq(get(&f, SLOT_C, 'r', 7), 0);
  ck_assert_uint_eq(get(&f, SLOT_E, 'h', 7), 0x3333);
  ck_assert_uint_eq(get(&f, SLOT_Q, 'h', 7), 0x4444);
  put(&f, SLOT_A, 'r', 9, 0xaaaabbbb);
  in = vector_instr(2, 2);
  isa_rows[ISA_MOV_UNPACK_B32].lanes(f.bytes, &in, 1u << 9);
  ck_assert_uint_eq(get(&f, SLOT_B, 'h', 9), 0xbbbb);
  ck_assert_uint_eq(get(&f, SLOT_C, 'h', 9), 0xaaaa);
}
END_TEST

START_TEST(moves_128_bits) {
  file f;
  memset(&f, 0, sizeof f);
  put(&f, SLOT_B, 'd', 5, 0x1122334455667788);
  put(&f, SLOT_C, 'd', 5, 0x99aabbccddeeff00);
  simt_instr in = vector_instr(2, 8);
  isa_rows[ISA_MOV_PACK_B128].lanes(f.bytes, &in, 1u << 5);
  in.a = SLOT_D;
  in.d = SLOT_A;
  isa_rows[ISA_MOV_B128].lanes(f.bytes, &in, 1u << 5);
  in.a = SLOT_A;
  in.v[0] = SLOT_E;
  in.v[1] = SLOT_Q;
  isa_rows[ISA_MOV_UNPACK_B128].lanes(f.bytes, &in, 1u << 5);
  ck_assert_uint_eq(get(&f, SLOT_E, 'd', 5), 0x1122334455667788);
  ck_assert_uint_eq(get(&f, SLOT_Q, 'd', 5), 0x99aabbccddeeff00);
  ck_assert_uint_eq(get(&f, SLOT_E, 'd', 4), 0);
}
END_TEST

// ---- look-up

static simt_status look_up(const char *text, isa_op *op, simt_diag *diag) {
  char copy[256], *texts[8];
  ptx_instr ptx;
  ptx_operand operands[8];
  snprintf(copy, sizeof copy, "%s", text);
  split(copy, &ptx, operands, texts);
  ptx.line = 12;
  *diag = (simt_diag){0};
  return isa_lookup(NULL, &ptx, op, diag);
}

static isa_op found(const char *text, isa_id id) {
  isa_op op;
  simt_diag diag;
  EXPECT(look_up(text, &op, &diag) == SIMT_OK, "%s", diag.text);
  EXPECT(op.row->id == id, "'%s' found %s", text, op.row->name);
  return op;
}

START_TEST(finds_arithmetic) {
  isa_op op = found("add.s32 %r1, %r2, %r3", ISA_ADD_S32);
  ck_assert_int_eq(op.rounding, ISA_RN);
  ck_assert_int_eq(op.space, PTX_SPACE_GENERIC);
  ck_assert_uint_eq(op.vector, 1);
  op = found("fma.rp.ftz.sat.f32 %f1, %f2, %f3, %f4", ISA_FMA_F32);
  ck_assert(op.rounding == ISA_RP && op.ftz && op.saturate && !op.rounding_to_integer);
  op = found("cvt.rzi.s32.f32 %r1, %f1", ISA_CVT_S32_F32);
  ck_assert(op.rounding == ISA_RZ && op.rounding_to_integer);
  op = found("setp.geu.and.f32 %p1, %f1, %f2, %p2", ISA_SETP_F32);
  ck_assert(op.compare == ISA_GEU && op.boolean == ISA_BOOL_AND);
  op = found("setp.lo.u32 %p1, %r1, %r2", ISA_SETP_U32);
  ck_assert_int_eq(op.compare, ISA_LT);
  found("mul.lo.u32 %r1, %r2, %r3", ISA_MUL_LO_U32);
  found("mul.wide.s32 %rd1, %r2, %r3", ISA_MUL_WIDE_S32);
  found("div.approx.ftz.f32 %f1, %f2, %f3", ISA_DIV_APPROX_F32);
  found("min.ftz.NaN.xorsign.abs.f32 %f1, %f2, %f3", ISA_MIN_NAN_XORSIGN_F32);
  op = found("prmt.b32.rc16 %r1, %r2, %r3, %r4", ISA_PRMT_B32);
  ck_assert_uint_eq(op.prmt_mode, 6);
  op = found("shf.l.wrap.b32 %r1, %r2, %r3, %r4", ISA_SHF_L_WRAP_B32);
  ck_assert(op.shift_left && op.shift_wrap);
  found("mov.b64 %rd1, %rd2", ISA_MOV_B64);
  found("mov.b64 %rd1, {%r1;%r2}", ISA_MOV_PACK_B64);
  found("mov.b64 {%r1;%r2}, %rd1", ISA_MOV_UNPACK_B64);
}
END_TEST

START_TEST(finds_memory) {
  isa_op op = found("ld.global.nc.L1::no_allocate.L2::128B.v4.f32 {x}, [y]", ISA_LD_F32);
  ck_assert(op.space == PTX_SPACE_GLOBAL && op.vector == 4 && op.order == ISA_WEAK);
  op = found("ld.acquire.gpu.u32 %r1, [%rd1]", ISA_LD_U32);
  ck_assert(op.order == ISA_ACQUIRE && op.scope == ISA_SCOPE_GPU && op.space == PTX_SPACE_GENERIC);
  op = found("ld.volatile.shared.f32 %f1, [x]", ISA_LD_F32);
  ck_assert(op.order == ISA_VOLATILE && op.space == PTX_SPACE_SHARED);
  op = found("st.shared::cta.v2.u64 [x], {y}", ISA_ST_U64);
  ck_assert(op.space == PTX_SPACE_SHARED && op.vector == 2);
  op = found("atom.add.release.gpu.global.u32 %r1, [x], %r2", ISA_ATOM_ADD_U32);
  ck_assert(op.atomic == ISA_ATOM_ADD && op.order == ISA_RELEASE && op.scope == ISA_SCOPE_GPU);
  op = found("atom.shared.cas.b32 %r1, [x], %r2, %r3", ISA_ATOM_CAS_B32);
  ck_assert(op.atomic == ISA_ATOM_CAS && op.order == ISA_RELAXED && op.boolean == ISA_BOOL_NONE);
  op = found("red.global.and.b32 [x], %r2", ISA_RED_AND_B32);
  ck_assert(op.atomic == ISA_ATOM_AND && op.boolean == ISA_BOOL_NONE);
  found("atom.global.add.noftz.f16x2 %r1, [x], %r2", ISA_ATOM_ADD_F16X2);
  op = found("cvta.to.global.u64 %rd1, %rd2", ISA_CVTA_U64);
  ck_assert(op.to_space && op.space == PTX_SPACE_GLOBAL);
  op = found("membar.gl", ISA_MEMBAR);
  ck_assert(op.scope == ISA_SCOPE_GPU && op.order == ISA_SEQ_CST);
  op = found("fence.acq_rel.cta", ISA_FENCE_OP);
  ck_assert(op.scope == ISA_SCOPE_CTA && op.order == ISA_ACQ_REL);
}
END_TEST

START_TEST(finds_warp_and_block_operations) {
  isa_op op = found("shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1", ISA_SHFL_SYNC_B32);
  ck_assert_int_eq(op.shuffle, ISA_SHFL_DOWN);
  op = found("vote.sync.ballot.b32 %r1, %p1, -1", ISA_VOTE_SYNC_BALLOT_B32);
  ck_assert_int_eq(op.vote, ISA_VOTE_BALLOT);
  op = found("vote.sync.uni.pred %p1, %p2, -1", ISA_VOTE_SYNC_UNI_PRED);
  ck_assert_int_eq(op.vote, ISA_VOTE_UNI);
  op = found("match.all.sync.b64 %r1|%p1, %rd1, -1", ISA_MATCH_ALL_SYNC_B64);
  ck_assert(op.match_all);
  op = found("redux.sync.max.s32 %r1, %r2, -1", ISA_REDUX_SYNC_MAX_S32);
  ck_assert_int_eq(op.redux, ISA_REDUX_MAX);
  op = found("bar.red.popc.u32 %r1, 0, %p1", ISA_BAR_RED_POPC_U32);
  ck_assert_int_eq(op.barrier_reduction, ISA_BOOL_NONE);
  op = found("barrier.cta.red.or.aligned.pred %p1, 0, %p1", ISA_BARRIER_RED_OR_PRED);
  ck_assert(op.barrier_reduction == ISA_BOOL_OR && op.aligned && op.boolean == ISA_BOOL_NONE);
  op = found("barrier.sync 0", ISA_BARRIER_SYNC);
  ck_assert(!op.aligned);
  op = found("bar.sync 0", ISA_BAR_SYNC);
  ck_assert(op.aligned);
  found("bar.warp.sync -1", ISA_BAR_WARP_SYNC);
  op = found("bra.uni L", ISA_BRA);
  ck_assert(op.uniform);
}
END_TEST

static void refused(const char *text, const char *because, const char *nearest) {
  isa_op op;
  simt_diag diag;
  ck_assert_msg(look_up(text, &op, &diag) == SIMT_UNSUPPORTED, "'%s' was accepted", text);
  ck_assert_int_eq(diag.status, SIMT_UNSUPPORTED);
  ck_assert_msg(strstr(diag.text, ":12: ") != NULL, "no line in: %s", diag.text);
  ck_assert_msg(strstr(diag.text, because) != NULL, "'%s' not in: %s", because, diag.text);
  if (!nearest) return;
  ck_assert_msg(strstr(diag.text, nearest) != NULL, "'%s' not in: %s", nearest, diag.text);
}

START_TEST(refuses) {
  refused("frob.u32 %r1, %r2", "unknown opcode", NULL);
  refused("ad.u32 %r1, %r2, %r3", "unknown opcode", "add.u32");
  refused("add.u31 %r1, %r2, %r3", "unknown modifier '.u31'", "add.u32");
  refused("add.rn.u32 %r1, %r2, %r3", "no such combination", "add.u32");
  refused("fma.f32 %f1, %f2, %f3, %f4", "no such combination", "fma.rnd{.ftz}{.sat}.f32");
  refused("shfl.down.b32 %r1, %r2, 16, 31", "without .sync", "shfl.sync");
  refused("vote.ballot.b32 %r1, %p1", "without .sync", "vote.sync.ballot.b32");
  refused("cvt.rna.tf32.f32 %r1, %f1", "unknown modifier '.rna'", "cvt.");
  refused("cvt.s32.f32 %r1, %f1", "no such combination", "cvt.rndi{.ftz}{.sat}.s32.f32");
  refused("atom.global.cas.b128 %q1, [x], %q2, %q3", "no such combination", "cas");
  refused("ld.shared::cluster.u32 %r1, [x]", "unknown modifier '.shared::cluster'", "ld");
  refused("barrier.cluster.arrive", "clusters are not modelled", NULL);
  refused("fence.proxy.async", "unknown modifier '.proxy'", "fence");
  refused("cp.async.ca.shared.global [x], [y], 16", "unknown opcode", NULL);
  refused("ld.global.shared.u32 %r1, [x]", "two state spaces", NULL);
  refused("st.const.u32 [x], %r1", "constant memory cannot be written", "st");
  refused("cvta.u64 %rd1, %rd2", "state space", NULL);
  refused("cvt.u8.u16.u32 %rd1, %rd2", "more than two types", NULL);
  refused("mov.u16 %r1, {%r1;%r2}", "no such combination", "mov");
  refused("red.async.add.u32 [x], %r1", "unknown modifier '.async'", "red");
}
END_TEST

static void check_overlap(const isa_row *row) {
  for (uint32_t i = 0; i < ISA_ID_COUNT; i++) {
    const isa_row *other = &isa_rows[i];
    if (other == row || strcmp(other->opcode, row->opcode)) continue;
    EXPECT(strcmp(other->name, row->name), "two rows %s", row->name);
    if (other->type != row->type || other->source_type != row->source_type) continue;
    const bool vectors = other->form == ISA_PACK || other->form == ISA_UNPACK ||
                         row->form == ISA_PACK || row->form == ISA_UNPACK;
    if (vectors && other->form != row->form) continue;
    const bool fits = !(other->required & ~row->required) &&
                      !(row->required & ~(other->required | other->allowed));
    EXPECT(!fits, "rows %s and %s overlap", row->name, other->name);
  }
}

START_TEST(a_row_hides_no_other) {
  for (int i = 0; i < ISA_ID_COUNT; i++) {
    ck_assert_int_eq(isa_rows[i].id, i);
    check_overlap(&isa_rows[i]);
  }
}
END_TEST

static const char *spelling(isa_id id) {
  static char out[128];
  return isa_spelling(&isa_rows[id], out, sizeof out);
}

START_TEST(spells_rows) {
  ck_assert_str_eq(spelling(ISA_ADD_F32), "add{.rnd}{.ftz}{.sat}.f32");
  ck_assert_str_eq(spelling(ISA_SETP_F32), "setp.cmp{.bool}{.ftz}.f32");
  ck_assert_str_eq(spelling(ISA_SHFL_SYNC_B32), "shfl.sync.mode.b32");
  ck_assert_str_eq(spelling(ISA_MATCH_ANY_SYNC_B32), "match.any.sync.b32");
  ck_assert_str_eq(spelling(ISA_MUL_WIDE_U32), "mul.wide.u32");
  ck_assert_str_eq(spelling(ISA_CVTA_U64), "cvta{.to}.space.u64");
  ck_assert_str_eq(spelling(ISA_MOV_PACK_B64), "mov.b64 d, {a, ...}");
  ck_assert_str_eq(spelling(ISA_MOV_UNPACK_B64), "mov.b64 {d, ...}, a");
  char small[6];
  ck_assert_str_eq(isa_spelling(&isa_rows[ISA_ADD_F32], small, sizeof small), "add{.");
}
END_TEST

// A larger batch than one processor cache of look-ups: no state leaks from one to the next.
START_TEST(is_quick_and_repeatable) {
  isa_op first = found("cvt.rn.f64.u64 %fd1, %rd1", ISA_CVT_F64_U64);
  for (int i = 0; i < 100000; i++) {
    const isa_op again = found("cvt.rn.f64.u64 %fd1, %rd1", ISA_CVT_F64_U64);
    EXPECT(again.row == first.row && again.rounding == first.rounding && !again.saturate,
           "look-up %d differs", i);
  }
}
END_TEST

static Suite *suite(void) {
  Suite *s = suite_create("isa");
  TCase *look = tcase_create("look-up");
  tcase_add_test(look, finds_arithmetic);
  tcase_add_test(look, finds_memory);
  tcase_add_test(look, finds_warp_and_block_operations);
  tcase_add_test(look, refuses);
  tcase_add_test(look, a_row_hides_no_other);
  tcase_add_test(look, spells_rows);
  tcase_add_test(look, is_quick_and_repeatable);
  TCase *lanes = tcase_create("lanes");
  tcase_add_test(lanes, every_row_has_a_case);
  tcase_add_test(lanes, cases_name_the_row_they_reach);
  tcase_add_loop_test(lanes, cases_in_the_base_variant, 0, PORTIONS(OPCODE_N_CASES));
  tcase_add_loop_test(lanes, cases_in_the_best_variant, 0, PORTIONS(OPCODE_N_CASES));
  tcase_add_test(lanes, variants_agree);
  tcase_add_test(lanes, result_may_replace_a_source);
  tcase_add_test(lanes, packs);
  tcase_add_test(lanes, unpacks);
  tcase_add_test(lanes, moves_128_bits);
  tcase_set_timeout(lanes, 120);
  suite_add_tcase(s, look);
  suite_add_tcase(s, lanes);
  return s;
}

int main(void) {
  SRunner *runner = srunner_create(suite());
  srunner_run_all(runner, CK_ENV);
  const int n_failed = srunner_ntests_failed(runner);
  srunner_free(runner);
  return n_failed != 0;
}
