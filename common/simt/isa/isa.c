// SPDX-License-Identifier: MIT
// isa/isa.c - the opcode table: from the words of an instruction to its row, or to a clear refusal.
//
// The suffixes of an instruction are types (at most two) and modifier words. Words become bits
// (isa/modifiers.h) and fields of isa_op; opcode, types and bits together must fit exactly one
// row. Everything else is refused, so that no modifier is ever silently ignored; only cache hints
// are accepted without effect, because they have none on results.
// Invariant: nothing here changes; whoever looks instructions up brings an index along.
#include "isa/isa.h"

#include <stdio.h>
#include <string.h>

#include "isa/modifiers.h"

// ---- rows

// clang-format off
const isa_row isa_rows[ISA_ID_COUNT] = {
#define ISA_ROW(id, opcode, type, source, required, allowed, klass, form, n, d, a, b, c, fn)     \
  {ISA_##id, #id, opcode, PTX_##type, PTX_##source, (required), (allowed), SIMT_CLASS_##klass,   \
   ISA_##form, n, PTX_##d, PTX_##a, PTX_##b, PTX_##c},
#include "isa/isa.def"
#undef ISA_ROW
};
// clang-format on

// ---- modifier words

typedef enum word_field {
  FIELD_NONE,
  FIELD_ROUNDING,
  FIELD_ROUNDING_TO_INTEGER,
  FIELD_COMPARE,
  FIELD_SPACE,
  FIELD_VECTOR,
  FIELD_ORDER,
  FIELD_SCOPE,
  FIELD_SHUFFLE,
  FIELD_PRMT,
  FIELD_TEST
} word_field;

typedef struct word {
  const char *text;
  uint64_t bits;
  word_field field;
  uint8_t value;
  const char *only_for; // opcode to which this meaning is confined, or NULL
} word;

// A word with two meanings has its confined one first.
static const word words[] = {
    {"rn", M_RN | M_RND, FIELD_ROUNDING, ISA_RN, NULL},
    {"rz", M_RZ | M_RND, FIELD_ROUNDING, ISA_RZ, NULL},
    {"rm", M_RM | M_RND, FIELD_ROUNDING, ISA_RM, NULL},
    {"rp", M_RP | M_RND, FIELD_ROUNDING, ISA_RP, NULL},
    {"rni", M_RNDI, FIELD_ROUNDING_TO_INTEGER, ISA_RN, NULL},
    {"rzi", M_RNDI, FIELD_ROUNDING_TO_INTEGER, ISA_RZ, NULL},
    {"rmi", M_RNDI, FIELD_ROUNDING_TO_INTEGER, ISA_RM, NULL},
    {"rpi", M_RNDI, FIELD_ROUNDING_TO_INTEGER, ISA_RP, NULL},
    {"ftz", M_FTZ, FIELD_NONE, 0, NULL},
    {"sat", M_SAT, FIELD_NONE, 0, NULL},
    {"approx", M_APPROX, FIELD_NONE, 0, NULL},
    {"full", M_FULL, FIELD_NONE, 0, NULL},
    {"cc", M_CC, FIELD_NONE, 0, NULL},
    {"wide", M_WIDE, FIELD_NONE, 0, NULL},
    {"NaN", M_NAN, FIELD_NONE, 0, NULL},
    {"xorsign", M_XORSIGN_ABS, FIELD_NONE, 0, NULL},
    {"abs", M_XORSIGN_ABS, FIELD_NONE, 0, NULL},
    {"wrap", M_WRAP, FIELD_NONE, 0, NULL},
    {"clamp", M_CLAMP, FIELD_NONE, 0, NULL},
    {"shiftamt", M_SHIFTAMT, FIELD_NONE, 0, NULL},
    {"l", M_LEFT, FIELD_NONE, 0, NULL},
    {"r", M_RIGHT, FIELD_NONE, 0, NULL},
    {"noftz", M_NOFTZ, FIELD_NONE, 0, NULL},
    {"to", M_TO, FIELD_NONE, 0, NULL},

    {"f4e", M_PRMT, FIELD_PRMT, 1, NULL},
    {"b4e", M_PRMT, FIELD_PRMT, 2, NULL},
    {"rc8", M_PRMT, FIELD_PRMT, 3, NULL},
    {"ecl", M_PRMT, FIELD_PRMT, 4, NULL},
    {"ecr", M_PRMT, FIELD_PRMT, 5, NULL},
    {"rc16", M_PRMT, FIELD_PRMT, 6, NULL},
    {"finite", M_TEST, FIELD_TEST, ISA_TEST_FINITE, NULL},
    {"infinite", M_TEST, FIELD_TEST, ISA_TEST_INFINITE, NULL},
    {"number", M_TEST, FIELD_TEST, ISA_TEST_NUMBER, NULL},
    {"notanumber", M_TEST, FIELD_TEST, ISA_TEST_NAN, NULL},
    {"normal", M_TEST, FIELD_TEST, ISA_TEST_NORMAL, NULL},
    {"subnormal", M_TEST, FIELD_TEST, ISA_TEST_SUBNORMAL, NULL},

    {"lo", M_CMP, FIELD_COMPARE, ISA_LT, "setp"},
    {"hi", M_CMP, FIELD_COMPARE, ISA_GT, "setp"},
    {"lo", M_CMP, FIELD_COMPARE, ISA_LT, "set"},
    {"hi", M_CMP, FIELD_COMPARE, ISA_GT, "set"},
    {"lo", M_LO, FIELD_NONE, 0, NULL},
    {"hi", M_HI, FIELD_NONE, 0, NULL},
    {"ls", M_CMP, FIELD_COMPARE, ISA_LE, NULL},
    {"hs", M_CMP, FIELD_COMPARE, ISA_GE, NULL},
    {"eq", M_CMP, FIELD_COMPARE, ISA_EQ, NULL},
    {"ne", M_CMP, FIELD_COMPARE, ISA_NE, NULL},
    {"lt", M_CMP, FIELD_COMPARE, ISA_LT, NULL},
    {"le", M_CMP, FIELD_COMPARE, ISA_LE, NULL},
    {"gt", M_CMP, FIELD_COMPARE, ISA_GT, NULL},
    {"ge", M_CMP, FIELD_COMPARE, ISA_GE, NULL},
    {"equ", M_CMP, FIELD_COMPARE, ISA_EQU, NULL},
    {"neu", M_CMP, FIELD_COMPARE, ISA_NEU, NULL},
    {"ltu", M_CMP, FIELD_COMPARE, ISA_LTU, NULL},
    {"leu", M_CMP, FIELD_COMPARE, ISA_LEU, NULL},
    {"gtu", M_CMP, FIELD_COMPARE, ISA_GTU, NULL},
    {"geu", M_CMP, FIELD_COMPARE, ISA_GEU, NULL},
    {"num", M_CMP, FIELD_COMPARE, ISA_NUM, NULL},
    {"nan", M_CMP, FIELD_COMPARE, ISA_NAN, NULL},

    {"global", M_GLOBAL, FIELD_SPACE, PTX_SPACE_GLOBAL, NULL},
    {"shared", M_SHARED, FIELD_SPACE, PTX_SPACE_SHARED, NULL},
    {"shared::cta", M_SHARED, FIELD_SPACE, PTX_SPACE_SHARED, NULL},
    {"local", M_LOCAL, FIELD_SPACE, PTX_SPACE_LOCAL, NULL},
    {"param", M_PARAM, FIELD_SPACE, PTX_SPACE_PARAM, NULL},
    {"param::entry", M_PARAM, FIELD_SPACE, PTX_SPACE_PARAM, NULL},
    {"param::func", M_PARAM, FIELD_SPACE, PTX_SPACE_PARAM, NULL},
    {"const", M_CONST, FIELD_SPACE, PTX_SPACE_CONST, NULL},
    {"volatile", M_VOLATILE, FIELD_ORDER, ISA_VOLATILE, NULL},
    {"weak", M_WEAK, FIELD_ORDER, ISA_WEAK, NULL},
    {"relaxed", M_RELAXED, FIELD_ORDER, ISA_RELAXED, NULL},
    {"acquire", M_ACQUIRE, FIELD_ORDER, ISA_ACQUIRE, NULL},
    {"release", M_RELEASE, FIELD_ORDER, ISA_RELEASE, NULL},
    {"acq_rel", M_ACQ_REL, FIELD_ORDER, ISA_ACQ_REL, NULL},
    {"sc", M_SC, FIELD_ORDER, ISA_SEQ_CST, NULL},
    {"cta", M_SCOPE, FIELD_SCOPE, ISA_SCOPE_CTA, NULL},
    {"cluster", M_SCOPE, FIELD_SCOPE, ISA_SCOPE_CLUSTER, NULL},
    {"gpu", M_SCOPE, FIELD_SCOPE, ISA_SCOPE_GPU, NULL},
    {"gl", M_SCOPE, FIELD_SCOPE, ISA_SCOPE_GPU, "membar"},
    {"sys", M_SCOPE, FIELD_SCOPE, ISA_SCOPE_SYS, NULL},
    {"nc", M_NC, FIELD_NONE, 0, NULL},
    {"ca", M_HINT, FIELD_NONE, 0, NULL},
    {"cg", M_HINT, FIELD_NONE, 0, NULL},
    {"cs", M_HINT, FIELD_NONE, 0, NULL},
    {"lu", M_HINT, FIELD_NONE, 0, NULL},
    {"cv", M_HINT, FIELD_NONE, 0, NULL},
    {"wb", M_HINT, FIELD_NONE, 0, NULL},
    {"wt", M_HINT, FIELD_NONE, 0, NULL},
    {"L1", M_HINT, FIELD_NONE, 0, NULL},
    {"L2", M_HINT, FIELD_NONE, 0, NULL},
    {"L1::evict_normal", M_HINT, FIELD_NONE, 0, NULL},
    {"L1::evict_unchanged", M_HINT, FIELD_NONE, 0, NULL},
    {"L1::evict_first", M_HINT, FIELD_NONE, 0, NULL},
    {"L1::evict_last", M_HINT, FIELD_NONE, 0, NULL},
    {"L1::no_allocate", M_HINT, FIELD_NONE, 0, NULL},
    {"L2::evict_normal", M_HINT, FIELD_NONE, 0, NULL},
    {"L2::evict_first", M_HINT, FIELD_NONE, 0, NULL},
    {"L2::evict_last", M_HINT, FIELD_NONE, 0, NULL},
    {"L2::64B", M_HINT, FIELD_NONE, 0, NULL},
    {"L2::128B", M_HINT, FIELD_NONE, 0, NULL},
    {"L2::256B", M_HINT, FIELD_NONE, 0, NULL},
    {"v2", M_VEC, FIELD_VECTOR, 2, NULL},
    {"v4", M_VEC, FIELD_VECTOR, 4, NULL},

    {"add", M_ADD, FIELD_NONE, 0, NULL},
    {"min", M_MIN, FIELD_NONE, 0, NULL},
    {"max", M_MAX, FIELD_NONE, 0, NULL},
    {"and", M_AND, FIELD_NONE, 0, NULL},
    {"or", M_OR, FIELD_NONE, 0, NULL},
    {"xor", M_XOR, FIELD_NONE, 0, NULL},
    {"exch", M_EXCH, FIELD_NONE, 0, NULL},
    {"cas", M_CAS, FIELD_NONE, 0, NULL},
    {"inc", M_INC, FIELD_NONE, 0, NULL},
    {"dec", M_DEC, FIELD_NONE, 0, NULL},
    {"popc", M_POPC, FIELD_NONE, 0, NULL},
    {"all", M_ALL, FIELD_NONE, 0, NULL},
    {"any", M_ANY, FIELD_NONE, 0, NULL},
    {"uni", M_UNI, FIELD_NONE, 0, NULL},
    {"ballot", M_BALLOT, FIELD_NONE, 0, NULL},
    {"up", M_SHFL, FIELD_SHUFFLE, ISA_SHFL_UP, NULL},
    {"down", M_SHFL, FIELD_SHUFFLE, ISA_SHFL_DOWN, NULL},
    {"bfly", M_SHFL, FIELD_SHUFFLE, ISA_SHFL_BFLY, NULL},
    {"idx", M_SHFL, FIELD_SHUFFLE, ISA_SHFL_IDX, NULL},
    {"sync", M_SYNC, FIELD_NONE, 0, NULL},
    {"aligned", M_ALIGNED, FIELD_NONE, 0, NULL},
    {"arrive", M_ARRIVE, FIELD_NONE, 0, NULL},
    {"red", M_RED_OP, FIELD_NONE, 0, NULL},
    {"warp", M_WARP, FIELD_NONE, 0, NULL},
    {"launch_dependents", M_ACTION, FIELD_NONE, 0, NULL},
    {"wait", M_ACTION, FIELD_NONE, 0, NULL},
};

enum { N_WORDS = sizeof words / sizeof words[0] };

_Static_assert((int)N_WORDS <= (int)ISA_MAX_WORDS, "isa_index has no room for all modifiers");

// ---- the index

enum { END = 0xffff };

static uint32_t hash_text(const char *text, size_t size) {
  uint32_t hash = 2166136261u; // FNV-1a
  for (size_t i = 0; i < size; i++) hash = (hash ^ (uint8_t)text[i]) * 16777619u;
  return hash;
}

static uint32_t row_bucket(const char *opcode, size_t size, ptx_type type, ptx_type source) {
  const uint32_t types = (uint32_t)type * 0x9e3779b1u + (uint32_t)source * 0x85ebca6bu;
  return (hash_text(opcode, size) + types) >> 21; // 11 bits: ISA_ROW_BUCKETS
}

void isa_index_build(isa_index *index) {
  memset(index->word_heads, 0xff, sizeof index->word_heads);
  memset(index->row_heads, 0xff, sizeof index->row_heads);
  for (uint32_t i = N_WORDS; i-- > 0;) { // backwards: chains keep the order of the table
    uint32_t hash = hash_text(words[i].text, strlen(words[i].text));
    uint16_t *head = &index->word_heads[hash % ISA_WORD_BUCKETS];
    index->word_next[i] = *head;
    *head = (uint16_t)i;
  }
  for (uint32_t i = ISA_ID_COUNT; i-- > 0;) {
    const isa_row *row = &isa_rows[i];
    uint16_t *head =
        &index
             ->row_heads[row_bucket(row->opcode, strlen(row->opcode), row->type, row->source_type)];
    index->row_next[i] = *head;
    *head = (uint16_t)i;
  }
}

static bool same_text(simt_str a, const char *b) {
  return strlen(b) == a.size && memcmp(a.at, b, a.size) == 0;
}

static const word *find_word(const isa_index *index, simt_str text, simt_str opcode) {
  for (uint16_t i = index->word_heads[hash_text(text.at, text.size) % ISA_WORD_BUCKETS]; i != END;
       i = index->word_next[i]) {
    const word *w = &words[i];
    if (same_text(text, w->text) && (!w->only_for || same_text(opcode, w->only_for))) return w;
  }
  return NULL;
}

// ---- refusal: the instruction as written and the forms nearest to it

typedef struct reading { // what the suffixes of an instruction say
  ptx_type type, source_type;
  uint32_t n_types;
  uint64_t bits;
  uint32_t fields;      // 1 << field for each that a word has set
  isa_form vector_form; // ISA_PACK, ISA_UNPACK or ISA_LANES
} reading;

static uint32_t count_bits(uint64_t bits) {
  uint32_t n = 0;
  for (; bits; bits &= bits - 1) n++;
  return n;
}

// Number of one-letter edits between two opcodes, both shorter than 16; 99 beyond that.
static uint32_t edit_distance(simt_str a, const char *b) {
  const size_t nb = strlen(b);
  if (a.size >= 16 || nb >= 16) return 99;
  uint32_t row[16];
  for (size_t j = 0; j <= nb; j++) row[j] = (uint32_t)j;
  for (size_t i = 1; i <= a.size; i++) {
    uint32_t diagonal = row[0];
    row[0] = (uint32_t)i;
    for (size_t j = 1; j <= nb; j++) {
      const uint32_t replaced = diagonal + (a.at[i - 1] != b[j - 1]);
      const uint32_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
      diagonal = row[j];
      row[j] = replaced < shorter ? replaced : shorter;
    }
  }
  return row[nb];
}

// Lower is nearer: opcode first, then types, then modifiers.
static uint32_t row_distance(const isa_row *row, simt_str opcode, const reading *r) {
  uint32_t distance = 64 * edit_distance(opcode, row->opcode);
  if (row->type != r->type) {
    distance += ptx_type_size_bytes(row->type) == ptx_type_size_bytes(r->type) ? 13 : 18;
  }
  if (row->source_type != r->source_type) distance += 13;
  distance += 4 * count_bits(row->required & ~r->bits);
  distance += 4 * count_bits(r->bits & ~(row->required | row->allowed));
  return distance;
}

static void append_nearest(simt_diag *diag, simt_str opcode, const reading *r) {
  const isa_row *nearest[3] = {NULL, NULL, NULL};
  uint32_t distances[3] = {3 * 64, 3 * 64, 3 * 64}; // farther opcodes are no help
  for (uint32_t i = 0; i < ISA_ID_COUNT; i++) {
    const uint32_t distance = row_distance(&isa_rows[i], opcode, r);
    for (uint32_t k = 0; k < 3; k++) {
      if (distance >= distances[k]) continue;
      for (uint32_t m = 2; m > k; m--) nearest[m] = nearest[m - 1], distances[m] = distances[m - 1];
      nearest[k] = &isa_rows[i], distances[k] = distance;
      break;
    }
  }
  char forms[3][128];
  if (!nearest[0]) return;
  for (uint32_t k = 0; k < 3; k++) {
    if (nearest[k]) isa_spelling(nearest[k], forms[k], sizeof forms[k]);
    else forms[k][0] = 0;
  }
  simt_diag_append(diag, "nearest supported forms: %s%s%s%s%s", forms[0], nearest[1] ? ", " : "",
                   forms[1], nearest[2] ? ", " : "", forms[2]);
}

static void write_instruction(const ptx_instr *instr, char *out, size_t out_bytes) {
  size_t at = (size_t)snprintf(out, out_bytes, "%.*s", SIMT_STR_ARG(instr->opcode));
  for (uint32_t i = 0; i < instr->n_suffixes && at < out_bytes; i++) {
    at += (size_t)snprintf(out + at, out_bytes - at, ".%.*s", SIMT_STR_ARG(instr->suffixes[i]));
  }
}

static simt_status refuse(const ptx_module *module, const ptx_instr *instr, const reading *r,
                          const char *cause, simt_str culprit, simt_diag *diag) {
  char written[256], where[512] = "";
  write_instruction(instr, written, sizeof written);
  if (module && instr->loc >= 0) {
    char source[400];
    ptx_describe_loc(module, instr->loc, instr->line, source, sizeof source);
    snprintf(where, sizeof where, " (from %s)", source);
  }
  simt_fail(diag, SIMT_UNSUPPORTED, "%s:%u: unsupported instruction '%s'%s: %s%.*s%s",
            module && module->name ? module->name : "PTX", instr->line, written, where, cause,
            SIMT_STR_ARG(culprit), culprit.size ? "'" : "");
  append_nearest(diag, instr->opcode, r);
  return SIMT_UNSUPPORTED;
}

// ---- look-up

static void set_field(isa_op *op, const word *w) {
  switch (w->field) {
  case FIELD_NONE: break;
  case FIELD_ROUNDING_TO_INTEGER: op->rounding_to_integer = true; // fall through
  case FIELD_ROUNDING: op->rounding = (isa_rounding)w->value; break;
  case FIELD_COMPARE: op->compare = (isa_compare)w->value; break;
  case FIELD_SPACE: op->space = (ptx_space)w->value; break;
  case FIELD_VECTOR: op->vector = w->value; break;
  case FIELD_ORDER: op->order = (isa_order)w->value; break;
  case FIELD_SCOPE: op->scope = (isa_scope)w->value; break;
  case FIELD_SHUFFLE: op->shuffle = (isa_shuffle)w->value; break;
  case FIELD_PRMT: op->prmt_mode = w->value; break;
  case FIELD_TEST: op->test = (isa_test)w->value; break;
  }
}

// The value that belongs to the first bit of `bits` found in `map`; 0 when there is none.
typedef struct bit_value {
  uint64_t bit;
  uint8_t value;
} bit_value;

static uint8_t value_of(uint64_t bits, const bit_value *map) {
  for (; map->bit; map++) {
    if (bits & map->bit) return map->value;
  }
  return 0;
}

static void set_operations(isa_op *op, uint64_t bits) {
  static const bit_value atomics[] = {{M_ADD, ISA_ATOM_ADD},
                                      {M_MIN, ISA_ATOM_MIN},
                                      {M_MAX, ISA_ATOM_MAX},
                                      {M_AND, ISA_ATOM_AND},
                                      {M_OR, ISA_ATOM_OR},
                                      {M_XOR, ISA_ATOM_XOR},
                                      {M_EXCH, ISA_ATOM_EXCH},
                                      {M_CAS, ISA_ATOM_CAS},
                                      {M_INC, ISA_ATOM_INC},
                                      {M_DEC, ISA_ATOM_DEC},
                                      {0, 0}};
  static const bit_value reduxes[] = {{M_ADD, ISA_REDUX_ADD},
                                      {M_MIN, ISA_REDUX_MIN},
                                      {M_MAX, ISA_REDUX_MAX},
                                      {M_AND, ISA_REDUX_AND},
                                      {M_OR, ISA_REDUX_OR},
                                      {M_XOR, ISA_REDUX_XOR},
                                      {0, 0}};
  static const bit_value booleans[] = {
      {M_AND, ISA_BOOL_AND}, {M_OR, ISA_BOOL_OR}, {M_XOR, ISA_BOOL_XOR}, {0, 0}};
  static const bit_value votes[] = {{M_ALL, ISA_VOTE_ALL},
                                    {M_ANY, ISA_VOTE_ANY},
                                    {M_UNI, ISA_VOTE_UNI},
                                    {M_BALLOT, ISA_VOTE_BALLOT},
                                    {0, 0}};
  op->ftz = (bits & M_FTZ) != 0;
  op->saturate = (bits & M_SAT) != 0;
  op->to_space = (bits & M_TO) != 0;
  op->uniform = (bits & M_UNI) != 0;
  op->match = bits & M_ALL ? ISA_MATCH_ALL : ISA_MATCH_ANY;
  op->atomic = (isa_atomic)value_of(bits, atomics);
  op->redux = (isa_redux)value_of(bits, reduxes);
  op->vote = (isa_vote)value_of(bits, votes);
  const isa_form form = op->row->form;
  const isa_bool boolean = (isa_bool)value_of(bits, booleans);
  if (form == ISA_LANES || form == ISA_SETP) op->boolean = boolean;
  if (form == ISA_BARRIER_RED) op->barrier_reduction = boolean;
}

// What PTX means when order, scope or alignment is not written.
static void set_defaults(isa_op *op, const reading *r) {
  const uint64_t orders =
      M_VOLATILE | M_WEAK | M_RELAXED | M_ACQUIRE | M_RELEASE | M_ACQ_REL | M_SC;
  const isa_form form = op->row->form;
  const bool is_membar = op->row->id == ISA_MEMBAR;
  if (!(r->bits & orders)) {
    if (form == ISA_ATOM || form == ISA_RED) op->order = ISA_RELAXED;
    if (form == ISA_FENCE) op->order = is_membar ? ISA_SEQ_CST : ISA_ACQ_REL;
  }
  if (!(r->bits & M_SCOPE) && (form == ISA_ATOM || form == ISA_RED)) op->scope = ISA_SCOPE_GPU;
  op->aligned = (r->bits & M_ALIGNED) || !strcmp(op->row->opcode, "bar");
}

static isa_form vector_form(const ptx_instr *instr) {
  if (!same_text(instr->opcode, "mov") || instr->n_operands != 2) return ISA_LANES;
  if (instr->operands[0].kind == PTX_OPERAND_VECTOR) return ISA_UNPACK;
  return instr->operands[1].kind == PTX_OPERAND_VECTOR ? ISA_PACK : ISA_LANES;
}

static bool row_fits(const isa_row *row, simt_str opcode, const reading *r) {
  if (row->type != r->type || row->source_type != r->source_type) return false;
  if ((row->required & ~r->bits) || (r->bits & ~(row->required | row->allowed))) return false;
  if (row->form == ISA_PACK || row->form == ISA_UNPACK || r->vector_form != ISA_LANES) {
    if (row->form != r->vector_form) return false;
  }
  return same_text(opcode, row->opcode);
}

// Combinations that bits alone cannot rule out; NULL when there is nothing to object to.
static const char *objection(const isa_op *op, uint64_t bits) {
  switch (op->row->form) {
  case ISA_CVTA:
  case ISA_ISSPACEP: return count_bits(bits & M_SPACE) == 1 ? NULL : "it needs one state space";
  case ISA_BARRIER:
  case ISA_BARRIER_ARRIVE:
  case ISA_BARRIER_RED:
    return (bits & M_SCOPE) && op->scope != ISA_SCOPE_CTA ? "clusters are not modelled" : NULL;
  default: return count_bits(bits & M_SPACE) > 1 ? "it names two state spaces" : NULL;
  }
}

static const char *const sync_hint =
    "warp-wide operations without .sync left PTX with sm_70; use the .sync form";

// Why no row fits, beyond "this combination is not supported".
static const char *likely_cause(simt_str opcode, const reading *r) {
  static const char *const collectives[] = {"shfl", "vote", "match", "redux"};
  for (size_t i = 0; i < sizeof collectives / sizeof collectives[0]; i++) {
    if (same_text(opcode, collectives[i]) && !(r->bits & M_SYNC)) return sync_hint;
  }
  static const char *const writers[] = {"st", "red", "atom"};
  for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
    if (same_text(opcode, writers[i]) && (r->bits & M_CONST))
      return "constant memory cannot be written by a kernel";
  }
  for (uint32_t i = 0; i < ISA_ID_COUNT; i++) {
    if (same_text(opcode, isa_rows[i].opcode)) return "no such combination of types and modifiers";
  }
  return "unknown opcode";
}

