// SPDX-License-Identifier: MIT
// isa/table.c - the opcode table, and how its rows are spelled.
#include <stdio.h>

#include "isa/isa.h"

// clang-format off
const isa_row isa_rows[ISA_ID_COUNT] = {
#define ISA_ROW(id, opcode, type, source, required, allowed, klass, form, n, d, a, b, c, fn, op)  \
  {ISA_##id, #id, opcode, PTX_##type, PTX_##source, (required), (allowed), SIMT_CLASS_##klass,     \
   ISA_##form, n, PTX_##d, PTX_##a, PTX_##b, PTX_##c, ISA_OPERATION_##op},
#include "isa/isa.def"
#undef ISA_ROW
};
// clang-format on

// ---- spelling

typedef struct spelled {
  isa_modifiers bits; // all of them allowed or required: written
  const char *text;
} spelled;

// In PTX's order. A longer group stands before its parts; what has been written is not repeated.
static const spelled spellings[] = {
    {M_WARP, ".warp"},
    {M_CLUSTER, ".cluster"},
    {M_MBARRIER_INIT, ".mbarrier_init"},
    {M_TO, ".to"},
    {M_LAUNCH_DEPENDENTS, ".launch_dependents"},
    {M_WAIT, ".wait"},
    {M_SYNC, ".sync"},
    {M_ARRIVE, ".arrive"},
    {M_RED_OP, ".red"},
    {M_LEFT, ".l"},
    {M_RIGHT, ".r"},
    {M_WRAP, ".wrap"},
    {M_CLAMP, ".clamp"},
    {M_PLUS_ONE, ".po"},
    {M_SCALE, ".scale"},
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
    {M_RELEASE, ".release"},
    {M_ACQUIRE, ".acquire"},
    {M_SCOPE, ".scope"},
    {M_SPACE, ".space"},
    {M_GLOBAL | M_SHARED | M_SHARED_CLUSTER | M_LOCAL | M_PARAM, ".space"},
    {M_GLOBAL | M_SHARED | M_SHARED_CLUSTER, ".space"},
    {M_GLOBAL | M_SHARED, ".space"},
    {M_GLOBAL | M_LOCAL, ".space"},
    {M_GLOBAL, ".global"},
    {M_SHARED_CLUSTER, ".shared::cluster"},
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
  isa_modifiers left = (row->required | row->allowed) & ~M_VIDEO;
  const bool is_video = (row->required & M_VIDEO) != 0;
  if (is_video)
    at =
        append(out, out_bytes, at, row->required & M_CMP ? ".type.type" : ".type.type.type", false);
  if (row->form == ISA_MATCH) { // the one opcode that says .sync last
    at = append(out, out_bytes, at, row->required & M_ALL ? ".all.sync" : ".any.sync", false);
    left = 0;
  }
  for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
    const spelled *s = &spellings[i];
    if (!left || (left & s->bits) != s->bits) continue;
    const bool names_a_space = row->form == ISA_CVTA || row->form == ISA_ISSPACEP;
    const bool demanded = (row->required & s->bits) || (names_a_space && s->bits == M_SPACE);
    const bool is_index = row->form == ISA_BRANCH_TABLE && s->bits == M_SHFL; // brx has but one
    at = append(out, out_bytes, at, is_index ? ".idx" : s->text, !demanded);
    left &= ~s->bits;
  }
  if (is_video) return out;
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
