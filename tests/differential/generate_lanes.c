// SPDX-License-Identifier: MIT
// generate_lanes.c - lane-wise statements: any row of isa.def that computes registers from
// registers.
//
// A row says which modifiers it demands and allows; their order in an opcode is that of `words`.
#include <stdio.h>
#include <string.h>

#include "generate_internal.h"
#include "rows.h"

const row rows[] = {
#define ISA_ROW(id, opcode, type, source, required, allowed, class, form, n, d, a, b, c, ...)      \
  {#id, opcode, #type, #source, required, allowed, #form, n, #d, #a, #b, #c},
#include "../../common/simt/isa/isa.def"
#undef ISA_ROW
};
const unsigned n_rows = sizeof rows / sizeof rows[0];
_Static_assert(sizeof rows / sizeof rows[0] <= MAX_ROWS, "MAX_ROWS is too small");

enum {
#define ISA_ROW(id, ...) AT_##id,
#include "../../common/simt/isa/isa.def"
#undef ISA_ROW
};
const unsigned short row_order[] = {
#define AT(id) AT_##id
#include "row_order.def"
#undef AT
};
const unsigned n_ordered = sizeof row_order / sizeof row_order[0];

static bool is_ordered(unsigned index) {
  for (unsigned i = 0; i < n_ordered; i++)
    if (row_order[i] == index) return true;
  return false;
}

unsigned generated_rows(void) { return n_rows; }
const char *generated_row_name(unsigned index) { return rows[index].name; }

char register_letter(const char *type) {
  if (strcmp(type, "NO_TYPE") == 0) return 0;
  if (strcmp(type, "PRED") == 0) return 'p';
  if (strstr(type, "X2") != NULL || strstr(type, "32") != NULL) return 'r';
  if (strstr(type, "64") != NULL) return 'd';
  return strstr(type, "128") != NULL ? 'q' : 'h';
}

static bool is_lanes(const row *r) {
  return strcmp(r->form, "LANES") == 0 || strcmp(r->form, "SETP") == 0;
}
static bool is_carry(const row *r) {
  return (r->required & M_CC) != 0 || strcmp(r->opcode, "addc") == 0 ||
         strcmp(r->opcode, "subc") == 0 || strcmp(r->opcode, "madc") == 0;
}
static bool is_float(const char *type) { return type[0] == 'F' || strncmp(type, "BF", 2) == 0; }

const char *why_not_generated(unsigned index) {
  const row *r = &rows[index];
  static const struct {
    const char *name, *why;
  } others[] = {{"ACTIVEMASK_B32", "the set of active lanes is the implementation's own"},
                {"TRAP_OP", "ends the kernel with an error"},
                {"BRKPT_OP", "stops in a debugger"},
                {"EXIT_OP", "lanes that have left may not be named in masks"},
                {"BAR_ARRIVE", "needs producers and consumers: opcode_kernels.def has it"},
                {"BARRIER_ARRIVE_OP", "needs producers and consumers: opcode_kernels.def has it"},
                {"RET", NULL}};
  if (!is_ordered(index)) return "newer than h200_hashes.txt: not in row_order.def";
  if ((r->required & (M_APPROX | M_FULL)) != 0)
    return "an approximation: its bits are not specified";
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (strcmp(others[i].name, r->name) == 0) return others[i].why;
  return NULL;
}

// ---- spelling

typedef struct word {
  isa_modifiers bits;    // all of them
  const char *spellings; // separated by spaces
} word;

// In the order in which the PTX ISA writes them.
static const word words[] = {{M_LO, "lo"},
                             {M_HI, "hi"},
                             {M_WIDE, "wide"},
                             {M_LEFT, "l"},
                             {M_RIGHT, "r"},
                             {M_WRAP, "wrap"},
                             {M_CLAMP, "clamp"},
                             {M_SHIFTAMT, "shiftamt"},
                             {M_TEST, "finite infinite number notanumber normal subnormal"},
                             {M_FTZ, "ftz"},
                             {M_NAN, "NaN"},
                             {M_XORSIGN_ABS, "xorsign.abs"},
                             {M_SAT, "sat"},
                             {M_CC, "cc"}};

// The n-th word of a list separated by spaces, as many as there are.
static void append_word(generator *g, char *out, size_t room, const char *list) {
  unsigned n = 1;
  for (const char *c = list; *c != 0; c++) n += *c == ' ';
  unsigned index = pick(g, n);
  while (index-- > 0) list = strchr(list, ' ') + 1;
  const size_t at = strlen(out);
  snprintf(out + at, room - at, ".%.*s", (int)strcspn(list, " "), list);
}

static void append_type(char *out, size_t room, const char *type) {
  if (strcmp(type, "NO_TYPE") == 0) return;
  size_t at = strlen(out);
  if (at + 2 < room) out[at++] = '.';
  for (; *type != 0 && at + 1 < room; type++)
    out[at++] = (char)(*type >= 'A' && *type <= 'Z' ? *type - 'A' + 'a' : *type);
  out[at] = 0;
}

static const char *comparisons(const char *type) {
  if (is_float(type)) return "eq ne lt le gt ge equ neu ltu leu gtu geu num nan";
  if (type[0] == 'B') return "eq ne";
  return type[0] == 'U' ? "eq ne lt le gt ge lo ls hi hs" : "eq ne lt le gt ge";
}

// Always written where it is allowed: see generate.h on contraction.
static void append_rounding(generator *g, const row *r, char *out, size_t room) {
  const isa_modifiers bits = r->required | r->allowed;
  char list[20] = "";
  if ((bits & M_RN) != 0) strcat(list, "rn ");
  if ((bits & M_RZ) != 0) strcat(list, "rz ");
  if ((bits & M_RM) != 0) strcat(list, "rm ");
  if ((bits & M_RP) != 0) strcat(list, "rp ");
  if (list[0] != 0) list[strlen(list) - 1] = 0;
  if (list[0] != 0) append_word(g, out, room, list);
  if ((r->required & M_RNDI) != 0 || ((r->allowed & M_RNDI) != 0 && one_in(g, 2)))
    append_word(g, out, room, "rni rzi rmi rpi");
}

typedef struct spelling {
  char opcode[64];
  bool has_boolean; // setp, set: a predicate takes part
  bool has_mode;    // prmt
} spelling;

// ptxas 13.0 forgets .ftz where f32 is rounded down or up to f16 (F2F.F16.F32.RM), so that the
// smallest numbers become the smallest half instead of 0.
static bool loses_ftz(const row *r, const char *opcode) {
  return strcmp(r->name, "CVT_F16_F32") == 0 &&
         (strstr(opcode, ".rm") != NULL || strstr(opcode, ".rp") != NULL);
}

static spelling spell(generator *g, const row *r) {
  spelling s = {.has_boolean = (r->allowed & M_BOOL) != 0 && one_in(g, 3)};
  snprintf(s.opcode, sizeof s.opcode, "%s", r->opcode);
  if ((r->required & M_CMP) != 0)
    append_word(g, s.opcode, sizeof s.opcode,
                comparisons(strcmp(r->opcode, "set") == 0 ? r->source_type : r->type));
  if (s.has_boolean) append_word(g, s.opcode, sizeof s.opcode, "and or xor");
  append_rounding(g, r, s.opcode, sizeof s.opcode);
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
    const bool is_required = (r->required & words[i].bits) != 0;
    const bool is_chosen = (r->allowed & words[i].bits) != 0 && one_in(g, 3) &&
                           !(words[i].bits == M_FTZ && loses_ftz(r, s.opcode));
    if (is_required || is_chosen) append_word(g, s.opcode, sizeof s.opcode, words[i].spellings);
  }
  append_type(s.opcode, sizeof s.opcode, r->type);
  append_type(s.opcode, sizeof s.opcode, r->source_type);
  s.has_mode = (r->allowed & M_PRMT) != 0 && one_in(g, 2);
  if (s.has_mode) append_word(g, s.opcode, sizeof s.opcode, "f4e b4e rc8 ecl ecr rc16");
  return s;
}