// Does the word say again, or otherwise, what a word before it said? Hints may pile up, and two
// state spaces have a message of their own.
static bool is_repeated(const reading *r, const word *w) {
  const bool has_field = w->field != FIELD_NONE && w->field != FIELD_SPACE;
  if (has_field && (r->fields & 1u << w->field)) return true;
  return (r->bits & w->bits & ~(M_HINT | M_SPACE | M_XORSIGN_ABS)) != 0;
}

static simt_status read_suffixes(const isa_index *index, const ptx_module *module,
                                 const ptx_instr *instr, reading *r, isa_op *op, simt_diag *diag) {
  const char *cause = NULL;
  simt_str culprit = {NULL, 0};
  for (uint32_t i = 0; i < instr->n_suffixes; i++) { // to the end even after a culprit: the more
    const simt_str suffix = instr->suffixes[i];      // is known, the better the suggestions
    ptx_type type;
    if (ptx_type_from_name(suffix, &type)) {
      if (r->n_types == 0) r->type = type;
      else if (r->n_types == 1) r->source_type = type;
      else cause = "it has more than two types";
      r->n_types++;
      continue;
    }
    const word *w = find_word(index, suffix, instr->opcode);
    if (w) {
      if (!cause && is_repeated(r, w)) cause = "one too many of its kind: '.", culprit = suffix;
      r->bits |= w->bits;
      r->fields |= 1u << w->field;
      set_field(op, w);
    } else if (!cause) {
      cause = "unknown modifier '.";
      culprit = suffix;
    }
  }
  if (!cause) return SIMT_OK;
  const char *why = likely_cause(instr->opcode, r);
  if (!strcmp(why, "unknown opcode")) cause = why, culprit = (simt_str){NULL, 0};
  return refuse(module, instr, r, cause, culprit, diag);
}

