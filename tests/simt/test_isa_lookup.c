// SPDX-License-Identifier: MIT
// test_isa_lookup.c - the opcode table's look-up: what it finds, what it refuses and how, that no
// row hides another, and how rows are spelt.
#include "isa_text.h"
#include "run_suite.h"

static simt_status look_up(const char *text, isa_op *op, isa_refusal_kind *why, simt_diag *diag) {
  char copy[256], *texts[8];
  ptx_instr ptx;
  ptx_operand operands[8];
  isa_refusal refusal = {.kind = ISA_REFUSED_NOTHING};
  snprintf(copy, sizeof copy, "%s", text);
  split(copy, &ptx, operands, texts);
  ptx.line = 12;
  *diag = (simt_diag){0};
  isa_index index;
  isa_index_build(&index);
  const simt_status status = isa_lookup(&index, &ptx, op, &refusal);
  *why = refusal.kind;
  if (status != SIMT_OK) ck_assert_int_eq(isa_describe_refusal(NULL, &refusal, diag), status);
  return status;
}

static isa_op found(const char *text, isa_id id) {
  isa_op op;
  simt_diag diag;
  isa_refusal_kind why;
  EXPECT(look_up(text, &op, &why, &diag) == SIMT_OK, "%s", diag.text);
  EXPECT(op.row->id == id, "'%s' found %s", text, op.row->name);
  return op;
}

START_TEST(finds_arithmetic)
{
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
  found("shf.l.wrap.b32 %r1, %r2, %r3, %r4", ISA_SHF_L_WRAP_B32);
  found("mov.b64 %rd1, %rd2", ISA_MOV_B64);
  found("mov.b64 %rd1, {%r1;%r2}", ISA_MOV_PACK_B64);
  found("mov.b64 {%r1;%r2}, %rd1", ISA_MOV_UNPACK_B64);
}
END_TEST