// ---- operands

static uint64_t awkward_integer(generator *g, unsigned bits) {
  static const uint64_t few[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255};
  const uint64_t top = UINT64_C(1) << (bits - 1);
  switch (pick(g, 4)) {
  case 0: return few[pick(g, 16)];
  case 1: return top - pick(g, 3) + 1;
  case 2: return (0 - (uint64_t)pick(g, 20)) & (top | (top - 1));
  default: return random64(g) & (top | (top - 1));
  }
}

static operand immediate(generator *g, const char *type) {
  static const uint32_t floats[] = {
      0,           0x80000000u, 0x3f800000u, 0xbf800000u, 0x7f800000u, 0xff800000u, 0x7fc00000u, 1,
      0x807fffffu, 0x00800000u, 0x7f7fffffu, 0x4f000000u, 0x5f000000u, 0x3f000000u, 0x40490fdbu};
  static const uint64_t doubles[] = {0,
                                     0x8000000000000000u,
                                     0x3ff0000000000000u,
                                     0xbff0000000000000u,
                                     0x7ff0000000000000u,
                                     0x7ff8000000000000u,
                                     1,
                                     0x800fffffffffffffu,
                                     0x0010000000000000u,
                                     0x7fefffffffffffffu,
                                     0x43e0000000000000u,
                                     0x3690000000000000u};
  operand o;
  if (strcmp(type, "F32") == 0)
    snprintf(o.text, sizeof o.text, "0f%08X", (unsigned)floats[pick(g, 15)]);
  else if (strcmp(type, "F64") == 0)
    snprintf(o.text, sizeof o.text, "0d%016llX", (unsigned long long)doubles[pick(g, 12)]);
  else {
    const char letter = register_letter(type);
    const unsigned bits = letter == 'h' ? 16 : letter == 'r' ? 32 : 64;
    snprintf(o.text, sizeof o.text, "0x%llx", (unsigned long long)awkward_integer(g, bits));
  }
  return o;
}