simt_status isa_lookup(const isa_index *index, const ptx_module *module, const ptx_instr *instr,
                       isa_op *op, simt_diag *diag) {
  *op = (isa_op){.space = PTX_SPACE_GENERIC, .vector = 1};
  reading r = {.type = PTX_NO_TYPE, .source_type = PTX_NO_TYPE, .vector_form = vector_form(instr)};
  const simt_str none = {NULL, 0};
  simt_status status = read_suffixes(index, module, instr, &r, op, diag);
  if (status != SIMT_OK) return status;
  const simt_str opcode = instr->opcode;
  uint32_t bucket = row_bucket(opcode.at, opcode.size, r.type, r.source_type);
  for (uint16_t i = index->row_heads[bucket]; i != END; i = index->row_next[i]) {
    if (!row_fits(&isa_rows[i], opcode, &r)) continue;
    op->row = &isa_rows[i];
    set_operations(op, r.bits);
    set_defaults(op, &r);
    const char *cause = objection(op, r.bits);
    return cause ? refuse(module, instr, &r, cause, none, diag) : SIMT_OK;
  }
  return refuse(module, instr, &r, likely_cause(opcode, &r), none, diag);
}

// ---- spelling

typedef struct spelled {
  uint64_t bits; // all of them allowed or required: written
  const char *text;
} spelled;

