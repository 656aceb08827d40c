// SPDX-License-Identifier: MIT
// isa/lookup.c - from the words of an instruction to its row, or to a refusal.
//
// The suffixes of an instruction are types (at most two) and modifiers. Modifiers become bits
// (isa/modifiers.h) and fields of isa_op; opcode, types and bits together must fit exactly one row.
// Everything else is refused, so that no modifier is ever silently ignored.
// Invariant: no state; the caller passes the index.
#include <string.h>

#include "base/map.h"
#include "isa/words.h"

// ---- the index

enum { END = 0xffff };

static uint32_t row_bucket(const char *opcode, size_t size, ptx_type type, ptx_type source) {
  const uint32_t types = (uint32_t)type * 0x9e3779b1u + (uint32_t)source * 0x85ebca6bu;
  return (simt_hash_text(opcode, size) + types) >> 21; // 11 bits: ISA_ROW_BUCKETS
}

void isa_index_build(isa_index *index) {
  isa_index_words(index);
  memset(index->row_heads, 0xff, sizeof index->row_heads);
  for (uint32_t i = ISA_ID_COUNT; i-- > 0;) { // backwards: chains keep the order of the table
    const isa_row *row = &isa_rows[i];
    const uint32_t bucket =
        row_bucket(row->opcode, strlen(row->opcode), row->type, row->source_type);
    index->row_next[i] = index->row_heads[bucket];
    index->row_heads[bucket] = (uint16_t)i;
  }
}

// ---- what the suffixes say

typedef struct reading { // what the suffixes of an instruction say
  ptx_type type, source_type;
  uint32_t n_types;
  isa_modifiers bits;
  uint32_t fields;      // 1 << isa_field for each that a word has set
  isa_form vector_form; // of a move between these operands: ISA_PACK, ISA_UNPACK or ISA_LANES
} reading;

static void set_field(isa_op *op, const isa_word *w) {
  switch (w->field) {
  case ISA_FIELD_NONE: break;
  case ISA_FIELD_ROUNDING_TO_INTEGER: op->rounding_to_integer = true; // fall through
  case ISA_FIELD_ROUNDING:
    op->rounding = (isa_rounding)w->value;
    op->has_rounding = true;
    break;
  case ISA_FIELD_COMPARE: op->compare = (isa_compare)w->value; break;
  case ISA_FIELD_SPACE: op->space = (ptx_space)w->value; break;
  case ISA_FIELD_VECTOR: op->vector = w->value; break;
  case ISA_FIELD_ORDER: op->order = (isa_order)w->value; break;
  case ISA_FIELD_SCOPE: op->scope = (isa_scope)w->value; break;
  case ISA_FIELD_SHUFFLE: op->shuffle = (isa_shuffle)w->value; break;
  case ISA_FIELD_PRMT: op->prmt_mode = w->value; break;
  case ISA_FIELD_GEOMETRY: op->geometry = (isa_geometry)w->value; break;
  case ISA_FIELD_BOUNDARY: op->boundary = (isa_boundary)w->value; break;
  case ISA_FIELD_COMPONENT: op->component = w->value; break;
  case ISA_FIELD_SCALE: op->video.scale = w->value; break;
  case ISA_FIELD_TEST: op->test = (isa_test)w->value; break;
  }
}

// The value that belongs to the first bit of `bits` found in `map`; 0 when there is none.
typedef struct bit_value {
  isa_modifiers bit;
  uint8_t value;
} bit_value;

static uint8_t value_of(isa_modifiers bits, const bit_value *map) {
  for (; map->bit; map++) {
    if (bits & map->bit) return map->value;
  }
  return 0;
}

// The parts that a video instruction of several works on where its operands do not say.
static void set_parts(isa_video *video, isa_id id) {
  if (id < ISA_VADD2 || id > ISA_VSET4) return;
  const bool is_2 = id <= ISA_VSET2;
  video->n_parts = is_2 ? 2 : 4;
  video->d_parts = is_2 ? 0x3 : 0xf;
  video->a_parts = is_2 ? 0x10 : 0x3210;
  video->b_parts = is_2 ? 0x32 : 0x7654;
}

