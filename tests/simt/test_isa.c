// SPDX-License-Identifier: MIT
// test_isa.c - the opcode table: completeness, and every lane function called
// directly with the operands of opcode_cases.def, under full and partial masks, in all variants.
#include <check.h>
#include <stdio.h>

#include "device/operands.h"
#include "lanes/table.h"
#include "isa/isa.h"
#include "isa/modifiers.h"
#include "isa_text.h"
#include "opcode_case.h"
#include "run_suite.h"

// ---- a register file: one slot of 32 x 8 bytes for each operand letter

enum {
  SLOT_BYTES = 32 * 16,
  SLOT_D = 64,
  SLOT_Q = SLOT_D + SLOT_BYTES,
  SLOT_T = SLOT_Q + SLOT_BYTES,
  SLOT_A = SLOT_T + SLOT_BYTES,
  SLOT_B = SLOT_A + SLOT_BYTES,
  SLOT_C = SLOT_B + SLOT_BYTES,
  SLOT_E = SLOT_C + SLOT_BYTES,
  SLOT_IMMEDIATE = SLOT_E + SLOT_BYTES,
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

// 16-bit values come with garbage in the upper bits, which is allowed.
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

static uint32_t source_slot(program *p, file *f, const char *text, bool *negated, bool is_wide) {
  *negated = *text == '!' || *text == '-';
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

// The parts named by "%a.b7531", four bits each.
static uint16_t parts_of(const char *text, uint16_t usual) {
  const char *at = strchr(text, '.');
  return at ? (uint16_t)strtoul(at + 2, NULL, 16) : usual;
}

static void add_instruction(program *p, file *f, const opcode_case *c, char *text) {
  ptx_instr ptx;
  ptx_operand operands[8];
  char *texts[8];
  isa_op op;
  isa_refusal refusal;
  split(text, &ptx, operands, texts);
  isa_index index;
  isa_index_build(&index);
  EXPECT(isa_lookup(&index, &ptx, &op, &refusal) == SIMT_OK, "%s: refused, %d", c->text,
         (int)refusal.kind);
  simt_instr *in = &p->instrs[p->n];
  *in = simt_blank_instr((uint8_t)op.row->form);
  in->lanes = simt_lanes_in(SIMT_LANES_BASE, op.row->id);
  in->arithmetic = (simt_arithmetic){.fourth = SIMT_NO_SLOT,
                                     .second_d = SIMT_NO_SLOT,
                                     .rounding = (uint8_t)op.rounding,
                                     .ftz = op.ftz,
                                     .saturate = op.saturate,
                                     .rounds_to_integer = op.rounding_to_integer,
                                     .compare = (uint8_t)op.compare,
                                     .boolean = (uint8_t)op.boolean,
                                     .prmt_mode = op.prmt_mode,
                                     .test = (uint8_t)op.test,
                                     .video = op.video};
  in->d = slot_of(texts[0][1]);
  if (strchr(texts[0], '|')) in->arithmetic.second_d = slot_of(texts[0][4]); // %d|%q
  uint32_t *slots[4] = {&in->a, &in->b, &in->c, &in->arithmetic.fourth};
  bool *negated[4] = {&in->a_negated, &in->b_negated, &in->c_negated, &(bool){false}};
  const bool is_wide = ptx_type_size_bytes(op.row->d) == 8;
  for (uint32_t i = 1; i < ptx.n_operands; i++) {
    *slots[i - 1] = source_slot(p, f, texts[i], negated[i - 1], is_wide);
  }
  if (op.row->required & M_VIDEO) { // signs of vmad
    in->arithmetic.video.a_minus = in->a_negated;
    in->arithmetic.video.b_minus = in->b_negated;
    in->arithmetic.video.c_minus = in->c_negated;
    in->arithmetic.video.a_parts = parts_of(texts[1], op.video.a_parts);
    in->arithmetic.video.b_parts = parts_of(texts[2], op.video.b_parts);
    if (strchr(texts[0], '.')) in->arithmetic.video.d_parts = 0;
    for (const char *part = strchr(texts[0], '.'); part && part[2]; part++)
      in->arithmetic.video.d_parts |= (uint8_t)(1 << (part[2] - '0'));
  }
  if (op.row->operation == ISA_OPERATION_CONVERT) {
    in->arithmetic.d_bytes = lane_bytes(c, texts[0][1]);
    in->arithmetic.a_bytes = lane_bytes(c, texts[1][1]);
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

static const char *const variant_names[SIMT_N_LANE_VARIANTS] = {"base", "v3", "v4"};

static void run(const program *p, file *f, uint32_t mask, simt_lane_variant variant) {
  for (uint32_t i = 0; i < p->n; i++) {
    const simt_lane_function lanes = simt_lanes_in(variant, (isa_id)p->rows[i]);
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
        EXPECT(got == expected, "%s (%s, %s): lane %d written under mask %08x", c->row, c->text,
               variant, l, mask);
      }
    }
  }
}

static void check_case(const opcode_case *c, simt_lane_variant variant) {
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
      run(&p, &f, masks[m], variant);
      check_lanes(c, vectors, n, first, &f, masks[m], variant_names[variant]);
      uint32_t carry;
      memcpy(&carry, f.bytes + SIMT_CARRY_SLOT, sizeof carry);
      EXPECT(((carry ^ 0x5a5a5a5au) & ~masks[m]) == 0, "%s: carry of other lanes", c->text);
    }
  }
}