static bool takes_immediate(const char *type) {
  static const char *const types[] = {"U16", "S16", "B16", "U32", "S32", "B32",
                                      "U64", "S64", "B64", "F32", "F64"};
  for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
    if (strcmp(types[i], type) == 0) return true;
  return false;
}

static operand source(generator *g, const char *type, bool *may_be_immediate) {
  if (*may_be_immediate && takes_immediate(type) && one_in(g, 7)) {
    *may_be_immediate = false;
    return immediate(g, type);
  }
  return register_operand(g, register_letter(type));
}

operand integer_operand(generator *g, char letter) {
  bool may_be_immediate = true;
  return source(g, letter == 'h' ? "B16" : letter == 'r' ? "B32" : "B64", &may_be_immediate);
}

// ---- statements

// Operands after the sources of the row: setp's and set's predicate, the fourth source of bfi
// (a position) and lop3 (a table).
static void last_operand(generator *g, const row *r, const spelling *s, char *out, size_t room) {
  const size_t at = strlen(out);
  if (s->has_boolean) snprintf(out + at, room - at, ", %s", predicate_operand(g).text);
  else if (strcmp(r->opcode, "lop3") == 0) snprintf(out + at, room - at, ", 0x%x", pick(g, 256));
  else if (r->n_sources == 4) snprintf(out + at, room - at, ", %s", register_operand(g, 'r').text);
}

static void sources(generator *g, const row *r, const spelling *s, char *out, size_t room) {
  const char *const types[] = {r->a, r->b, r->c};
  bool may_be_immediate = strcmp(r->opcode, "testp") != 0;
  out[0] = 0;
  for (unsigned i = 0; i < 3 && i < r->n_sources; i++) {
    const size_t at = strlen(out);
    // fns counts from a base that has to be a bit's number, and never further than there are bits.
    if (strcmp(r->opcode, "fns") == 0 && i > 0) snprintf(out + at, room - at, ", %%t%u", i);
    else snprintf(out + at, room - at, ", %s", source(g, types[i], &may_be_immediate).text);
    // Positions and lengths of bit fields may be any register, but immediates only up to 255; and
    // ptxas 13.0 cuts the immediates of shifts to 16 bits, where it should clamp them.
    const char first = r->opcode[0];
    if ((first == 'b' && r->opcode[1] == 'f') || (first == 's' && r->opcode[1] == 'h'))
      may_be_immediate = false;
  }
  last_operand(g, r, s, out, room);
}

// Where the ISA leaves the bits of a NaN open and compilers make use of it (a negation becomes part
// of the next instruction, min(x, x) becomes x, operands in double precision change places, and
// with them the NaN that comes out), the result is made the canonical one.
static bool leaves_nan_open(const row *r) {
  static const char *const opcodes[] = {"neg", "abs", "min", "max"};
  if (strcmp(r->type, "F64") == 0 && strcmp(r->opcode, "selp") != 0 &&
      strcmp(r->opcode, "slct") != 0 && strcmp(r->opcode, "mov") != 0)
    return strcmp(r->form, "SETP") != 0 && strcmp(r->opcode, "testp") != 0;
  for (size_t i = 0; i < sizeof opcodes / sizeof opcodes[0]; i++)
    if (is_float(r->type) && strcmp(r->opcode, opcodes[i]) == 0) return true;
  return strcmp(r->name, "CVT_F32_F32") == 0; // a move, or an addition of -0
}

