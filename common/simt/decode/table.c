// SPDX-License-Identifier: MIT
// decode/table.c - brx.idx, a branch to one of several labels, as a chain of comparisons and
// branches. Lanes that go to different labels diverge as at any branch. It costs as much as the
// chain, which is more than on hardware. An index beyond the list, which PTX leaves undefined,
// takes the last label.
#include "decode/builder.h"

static const ptx_target_list *find_list(const ptx_function *f, simt_str name) {
  for (uint32_t i = 0; i < f->n_target_lists; i++)
    if (simt_str_equal(f->target_lists[i].name, name)) return &f->target_lists[i];
  return NULL;
}

static simt_status jump(const context *c, simt_str label, uint32_t guard) {
  const int64_t target = ptx_find_label(c->function, label);
  if (target < 0)
    return simt_decode_fail(c, SIMT_NOT_FOUND, "label '%.*s' does not exist in this function",
                            SIMT_STR_ARG(label));
  simt_instr in = simt_decode_blank(c, ISA_BRANCH, SIMT_CLASS_BRANCH);
  in.guard = guard;
  in.branch.target = (uint32_t)target;
  in.branch.is_pending = true;
  return simt_decode_emit(c->b, &in);
}

static simt_status is_index(const context *c, uint32_t index, uint32_t value, uint32_t *predicate) {
  simt_instr in = simt_decode_as_row(c, ISA_SETP_U32);
  in.form = ISA_SETP;
  in.arithmetic.second_d = SIMT_NO_SLOT;
  in.arithmetic.compare = ISA_EQ;
  in.a = index;
  TRY(simt_builder_constant(c->b, value, 4, &in.b));
  TRY(simt_builder_operand(c->b, (simt_operand){.bytes = 0, .is_register = true}, predicate));
  in.d = *predicate;
  return simt_decode_emit(c->b, &in);
}

static simt_status chain(const context *c, const ptx_target_list *list) {
  uint32_t index, predicate;
  TRY(simt_decode_source(c, 0, PTX_B32, &index, NULL));
  for (uint32_t i = 0; i + 1 < list->n_items; i++) {
    TRY(is_index(c, index, i, &predicate));
    TRY(jump(c, list->items[i].name, predicate));
  }
  return jump(c, list->items[list->n_items - 1].name, SIMT_NO_SLOT);
}

simt_status simt_decode_branch_table(const context *c) {
  const ptx_instr *instr = c->instr;
  const ptx_target_list *list =
      instr->n_operands == 2 && instr->operands[1].kind == PTX_OPERAND_SYMBOL
          ? find_list(c->function, instr->operands[1].name)
          : NULL;
  if (!list)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR,
                            "brx.idx needs an index and the name of a .branchtargets list");
  if (instr->guard < 0) return chain(c, list);
  simt_instr skip = simt_decode_blank(c, ISA_BRANCH, SIMT_CLASS_BRANCH);
  skip.guard_negated = !skip.guard_negated;
  const uint32_t at = c->b->n_code;
  TRY(simt_decode_emit(c->b, &skip));
  ptx_instr unguarded = *instr;
  unguarded.guard = -1;
  context body = *c;
  body.instr = &unguarded;
  TRY(chain(&body, list));
  c->b->code[at].branch.target = c->b->n_code; // final already
  return SIMT_OK;
}