// In PTX's order. A longer group stands before its parts; what has been written is not repeated.
static const spelled spellings[] = {
    {M_WARP, ".warp"},
    {M_TO, ".to"},
    {M_ACTION, ".action"},
    {M_SYNC, ".sync"},
    {M_ARRIVE, ".arrive"},
    {M_RED_OP, ".red"},
    {M_LEFT, ".l"},
    {M_RIGHT, ".r"},
    {M_WRAP, ".wrap"},
    {M_CLAMP, ".clamp"},
    {M_SHIFTAMT, ".shiftamt"},
    {M_LO, ".lo"},
    {M_HI, ".hi"},
    {M_WIDE, ".wide"},
    {M_CC, ".cc"},
    {M_CMP, ".cmp"},
    {M_TEST, ".test"},
    {M_BOOL, ".bool"},
    {M_RND_ANY, ".rnd"},
    {M_RND | M_RN | M_RZ, ".rn|.rz"},
    {M_RND | M_RN, ".rn"},
    {M_RNDI, ".rndi"},
    {M_APPROX, ".approx"},
    {M_FULL, ".full"},
    {M_FTZ, ".ftz"},
    {M_SAT, ".sat"},
    {M_NAN, ".NaN"},
    {M_XORSIGN_ABS, ".xorsign.abs"},
    {M_PRMT, ".mode"},
    {M_VOLATILE | M_RELAXED | M_ACQUIRE, ".sem"},
    {M_VOLATILE | M_RELAXED | M_RELEASE, ".sem"},
    {M_RELAXED | M_ACQUIRE | M_RELEASE, ".sem"},
    {M_RELAXED | M_RELEASE, ".sem"},
    {M_SC, ".sem"},
    {M_SCOPE, ".scope"},
    {M_SPACE, ".space"},
    {M_GLOBAL | M_SHARED | M_LOCAL | M_PARAM, ".space"},
    {M_GLOBAL | M_SHARED, ".space"},
    {M_GLOBAL | M_LOCAL, ".space"},
    {M_GLOBAL, ".global"},
    {M_NC, ".nc"},
    {M_ALIGNED, ".aligned"},
    {M_SHFL, ".mode"},
    {M_BALLOT, ".ballot"},
    {M_ALL, ".all"},
    {M_ANY, ".any"},
    {M_UNI, ".uni"},
    {M_ADD, ".add"},
    {M_MIN, ".min"},
    {M_MAX, ".max"},
    {M_AND, ".and"},
    {M_OR, ".or"},
    {M_XOR, ".xor"},
    {M_EXCH, ".exch"},
    {M_CAS, ".cas"},
    {M_INC, ".inc"},
    {M_DEC, ".dec"},
    {M_POPC, ".popc"},
    {M_NOFTZ, ".noftz"},
    {M_HINT, ".hint"},
    {M_VEC, ".vec"},
};