// Check starts a process for every test: the tables are walked in portions.
enum { PORTION = 64 };
#define PORTIONS(n) ((n) / PORTION + 1)

static void check_cases(int portion, simt_lane_variant variant) {
  if (!simt_lanes_run_here(variant)) return;
  for (int i = portion * PORTION; i < (portion + 1) * PORTION && i < OPCODE_N_CASES; i++) {
    check_case(&opcode_cases[i], variant);
  }
}

START_TEST(cases_in_the_base_variant)
{ check_cases(_i, SIMT_LANES_BASE); }
END_TEST

START_TEST(cases_in_variant_v3)
{ check_cases(_i, SIMT_LANES_V3); }
END_TEST

START_TEST(cases_in_variant_v4)
{ check_cases(_i, SIMT_LANES_V4); }
END_TEST

START_TEST(the_best_variant_is_the_last_that_runs_here)
{
  const simt_lane_variant best = simt_lanes_best();
  ck_assert(simt_lanes_run_here(SIMT_LANES_BASE));
  ck_assert(simt_lanes_run_here(best));
  for (int v = (int)best + 1; v < SIMT_N_LANE_VARIANTS; v++)
    ck_assert(!simt_lanes_run_here((simt_lane_variant)v));
  ck_assert(simt_lanes_of(ISA_ADD_U32) == simt_lanes_in(best, ISA_ADD_U32));
}
END_TEST

static isa_id row_named(const char *name) {
  for (uint32_t i = 0; i < ISA_ID_COUNT; i++) {
    if (!strcmp(isa_rows[i].name, name)) return (isa_id)i;
  }
  ck_abort_msg("no row %s", name);
}

START_TEST(cases_name_the_row_they_reach)
{
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

START_TEST(every_row_has_a_case)
{
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
    if (x & 1) { // some with few bits
      x &= random_bits();
      x &= random_bits();
    }
    memcpy(f->bytes + i, &x, sizeof x);
  }
}

static simt_arithmetic random_arithmetic(const isa_row *row) {
  const uint64_t r = random_bits();
  simt_arithmetic x = {.fourth = SLOT_E, .second_d = SLOT_E, .d_bytes = 4, .a_bytes = 4};
  x.rounding = row->allowed & M_RZ || row->allowed & M_RNDI || row->required & M_RNDI ? r & 3 : 0;
  x.ftz = row->allowed & M_FTZ ? r >> 2 & 1 : 0;
  x.saturate = row->allowed & M_SAT ? r >> 3 & 1 : 0;
  x.compare = (uint8_t)((r >> 4) % 14);
  x.boolean = r >> 8 & 3;
  x.prmt_mode = (uint8_t)((r >> 11) % 7);
  x.test = (uint8_t)((r >> 11) % 6);
  if (row->opcode[0] == 'c' && row->opcode[1] == 'v') {
    x.d_bytes = ptx_type_size_bytes(row->d) == 8 || (r >> 14 & 1) ? 8 : 4;
    x.a_bytes = ptx_type_size_bytes(row->a) == 8 || (r >> 15 & 1) ? 8 : 4;
  }
  return x;
}

static simt_instr random_instr(const isa_row *row) {
  simt_instr in = simt_blank_instr((uint8_t)row->form);
  in.d = SLOT_D, in.a = SLOT_A, in.b = SLOT_B, in.c = SLOT_C;
  in.c_negated = random_bits() & 1;
  if (row->form == ISA_PACK || row->form == ISA_UNPACK)
    in.pack = (simt_pack){.element = {SLOT_B, SLOT_C},
                          .n_elements = 2,
                          .element_bytes = (uint8_t)(ptx_type_size_bytes(row->type) / 2)};
  else in.arithmetic = random_arithmetic(row);
  return in;
}