// ptxas 13.0 expands a guarded set or testp such that part of it runs without the guard.
static bool may_be_guarded(const row *r) {
  return strcmp(r->opcode, "set") != 0 && strcmp(r->opcode, "testp") != 0;
}

static void canonicalise(generator *g, const row *r, operand d) {
  if (strcmp(r->type, "F32") == 0) {
    emit(g, "  testp.notanumber.f32 %%tp, %s;\n", d.text);
    emit(g, "  @%%tp mov.b32 %s, 0x7fffffff;\n", d.text);
  } else if (strcmp(r->type, "F64") == 0) {
    emit(g, "  testp.notanumber.f64 %%tp, %s;\n", d.text);
    emit(g, "  @%%tp mov.b64 %s, 0x7fffffffffffffff;\n", d.text);
  } else {
    char type[12] = "";
    append_type(type, sizeof type, r->type);
    if (register_letter(r->type) == 'h') {
      emit(g, "  setp.nan%s %%tp, %s, %s;\n", type, d.text, d.text);
      emit(g, "  @%%tp mov.b16 %s, 0x7fff;\n", d.text);
      return;
    }
    emit(g, "  setp.nan%s %%tp|%%tq, %s, %s;\n", type, d.text, d.text);
    emit(g, "  @%%tp or.b32 %s, %s, 0x7fff;\n  @%%tp and.b32 %s, %s, 0xffff7fff;\n", d.text, d.text,
         d.text, d.text);
    emit(g, "  @%%tq or.b32 %s, %s, 0x7fff0000;\n  @%%tq and.b32 %s, %s, 0x7fffffff;\n", d.text,
         d.text, d.text, d.text);
  }
}

static void write_row(generator *g, const row *r) {
  const spelling s = spell(g, r);
  char operands[160], guard[16] = "";
  const unsigned d_number = any_register(g, register_letter(r->d));
  operand d;
  snprintf(d.text, sizeof d.text, "%%%c%u", register_letter(r->d), d_number);
  sources(g, r, &s, operands, sizeof operands);
  if (one_in(g, 6) && may_be_guarded(r))
    snprintf(guard, sizeof guard, "@%.8s ", predicate_operand(g).text);
  if (strcmp(r->opcode, "fns") == 0) {
    emit(g, "  and.b32 %%t1, %s, 31;\n", register_operand(g, 'r').text);
    emit(g, "  shr.s32 %%t2, %s, 26;\n", register_operand(g, 'r').text);
  }
  const bool is_pair = strstr(r->type, "X2") != NULL, is_half = strstr(r->type, "F16") != NULL;
  if (strcmp(r->form, "SETP") == 0 && (is_pair || (!is_half && one_in(g, 3))))
    snprintf(d.text, sizeof d.text, "%%p%u|%%p%u", d_number, (d_number + 1) % N_PREDICATES);
  emit(g, "  %s%s %s%s;\n", guard, s.opcode, d.text, operands);
  // ptxas 13.0 would make wrong use of its knowledge that the register holds such a number.
  if (is_float(r->d) || strstr(s.opcode, ".sat") != NULL) hide_origin(g, d);
  if (leaves_nan_open(r)) canonicalise(g, r, d);
  count_row_at(g, (unsigned)(r - rows));
}

static bool may_be_chosen(unsigned index) {
  const row *r = &rows[index];
  return is_lanes(r) && !is_carry(r) && why_not_generated(index) == NULL &&
         register_letter(r->d) != 'q';
}

// The rows that may be chosen, each opcode's together. A kernel does not depend on the others.
typedef struct choice {
  unsigned rows[MAX_ROWS], n_rows, groups[256], n_groups; // groups: where in `rows` one begins
} choice;

static const choice *choices(void) {
  static choice all;
  for (unsigned at = 0; at < n_ordered && all.n_rows < MAX_ROWS; at++) {
    const unsigned i = row_order[at];
    if (!may_be_chosen(i)) continue;
    const bool is_first =
        all.n_rows == 0 || strcmp(rows[i].opcode, rows[all.rows[all.n_rows - 1]].opcode) != 0;
    if (is_first && all.n_groups < 256) all.groups[all.n_groups++] = all.n_rows;
    all.rows[all.n_rows++] = i;
  }
  return &all;
}