static size_t append(char *out, size_t out_bytes, size_t at, const char *text, bool optional) {
  if (at >= out_bytes) return at;
  return at + (size_t)snprintf(out + at, out_bytes - at, optional ? "{%s}" : "%s", text);
}

const char *isa_spelling(const isa_row *row, char *out, size_t out_bytes) {
  if (out_bytes == 0) return out;
  size_t at = append(out, out_bytes, 0, row->opcode, false);
  uint64_t left = row->required | row->allowed;
  if (row->form == ISA_MATCH) { // the one opcode that says .sync last
    at = append(out, out_bytes, at, row->required & M_ALL ? ".all.sync" : ".any.sync", false);
    left = 0;
  }
  for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
    const spelled *s = &spellings[i];
    if (!left || (left & s->bits) != s->bits) continue;
    const bool names_a_space = row->form == ISA_CVTA || row->form == ISA_ISSPACEP;
    const bool demanded = (row->required & s->bits) || (names_a_space && s->bits == M_SPACE);
    at = append(out, out_bytes, at, s->text, !demanded);
    left &= ~s->bits;
  }
  const ptx_type types[2] = {row->type, row->source_type};
  for (int i = 0; i < 2; i++) {
    if (types[i] == PTX_NO_TYPE) continue;
    at = append(out, out_bytes, at, ".", false);
    at = append(out, out_bytes, at, ptx_type_name(types[i]), false);
  }
  if (row->form == ISA_PACK) append(out, out_bytes, at, " d, {a, ...}", false);
  if (row->form == ISA_UNPACK) append(out, out_bytes, at, " {d, ...}, a", false);
  return out;
}