static void set_operations(isa_op *op, isa_modifiers bits) {
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
  static const bit_value seconds[] = {
      {M_ADD, ISA_SECOND_ADD}, {M_MIN, ISA_SECOND_MIN}, {M_MAX, ISA_SECOND_MAX}, {0, 0}};
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
  op->video.second = value_of(bits, seconds);
  set_parts(&op->video, op->row->id);
  op->video.wraps = (bits & M_WRAP) != 0;
  op->video.plus_one = (bits & M_PLUS_ONE) != 0;
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

// `bar` is short for the aligned form of `barrier`.
static bool is_bar(isa_id id) {
  switch (id) {
  case ISA_BAR_WARP_SYNC:
  case ISA_BAR_SYNC:
  case ISA_BAR_ARRIVE:
  case ISA_BAR_RED_POPC_U32:
  case ISA_BAR_RED_AND_PRED:
  case ISA_BAR_RED_OR_PRED: return true;
  default: return false;
  }
}

// PTX's defaults where order, scope or alignment is not written.
static void set_defaults(isa_op *op, const reading *r) {
  const isa_modifiers orders =
      M_VOLATILE | M_WEAK | M_RELAXED | M_ACQUIRE | M_RELEASE | M_ACQ_REL | M_SC;
  const isa_form form = op->row->form;
  const bool is_membar = op->row->id == ISA_MEMBAR;
  if (!(r->bits & orders)) {
    if (form == ISA_ATOM || form == ISA_RED) op->order = ISA_RELAXED;
    if (form == ISA_FENCE) op->order = is_membar ? ISA_SEQ_CST : ISA_ACQ_REL;
  }
  if (!(r->bits & M_SCOPE) && (form == ISA_ATOM || form == ISA_RED)) op->scope = ISA_SCOPE_GPU;
  op->aligned = (r->bits & M_ALIGNED) || is_bar(op->row->id);
}

static isa_form vector_form(const ptx_instr *instr) {
  if (instr->n_operands != 2) return ISA_LANES;
  if (instr->operands[0].kind == PTX_OPERAND_VECTOR) return ISA_UNPACK;
  return instr->operands[1].kind == PTX_OPERAND_VECTOR ? ISA_PACK : ISA_LANES;
}

static bool row_fits(const isa_row *row, simt_str opcode, const reading *r) {
  if (row->type != r->type || row->source_type != r->source_type) return false;
  if ((row->required & ~r->bits) || (r->bits & ~(row->required | row->allowed))) return false;
  if (row->operation == ISA_OPERATION_MOVE && row->form != r->vector_form) return false;
  return simt_str_is(opcode, row->opcode);
}

// Combinations that bits alone cannot rule out.
static isa_refusal_kind objection(const isa_op *op, isa_modifiers bits) {
  const uint32_t n_spaces = isa_count_modifiers(bits & M_SPACE);
  if ((bits & M_VIDEO) && isa_count_modifiers(bits & (M_ADD | M_MIN | M_MAX)) > 1)
    return ISA_REFUSED_COMBINATION;
  const bool is_atomic = op->row->form == ISA_ATOM || op->row->form == ISA_RED;
  if (is_atomic && (bits & M_VEC) && isa_count_modifiers(bits & (M_ADD | M_MIN | M_MAX)) != 1)
    return ISA_REFUSED_COMBINATION;
  switch (op->row->form) {
  case ISA_CVTA:
  case ISA_ISSPACEP: return n_spaces == 1 ? ISA_REFUSED_NOTHING : ISA_REFUSED_NO_SPACE;
  case ISA_BARRIER:
  case ISA_BARRIER_ARRIVE:
  case ISA_BARRIER_RED:
    return (bits & M_SCOPE) && op->scope != ISA_SCOPE_CTA ? ISA_REFUSED_BARRIER_SCOPE
                                                          : ISA_REFUSED_NOTHING;
  case ISA_ASYNC_COPY:
  case ISA_BULK_COPY: // to one, from the other
    return !(bits & M_REDUCE) || isa_count_modifiers(bits & M_REDUCTIONS) == 1
               ? ISA_REFUSED_NOTHING
               : ISA_REFUSED_COMBINATION;
  default: return n_spaces > 1 ? ISA_REFUSED_TWO_SPACES : ISA_REFUSED_NOTHING;
  }
}

// The first row of an opcode: all rows share its form, except for moves and barriers.
static const isa_row *row_with_opcode(simt_str opcode) {
  for (uint32_t i = 0; i < ISA_ID_COUNT; i++)
    if (simt_str_is(opcode, isa_rows[i].opcode)) return &isa_rows[i];
  return NULL;
}

bool isa_is_call(const ptx_instr *instr) {
  return simt_str_is(instr->opcode, isa_rows[ISA_CALL_OP].opcode);
}

// Why no row fits.
static isa_refusal_kind likely_cause(simt_str opcode, isa_modifiers bits) {
  const isa_row *row = row_with_opcode(opcode);
  switch (row ? row->form : ISA_NOP) {
  case ISA_SHUFFLE:
  case ISA_VOTE:
  case ISA_MATCH:
  case ISA_REDUX:
    if (!(bits & M_SYNC)) return ISA_REFUSED_WITHOUT_SYNC;
    break;
  case ISA_STORE:
  case ISA_ATOM:
  case ISA_RED:
    if (bits & M_CONST) return ISA_REFUSED_CONSTANT_STORE;
    break;
  default: break;
  }
  return row ? ISA_REFUSED_COMBINATION : ISA_REFUSED_OPCODE;
}

static simt_status refuse(const ptx_instr *instr, const reading *r, isa_refusal_kind kind,
                          simt_str modifier, isa_refusal *refusal) {
  *refusal = (isa_refusal){.kind = kind,
                           .instr = instr,
                           .modifier = modifier,
                           .type = r->type,
                           .source_type = r->source_type,
                           .modifiers = r->bits};
  return SIMT_UNSUPPORTED;
}

// Does the word repeat or contradict one before it? Several hints are allowed, and two state spaces
// are a refusal of their own.
static bool is_repeated(const reading *r, const isa_word *w) {
  const bool has_field = w->field != ISA_FIELD_NONE && w->field != ISA_FIELD_SPACE;
  if (has_field && (r->fields & 1u << w->field)) return true;
  return (r->bits & w->bits & ~(M_HINT | M_SPACE | M_XORSIGN_ABS)) != 0;
}

// The types of a video instruction, of which each has one row for all of them: those of d, a
// and b, of vset those of a and b; a shift count is unsigned. The row is found when the last one
// has been read.
static bool read_video_type(const isa_row *row, ptx_type type, reading *r, isa_op *op) {
  const bool is_shift = row->operation == ISA_OPERATION_SHIFT;
  const uint32_t at = r->n_types + ((row->required & M_CMP) != 0);
  bool *const signs[] = {&op->video.d_signed, &op->video.a_signed, &op->video.b_signed};
  if (at > 2 || (type != PTX_U32 && type != PTX_S32) || (is_shift && at == 2 && type != PTX_U32))
    return false;
  *signs[at] = type == PTX_S32;
  if (at == 1 && (row->required & M_CMP)) op->video.d_signed = op->video.a_signed;
  if (at == 2) r->type = PTX_B32, r->bits |= M_VIDEO;
  r->n_types++;
  return true;
}

// The (first) row of a video instruction; NULL: it is none.
static const isa_row *video_row(const isa_index *index, simt_str opcode) {
  if (!opcode.size || opcode.at[0] != 'v') return NULL; // as most are: spares a look-up
  const uint32_t bucket = row_bucket(opcode.at, opcode.size, PTX_B32, PTX_NO_TYPE);
  for (uint16_t i = index->row_heads[bucket]; i != END; i = index->row_next[i])
    if ((isa_rows[i].required & M_VIDEO) && simt_str_is(opcode, isa_rows[i].opcode))
      return &isa_rows[i];
  return NULL;
}

static simt_status read_suffixes(const isa_index *index, const ptx_instr *instr, reading *r,
                                 isa_op *op, isa_refusal *refusal) {
  isa_refusal_kind kind = ISA_REFUSED_NOTHING;
  simt_str culprit = {NULL, 0};
  const isa_row *video = video_row(index, instr->opcode);
  for (uint32_t i = 0; i < instr->n_suffixes; i++) { // to the end even after a culprit: the more
    const simt_str suffix = instr->suffixes[i];      // is known, the better the suggestions
    ptx_type type;
    if (ptx_type_from_name(suffix, &type)) {
      if (video) {
        if (!read_video_type(video, type, r, op) && !kind)
          kind = ISA_REFUSED_MODIFIER, culprit = suffix;
        continue;
      }
      if (r->n_types == 0) r->type = type;
      else if (r->n_types == 1) r->source_type = type;
      else if (r->n_types == 2 && (r->bits & M_PACK) && type == PTX_B32) r->bits |= M_THIRD_B32;
      else kind = ISA_REFUSED_TYPES, culprit = (simt_str){NULL, 0};
      r->n_types++;
      continue;
    }
    const isa_word *w = isa_find_word(index, suffix, instr->opcode);
    if (!kind && !w) kind = ISA_REFUSED_MODIFIER, culprit = suffix;
    if (!kind && is_repeated(r, w)) kind = ISA_REFUSED_REPETITION, culprit = suffix;
    if (!w) continue;
    r->bits |= w->bits;
    r->fields |= 1u << w->field;
    set_field(op, w);
  }
  if (!kind) return SIMT_OK;
  if (likely_cause(instr->opcode, r->bits) == ISA_REFUSED_OPCODE)
    kind = ISA_REFUSED_OPCODE, culprit = (simt_str){NULL, 0};
  return refuse(instr, r, kind, culprit, refusal);
}

simt_status isa_lookup(const isa_index *index, const ptx_instr *instr, isa_op *op,
                       isa_refusal *refusal) {
  *op = (isa_op){.space = PTX_SPACE_GENERIC, .vector = 1};
  reading r = {.type = PTX_NO_TYPE, .source_type = PTX_NO_TYPE, .vector_form = vector_form(instr)};
  const simt_str none = {NULL, 0};
  simt_status status = read_suffixes(index, instr, &r, op, refusal);
  if (status != SIMT_OK) return status;
  const simt_str opcode = instr->opcode;
  const uint32_t bucket = row_bucket(opcode.at, opcode.size, r.type, r.source_type);
  for (uint16_t i = index->row_heads[bucket]; i != END; i = index->row_next[i]) {
    if (!row_fits(&isa_rows[i], opcode, &r)) continue;
    op->row = &isa_rows[i];
    set_operations(op, r.bits);
    set_defaults(op, &r);
    const isa_refusal_kind kind = objection(op, r.bits);
    return kind ? refuse(instr, &r, kind, none, refusal) : SIMT_OK;
  }
  return refuse(instr, &r, likely_cause(opcode, r.bits), none, refusal);
}