static void check_variant(const isa_row *row, simt_lane_variant variant) {
  if (!simt_lanes_in(SIMT_LANES_BASE, row->id)) return;
  random_state = UINT64_C(0x9e3779b97f4a7c15) + (uint64_t)row->id;
  for (int round = 0; round < 24; round++) {
    file base, other;
    random_file(&base);
    other = base;
    const simt_instr in = random_instr(row);
    const uint32_t mask = round % 2 ? 0xffffffffu : (uint32_t)random_bits();
    simt_lanes_in(SIMT_LANES_BASE, row->id)(base.bytes, &in, mask);
    simt_lanes_in(variant, row->id)(other.bytes, &in, mask);
    for (size_t i = 0; i < sizeof base.bytes; i += 4) {
      EXPECT(!memcmp(base.bytes + i, other.bytes + i, 4),
             "%s: base and %s differ at byte %zu, rounding %d, ftz %d, sat %d", row->name,
             variant_names[variant], i, in.arithmetic.rounding, in.arithmetic.ftz,
             in.arithmetic.saturate);
    }
  }
}

static void check_replacement(const isa_row *row) {
  const uint32_t d = ptx_type_size_bytes(row->d), a = ptx_type_size_bytes(row->a);
  if (!simt_lanes_in(SIMT_LANES_BASE, row->id) || row->form != ISA_LANES || !a ||
      (d == 8) != (a == 8))
    return;
  random_state = 77 + (uint64_t)row->id;
  for (int round = 0; round < 8; round++) {
    file apart, together;
    random_file(&apart);
    memcpy(apart.bytes + SLOT_D, apart.bytes + SLOT_A, SLOT_BYTES);
    together = apart;
    simt_instr in = random_instr(row);
    in.arithmetic.d_bytes = in.arithmetic.a_bytes = d == 8 ? 8 : 4;
    const uint32_t mask = round % 2 ? 0xffffffffu : (uint32_t)random_bits();
    simt_lanes_of(row->id)(apart.bytes, &in, mask);
    in.d = SLOT_A;
    simt_lanes_of(row->id)(together.bytes, &in, mask);
    EXPECT(!memcmp(apart.bytes + SLOT_D, together.bytes + SLOT_A, SLOT_BYTES),
           "%s: d == a gives another result", row->name);
  }
}

START_TEST(variants_agree)
{
  for (int v = SIMT_LANES_BASE + 1; v < SIMT_N_LANE_VARIANTS; v++) {
    if (!simt_lanes_run_here((simt_lane_variant)v)) continue;
    for (int i = 0; i < ISA_ID_COUNT; i++) check_variant(&isa_rows[i], (simt_lane_variant)v);
  }
}
END_TEST

START_TEST(result_may_replace_a_source)
{
  for (int i = 0; i < ISA_ID_COUNT; i++) check_replacement(&isa_rows[i]);
}
END_TEST

// ---- pack, unpack, 128 bits: worked by hand

static simt_instr vector_instr(isa_form form, uint32_t n, uint32_t bytes) {
  simt_instr in = simt_blank_instr((uint8_t)form);
  in.d = SLOT_D, in.a = SLOT_A;
  in.pack = (simt_pack){.element = {SLOT_B, SLOT_C, SLOT_E, SLOT_Q},
                        .n_elements = (uint8_t)n,
                        .element_bytes = (uint8_t)bytes};
  return in;
}

START_TEST(packs)
{
  file f;
  memset(&f, 0, sizeof f);
  put(&f, SLOT_B, 'h', 3, 0x1111);
  put(&f, SLOT_C, 'h', 3, 0x2222);
  put(&f, SLOT_E, 'h', 3, 0x3333);
  put(&f, SLOT_Q, 'h', 3, 0x4444);
  simt_instr in = vector_instr(ISA_PACK, 2, 2);
  simt_lanes_in(SIMT_LANES_BASE, ISA_MOV_PACK_B32)(f.bytes, &in, 1u << 3);
  ck_assert_uint_eq(get(&f, SLOT_D, 'r', 3), 0x22221111u);
  ck_assert_uint_eq(get(&f, SLOT_D, 'r', 2), 0);
  in = vector_instr(ISA_PACK, 4, 2);
  simt_lanes_in(SIMT_LANES_BASE, ISA_MOV_PACK_B64)(f.bytes, &in, 1u << 3);
  ck_assert_uint_eq(get(&f, SLOT_D, 'd', 3), UINT64_C(0x4444333322221111));
  put(&f, SLOT_B, 'r', 31, 0x89abcdef);
  put(&f, SLOT_C, 'r', 31, 0x01234567);
  in = vector_instr(ISA_PACK, 2, 4);
  simt_lanes_in(SIMT_LANES_BASE, ISA_MOV_PACK_B64)(f.bytes, &in, 1u << 31);
  ck_assert_uint_eq(get(&f, SLOT_D, 'd', 31), UINT64_C(0x0123456789abcdef));
}
END_TEST