// Mostly an opcode is drawn first, since cvt alone has more rows than all integer opcodes; now and
// then any row, so that each of them comes up.
static const row *pick_row(generator *g) {
  static const choice *all; // asked for in every statement
  if (all == NULL) all = choices();
  if (one_in(g, 4)) return &rows[all->rows[pick(g, all->n_rows)]];
  const unsigned group = pick(g, all->n_groups), first = all->groups[group];
  const unsigned end = group + 1 < all->n_groups ? all->groups[group + 1] : all->n_rows;
  return &rows[all->rows[first + pick(g, end - first)]];
}

void state_lanes(generator *g) {
  begin_statement(g);
  write_row(g, pick_row(g));
  end_statement(g);
}

// ---- carry chains

static const row *pick_carry(generator *g, const char *const *opcodes, bool first, bool last) {
  const row *found[128];
  unsigned n = 0;
  for (unsigned i = 0; i < n_ordered && n < 128; i++) {
    const row *r = &rows[row_order[i]];
    const bool writes = (r->required & M_CC) != 0;
    const bool reads = is_carry(r) && strchr(r->opcode, 'c') != NULL;
    if (!is_carry(r) || reads == first || (last && writes) || (!last && !writes)) continue;
    if (strcmp(r->opcode, opcodes[0]) == 0 || strcmp(r->opcode, opcodes[1]) == 0) found[n++] = r;
  }
  return found[pick(g, n)];
}

// The flags live from one instruction to the next; a borrow is not a carry, so chains do not mix.
void state_carry(generator *g) {
  static const char *const firsts[2][2] = {{"add", "mad"}, {"sub", "sub"}};
  static const char *const nexts[2][2] = {{"addc", "madc"}, {"subc", "subc"}};
  const unsigned kind = pick(g, 2), length = 2 + pick(g, 3);
  begin_statement(g);
  for (unsigned i = 0; i < length; i++) {
    const row *r = pick_carry(g, i == 0 ? firsts[kind] : nexts[kind], i == 0, i + 1 == length);
    const spelling s = spell(g, r);
    char operands[160];
    sources(g, r, &s, operands, sizeof operands);
    emit(g, "  %s %s%s;\n", s.opcode, register_operand(g, register_letter(r->d)).text, operands);
    count_row_at(g, (unsigned)(r - rows));
  }
  end_statement(g);
}

// ---- mov with vector operands

static void pack_128(generator *g) {
  const operand a = register_operand(g, 'd'), b = register_operand(g, 'd');
  emit(g, "  mov.b128 %%q0, {%s, %s};\n", a.text, b.text);
  emit(g, "  mov.b128 %%q1, %%q0;\n  st.local.b128 [lmem+16], %%q1;\n");
  emit(g, "  ld.local.b128 %%q1, [lmem+%u];\n", 16 * pick(g, 4));
  const unsigned low = pick(g, N_DOUBLES);
  emit(g, "  mov.b128 {%%d%u, %%d%u}, %%q1;\n", low, (low + 1) % N_DOUBLES);
  count_row(g, "MOV_PACK_B128");
  count_row(g, "MOV_B128");
  count_row(g, "MOV_UNPACK_B128");
  count_row(g, "LD_B128");
  count_row(g, "ST_B128");
}

void state_pack(generator *g) {
  static const struct {
    char whole, part;
    unsigned n, bits;
  } shapes[] = {{'r', 'h', 2, 32}, {'d', 'r', 2, 64}, {'d', 'h', 4, 64}};
  const unsigned shape = pick(g, 4);
  begin_statement(g);
  if (shape == 3) pack_128(g);
  else {
    const char whole = shapes[shape].whole, part = shapes[shape].part;
    const bool packs = one_in(g, 2);
    const unsigned n = shapes[shape].n, n_parts = part == 'h' ? N_HALVES : N_WORDS;
    const unsigned first = pick(g, n_parts);
    char list[64] = "", name[32];
    for (unsigned i = 0; i < n; i++) {
      const size_t at = strlen(list);
      snprintf(list + at, sizeof list - at, "%s%%%c%u", i > 0 ? ", " : "", part,
               (first + i) % n_parts);
    }
    const operand w = register_operand(g, whole);
    if (packs) emit(g, "  mov.b%u %s, {%s};\n", shapes[shape].bits, w.text, list);
    else emit(g, "  mov.b%u {%s}, %s;\n", shapes[shape].bits, list, w.text);
    snprintf(name, sizeof name, "MOV_%sPACK_B%u", packs ? "" : "UN", shapes[shape].bits);
    count_row(g, name);
  }
  end_statement(g);
}