START_TEST(finds_memory)
{
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

START_TEST(finds_warp_and_block_operations)
{
  isa_op op = found("shfl.sync.down.b32 %r1|%p1, %r2, 16, 31, -1", ISA_SHFL_SYNC_B32);
  ck_assert_int_eq(op.shuffle, ISA_SHFL_DOWN);
  op = found("vote.sync.ballot.b32 %r1, %p1, -1", ISA_VOTE_SYNC_BALLOT_B32);
  ck_assert_int_eq(op.vote, ISA_VOTE_BALLOT);
  op = found("vote.sync.uni.pred %p1, %p2, -1", ISA_VOTE_SYNC_UNI_PRED);
  ck_assert_int_eq(op.vote, ISA_VOTE_UNI);
  op = found("match.all.sync.b64 %r1|%p1, %rd1, -1", ISA_MATCH_ALL_SYNC_B64);
  ck_assert_int_eq(op.match, ISA_MATCH_ALL);
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

static void refused(const char *text, isa_refusal_kind kind, const char *because,
                    const char *nearest) {
  isa_op op;
  simt_diag diag;
  isa_refusal_kind why;
  ck_assert_msg(look_up(text, &op, &why, &diag) == SIMT_UNSUPPORTED, "'%s' was accepted", text);
  ck_assert_msg(why == kind, "'%s': refusal %d instead of %d", text, (int)why, (int)kind);
  ck_assert_int_eq(diag.status, SIMT_UNSUPPORTED);
  ck_assert_msg(strstr(diag.text, ":12: ") != NULL, "no line in: %s", diag.text);
  ck_assert_msg(strstr(diag.text, because) != NULL, "'%s' not in: %s", because, diag.text);
  if (!nearest) return;
  ck_assert_msg(strstr(diag.text, nearest) != NULL, "'%s' not in: %s", nearest, diag.text);
}

START_TEST(refuses_video_instructions)
{
  refused("vadd.u32.u32 %r1, %r2, %r3", ISA_REFUSED_COMBINATION, "no such combination",
          "vadd.type.type.type{.sat}");
  refused("vadd.u32.u32.u64 %r1, %r2, %r3", ISA_REFUSED_MODIFIER, "unknown modifier '.u64'", NULL);
  refused("vadd.u32.u32.u32.min.max %r1, %r2, %r3, %r4", ISA_REFUSED_COMBINATION,
          "no such combination", "vadd");
  refused("vshl.u32.u32.s32.wrap %r1, %r2, %r3", ISA_REFUSED_MODIFIER, "unknown modifier '.s32'",
          NULL);
  refused("vshl.u32.u32.u32 %r1, %r2, %r3", ISA_REFUSED_COMBINATION, "no such combination", "vshl");
  refused("vset.u32.u32.u32.lt %r1, %r2, %r3", ISA_REFUSED_MODIFIER, "unknown modifier '.u32'",
          NULL);
  refused("vset.u32.u32 %r1, %r2, %r3", ISA_REFUSED_COMBINATION, "no such combination",
          "vset.type.type.cmp");
}
END_TEST

START_TEST(refuses)
{
  refused("frob.u32 %r1, %r2", ISA_REFUSED_OPCODE, "unknown opcode", NULL);
  refused("ad.u32 %r1, %r2, %r3", ISA_REFUSED_OPCODE, "unknown opcode", "add.u32");
  refused("add.u31 %r1, %r2, %r3", ISA_REFUSED_MODIFIER, "unknown modifier '.u31'", "add.u32");
  refused("red.async.relaxed.cluster.global.shared::cluster.add.u32 [%r1], %r2, [%r3]",
          ISA_REFUSED_COMBINATION, "asynchronous reductions are not modelled", NULL);
  refused("st.async.weak.shared::cluster.b32 [%r1], %r2, [%r3]", ISA_REFUSED_COMBINATION,
          "asynchronous stores are not modelled", NULL);
  refused("add.rn.u32 %r1, %r2, %r3", ISA_REFUSED_COMBINATION, "no such combination", "add.u32");
  refused("fma.f32 %f1, %f2, %f3, %f4", ISA_REFUSED_COMBINATION, "no such combination",
          "fma.rnd{.ftz}{.sat}.f32");
  refused("shfl.down.b32 %r1, %r2, 16, 31", ISA_REFUSED_WITHOUT_SYNC, "without .sync", "shfl.sync");
  refused("vote.ballot.b32 %r1, %p1", ISA_REFUSED_WITHOUT_SYNC, "without .sync",
          "vote.sync.ballot.b32");
  refused("cvt.rs.tf32.f32 %r1, %f1", ISA_REFUSED_MODIFIER, "unknown modifier '.rs'", "cvt.");
  refused("cvt.s32.f32 %r1, %f1", ISA_REFUSED_COMBINATION, "no such combination",
          "cvt.rndi{.ftz}{.sat}.s32.f32");
  refused("atom.global.add.b128 %q1, [x], %q2", ISA_REFUSED_COMBINATION, "no such combination",
          "atom");
  refused("ld.shared::cluster.shared.u32 %r1, [x]", ISA_REFUSED_TWO_SPACES, "two state spaces",
          NULL);
  refused("barrier.gpu.sync 0", ISA_REFUSED_BARRIER_SCOPE, "barrier.cluster.arrive", NULL);
  refused("barrier.cluster.sync", ISA_REFUSED_COMBINATION, "no such combination",
          "barrier.cluster.wait");
  refused("griddepcontrol", ISA_REFUSED_COMBINATION, "no such combination", "griddepcontrol.wait");
  refused("griddepcontrol.arrive", ISA_REFUSED_COMBINATION, "no such combination",
          "griddepcontrol.wait");
  refused("fence.proxy.tensormap::generic.release.gpu", ISA_REFUSED_MODIFIER,
          "unknown modifier '.tensormap::generic'", "fence");
  refused("cp.reduce.async.bulk.global.shared::cta.bulk_group.add.min.u32 [x], [y], 16",
          ISA_REFUSED_COMBINATION, "asynchronous operations", "cp");
  refused("red.global.add.max.noftz.v2.f16 [x], {%h1, %h2}", ISA_REFUSED_COMBINATION,
          "no such combination", "red");
  refused("cp.async.bulk.tensor.1d.global.shared::cta.bulk_group [x, {%r1}], [y]",
          ISA_REFUSED_MODIFIER, "unknown modifier '.tensor'", "cp.async.bulk");
  refused("ldmatrix.sync.aligned.m8n8.x4.shared.b16 %r1, [x]", ISA_REFUSED_OPCODE,
          "matrix instructions", NULL);
  refused("ld.global.shared.u32 %r1, [x]", ISA_REFUSED_TWO_SPACES, "two state spaces", NULL);
  refused("st.const.u32 [x], %r1", ISA_REFUSED_CONSTANT_STORE, "constant memory cannot be written",
          "st");
  refused("cvta.u64 %rd1, %rd2", ISA_REFUSED_NO_SPACE, "state space", NULL);
  refused("cvt.u8.u16.u32 %rd1, %rd2", ISA_REFUSED_TYPES, "more than two types", NULL);
  refused("mov.u16 %r1, {%r1;%r2}", ISA_REFUSED_COMBINATION, "no such combination", "mov");
  refused("red.async.add.u32 [x], %r1", ISA_REFUSED_COMBINATION, "asynchronous reductions", "red");
  refused("membar.gl.cta", ISA_REFUSED_REPETITION,
          "repeats or contradicts another modifier: '.cta'", "membar");
  refused("fence.sc.acq_rel.gpu", ISA_REFUSED_REPETITION,
          "repeats or contradicts another modifier: '.acq_rel'", "fence");
  refused("add.rn.rz.f32 %f1, %f2, %f3", ISA_REFUSED_REPETITION,
          "repeats or contradicts another modifier: '.rz'", "add.");
  refused("bar.sync.sync 0", ISA_REFUSED_REPETITION,
          "repeats or contradicts another modifier: '.sync'", "bar.");
  refused("griddepcontrol.wait.launch_dependents", ISA_REFUSED_COMBINATION, "no such combination",
          "griddepcontrol.wait");
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

START_TEST(a_row_hides_no_other)
{
  for (int i = 0; i < ISA_ID_COUNT; i++) {
    ck_assert_int_eq(isa_rows[i].id, i);
    check_overlap(&isa_rows[i]);
  }
}
END_TEST

// More than 64 modifiers: those beyond bit 63 are demanded and refused like the others.
START_TEST(tells_modifiers_beyond_64_bits_apart)
{
  ck_assert(M_WAIT >> 64 && !(M_LAUNCH_DEPENDENTS >> 64));
  ck_assert_uint_eq(isa_count_modifiers(M_WAIT | M_LAUNCH_DEPENDENTS | M_BIT(127)), 3);
  found("griddepcontrol.wait", ISA_GRIDDEPCONTROL_WAIT);
  found("griddepcontrol.launch_dependents", ISA_GRIDDEPCONTROL_LAUNCH_DEPENDENTS);
  refused("nanosleep.wait.u32 7", ISA_REFUSED_COMBINATION, "no such combination", "nanosleep.u32");
  refused("griddepcontrol.wait.wait", ISA_REFUSED_REPETITION,
          "repeats or contradicts another modifier: '.wait'", "griddepcontrol.wait");
}
END_TEST

START_TEST(says_which_modifier_is_to_blame)
{
  char copy[] = "add.rn.rz.f32 %f1, %f2, %f3", *texts[8];
  ptx_instr ptx;
  ptx_operand operands[8];
  isa_index index;
  isa_op op;
  isa_refusal refusal;
  split(copy, &ptx, operands, texts);
  isa_index_build(&index);
  ck_assert_int_eq(isa_lookup(&index, &ptx, &op, &refusal), SIMT_UNSUPPORTED);
  ck_assert_int_eq(refusal.kind, ISA_REFUSED_REPETITION);
  ck_assert(refusal.instr == &ptx && simt_str_is(refusal.modifier, "rz"));
  ck_assert_int_eq(refusal.type, PTX_F32);
}
END_TEST

static const char *spelling(isa_id id) {
  static char out[128];
  return isa_spelling(&isa_rows[id], out, sizeof out);
}

START_TEST(spells_rows)
{
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
START_TEST(is_quick_and_repeatable)
{
  isa_op first = found("cvt.rn.f64.u64 %fd1, %rd1", ISA_CVT_F64_U64);
  for (int i = 0; i < 100000; i++) {
    const isa_op again = found("cvt.rn.f64.u64 %fd1, %rd1", ISA_CVT_F64_U64);
    EXPECT(again.row == first.row && again.rounding == first.rounding && !again.saturate,
           "look-up %d differs", i);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("isa_lookup");
  TCase *tcase = tcase_create("look-up");
  tcase_add_test(tcase, finds_arithmetic);
  tcase_add_test(tcase, finds_memory);
  tcase_add_test(tcase, finds_warp_and_block_operations);
  tcase_add_test(tcase, refuses);
  tcase_add_test(tcase, refuses_video_instructions);
  tcase_add_test(tcase, tells_modifiers_beyond_64_bits_apart);
  tcase_add_test(tcase, says_which_modifier_is_to_blame);
  tcase_add_test(tcase, a_row_hides_no_other);
  tcase_add_test(tcase, spells_rows);
  tcase_add_test(tcase, is_quick_and_repeatable);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