START_TEST(unpacks)
{
  file f;
  memset(&f, 0, sizeof f);
  put(&f, SLOT_A, 'd', 7, UINT64_C(0x4444333322221111));
  simt_instr in = vector_instr(ISA_UNPACK, 4, 2);
  in.pack.element[1] = SIMT_NO_SLOT; // `_`
  simt_lanes_in(SIMT_LANES_BASE, ISA_MOV_UNPACK_B64)(f.bytes, &in, 0xffffffffu);
  ck_assert_uint_eq(get(&f, SLOT_B, 'h', 7), 0x1111);
  ck_assert_uint_eq(get(&f, SLOT_C, 'r', 7), 0);
  ck_assert_uint_eq(get(&f, SLOT_E, 'h', 7), 0x3333);
  ck_assert_uint_eq(get(&f, SLOT_Q, 'h', 7), 0x4444);
  put(&f, SLOT_A, 'r', 9, 0xaaaabbbb);
  in = vector_instr(ISA_UNPACK, 2, 2);
  simt_lanes_in(SIMT_LANES_BASE, ISA_MOV_UNPACK_B32)(f.bytes, &in, 1u << 9);
  ck_assert_uint_eq(get(&f, SLOT_B, 'h', 9), 0xbbbb);
  ck_assert_uint_eq(get(&f, SLOT_C, 'h', 9), 0xaaaa);
}
END_TEST

START_TEST(moves_128_bits)
{
  file f;
  memset(&f, 0, sizeof f);
  put(&f, SLOT_B, 'd', 5, 0x1122334455667788);
  put(&f, SLOT_C, 'd', 5, 0x99aabbccddeeff00);
  simt_instr in = vector_instr(ISA_PACK, 2, 8);
  simt_lanes_in(SIMT_LANES_BASE, ISA_MOV_PACK_B128)(f.bytes, &in, 1u << 5);
  in.a = SLOT_D;
  in.d = SLOT_A;
  simt_lanes_in(SIMT_LANES_BASE, ISA_MOV_B128)(f.bytes, &in, 1u << 5);
  in.a = SLOT_A;
  in.pack.element[0] = SLOT_E;
  in.pack.element[1] = SLOT_Q;
  simt_lanes_in(SIMT_LANES_BASE, ISA_MOV_UNPACK_B128)(f.bytes, &in, 1u << 5);
  ck_assert_uint_eq(get(&f, SLOT_E, 'd', 5), 0x1122334455667788);
  ck_assert_uint_eq(get(&f, SLOT_Q, 'd', 5), 0x99aabbccddeeff00);
  ck_assert_uint_eq(get(&f, SLOT_E, 'd', 4), 0);
}
END_TEST

static Suite *suite(void) {
  Suite *s = suite_create("isa");
  TCase *lanes = tcase_create("lanes");
  tcase_add_test(lanes, every_row_has_a_case);
  tcase_add_test(lanes, cases_name_the_row_they_reach);
  tcase_add_loop_test(lanes, cases_in_the_base_variant, 0, PORTIONS(OPCODE_N_CASES));
  tcase_add_loop_test(lanes, cases_in_variant_v3, 0, PORTIONS(OPCODE_N_CASES));
  tcase_add_loop_test(lanes, cases_in_variant_v4, 0, PORTIONS(OPCODE_N_CASES));
  tcase_add_test(lanes, the_best_variant_is_the_last_that_runs_here);
  tcase_add_test(lanes, variants_agree);
  tcase_add_test(lanes, result_may_replace_a_source);
  tcase_add_test(lanes, packs);
  tcase_add_test(lanes, unpacks);
  tcase_add_test(lanes, moves_128_bits);
  tcase_set_timeout(lanes, 120);
  suite_add_tcase(s, lanes);
  return s;
}

int main(void) { return run_suite(suite()); }
