// SPDX-License-Identifier: MIT
// decode/async.c - asynchronous copies, mbarriers and elect.sync as dense instructions.
//
// A copy becomes a load from global memory into registers of its own and a store that waits in the
// warp (core/async.c). The operations on an mbarrier become atomics on its 64 bits
// (lanes/mbarrier.h has their layout) that release and acquire, so that checkers and deadlock
// detection see them as what they are. A bulk copy is one instruction, which copies at once, and an
// atomic. Not modelled: bulk copies of tensors, and to several blocks.
#include "decode/builder.h"
#include "lanes/mbarrier.h"

// ---- lane-wise operations on operands of our own -----------------------------------------------

static simt_status fresh(const context *c, uint8_t bytes, uint32_t *id) {
  return simt_builder_operand(c->b, (simt_operand){.bytes = bytes, .is_register = true}, id);
}

static simt_status operate(const context *c, isa_id id, uint8_t bytes, uint32_t a, uint32_t b,
                           uint32_t *d) {
  simt_instr in = simt_decode_as_row(c, id);
  TRY(fresh(c, bytes, d));
  in.d = *d, in.a = a, in.b = b;
  in.arithmetic.d_bytes = bytes;
  in.arithmetic.a_bytes = bytes == 8 ? 4 : 8; // of a conversion: the other width
  return simt_decode_emit(c->b, &in);
}

// The predicate `*d`: a compared with b, combined with `also` where that is given.
static simt_status compare(const context *c, isa_id id, isa_compare how, uint32_t a, uint32_t b,
                           uint32_t *d) {
  simt_instr in = simt_decode_as_row(c, id);
  in.form = ISA_SETP;
  in.guard = SIMT_NO_SLOT;
  in.arithmetic.second_d = SIMT_NO_SLOT;
  in.arithmetic.compare = (uint8_t)how;
  if (*d == SIMT_NO_SLOT) TRY(fresh(c, 0, d));
  in.d = *d, in.a = a, in.b = b;
  return simt_decode_emit(c->b, &in);
}

// ---- copies ------------------------------------------------------------------------------------

static simt_status address_in(const context *c, uint32_t index, ptx_space space, simt_instr *in) {
  context one = *c;
  one.op.space = space;
  return simt_decode_address(&one, index, in);
}

// The address at operand `index` in 64 bits, and the space that it lies in.
static simt_status whole_address(const context *c, uint32_t index, ptx_space space, uint32_t *id,
                                 uint8_t *where) {
  simt_instr at = simt_decode_as_row(c, ISA_LD_B32);
  uint32_t base, offset;
  TRY(address_in(c, index, space, &at));
  base = at.a;
  if (at.memory.address_bits == 32) TRY(operate(c, ISA_CVT_U64_U32, 8, at.a, SIMT_NO_SLOT, &base));
  TRY(simt_builder_constant(c->b, (uint64_t)at.memory.offset, 8, &offset));
  *where = at.memory.space;
  return operate(c, ISA_ADD_U64, 8, base, offset, id);
}

// The lanes that copy all of it: guard true, source size that of the copy, source not ignored. What
// others read of a shorter source is read when the data is taken.
static simt_status source_guard(const context *c, simt_instr *load, simt_instr *store) {
  const ptx_instr *instr = c->instr;
  if (instr->n_operands < 4) return SIMT_OK;
  uint32_t condition = SIMT_NO_SLOT, zero;
  bool negated = false;
  const bool is_size = instr->operands[3].kind == PTX_OPERAND_INTEGER ||
                       simt_decode_register_bytes(c, &instr->operands[3]) == 4;
  if (is_size) {
    uint32_t whole;
    uint8_t where;
    TRY(simt_decode_source(c, 3, PTX_B32, &store->b, NULL));
    TRY(simt_builder_constant(c->b, 4u * load->memory.vector, 4, &whole));
    TRY(compare(c, ISA_SETP_U32, ISA_GE, store->b, whole, &condition));
    TRY(whole_address(c, 1, PTX_SPACE_GLOBAL, &store->c, &where));
  } else {
    TRY(simt_decode_source(c, 3, PTX_PRED, &condition, &negated));
    negated = !negated; // it names the lanes that ignore the source
  }
  if (load->guard != SIMT_NO_SLOT) { // both
    simt_instr both = simt_decode_as_row(c, ISA_SELP_B32);
    uint32_t one, word[2];
    TRY(simt_builder_constant(c->b, 1, 4, &one));
    TRY(simt_builder_constant(c->b, 0, 4, &zero));
    for (int i = 0; i < 2; i++) {
      TRY(fresh(c, 4, &word[i]));
      both.guard = SIMT_NO_SLOT;
      both.d = word[i], both.a = i ? word[0] : one, both.b = zero;
      both.c = i ? condition : load->guard;
      both.c_negated = i ? negated : load->guard_negated;
      TRY(simt_decode_emit(c->b, &both));
    }
    condition = SIMT_NO_SLOT;
    TRY(compare(c, ISA_SETP_U32, ISA_NE, word[1], zero, &condition));
    negated = false;
  }
  load->guard = condition;
  load->guard_negated = negated;
  return SIMT_OK;
}

// cp.async [shared], [global], size[, source size | ignore]: the size is 4, 8 or 16.
simt_status simt_decode_async_copy(const context *c) {
  const ptx_instr *instr = c->instr;
  if (instr->n_operands < 3 || instr->operands[2].kind != PTX_OPERAND_INTEGER ||
      (instr->operands[2].bits != 4 && instr->operands[2].bits != 8 &&
       instr->operands[2].bits != 16))
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "a copy moves 4, 8 or 16 bytes");
  simt_instr load = simt_decode_as_row(c, ISA_LD_B32), store;
  load.form = ISA_LOAD;
  load.klass = SIMT_CLASS_GLOBAL;
  load.memory = (simt_memory_access){.width_bytes = 4, .data_bytes = 4, .address_bits = 64};
  load.memory.vector = (uint8_t)(instr->operands[2].bits / 4);
  for (uint32_t i = 0; i < 4; i++) load.memory.data[i] = SIMT_NO_SLOT;
  for (uint32_t i = 0; i < load.memory.vector; i++) {
    TRY(fresh(c, 4, &load.memory.data[i]));
    simt_instr clear = simt_decode_as_row(c, ISA_MOV_B32);
    clear.d = load.memory.data[i];
    TRY(simt_builder_constant(c->b, 0, 4, &clear.a));
    TRY(simt_decode_emit(c->b, &clear));
  }
  store = load;
  store.form = ISA_ASYNC_COPY;
  store.id = (uint16_t)c->op.row->id;
  store.klass = SIMT_CLASS_SHARED;
  load.d = load.memory.data[0];
  TRY(address_in(c, 0, PTX_SPACE_SHARED, &store));
  TRY(address_in(c, 1, PTX_SPACE_GLOBAL, &load));
  TRY(source_guard(c, &load, &store));
  TRY(simt_decode_emit(c->b, &load));
  return simt_decode_emit(c->b, &store);
}

static simt_status wait_for_copies(const context *c, uint32_t keep) {
  simt_instr in = simt_decode_blank(c, ISA_ASYNC_WAIT, SIMT_CLASS_BARRIER);
  in.async.keep = keep;
  return simt_decode_emit(c->b, &in);
}

simt_status simt_decode_async_group(const context *c) {
  const ptx_instr *instr = c->instr;
  if (c->op.row->form == ISA_ASYNC_COMMIT) {
    simt_instr in = simt_decode_from_op(c);
    return simt_decode_emit(c->b, &in);
  }
  if (c->op.row->id == ISA_CP_ASYNC_WAIT_ALL) return wait_for_copies(c, SIMT_ASYNC_ALL);
  if (instr->n_operands != 1 || instr->operands[0].kind != PTX_OPERAND_INTEGER)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "the number of groups must be a constant");
  return wait_for_copies(c, (uint32_t)instr->operands[0].bits);
}

// ---- mbarriers ---------------------------------------------------------------------------------

typedef struct mbarrier_access {
  uint8_t operation; // isa_atomic
  uint32_t value;    // operand of 64 bits
} mbarrier_access;

static bool is_question(uint8_t operation) {
  return operation == ISA_ATOM_MBARRIER_TEST || operation == ISA_ATOM_MBARRIER_PARITY;
}

// Blocks of a cluster arrive at each other's mbarriers, and their copies are counted there, while
// the waits of most programs that do so name no scope.
static isa_scope scope_of(const context *c, uint8_t operation) {
  if (c->op.space == PTX_SPACE_SHARED_CLUSTER) return ISA_SCOPE_CLUSTER;
  if (c->op.scope != ISA_SCOPE_NONE) return c->op.scope;
  return is_question(operation) ? ISA_SCOPE_CLUSTER : ISA_SCOPE_CTA;
}

// Who only asks hands nothing on.
static isa_order order_of(uint8_t operation) {
  return is_question(operation) ? ISA_ACQUIRE : ISA_ACQ_REL;
}

// An atomic on the mbarrier at operand `index`; *d (may be NULL) gets its result.
static simt_status touch(const context *c, uint32_t index, mbarrier_access access, uint32_t *d) {
  simt_instr in = simt_decode_from_op(c);
  in.form = ISA_ATOM;
  in.memory = (simt_memory_access){.width_bytes = 8,
                                   .data_bytes = 8,
                                   .vector = 1,
                                   .order = (uint8_t)order_of(access.operation),
                                   .scope = (uint8_t)scope_of(c, access.operation),
                                   .operation = access.operation,
                                   .discards = !d,
                                   .is_unread = !d};
  in.b = access.value;
  if (d && *d == SIMT_NO_SLOT) TRY(fresh(c, 8, d));
  if (d) in.d = *d;
  TRY(simt_decode_address(c, index, &in));
  return simt_decode_emit(c->b, &in);
}

// Widens a 32-bit count to 64 bits; where none is given it is 1.
static simt_status count_at(const context *c, uint32_t index, uint32_t *id) {
  if (index >= c->instr->n_operands) return simt_builder_constant(c->b, 1, 8, id);
  uint32_t count;
  TRY(simt_decode_source(c, index, PTX_B32, &count, NULL));
  return operate(c, ISA_CVT_U64_U32, 8, count, SIMT_NO_SLOT, id);
}

static simt_status initialise(const context *c) {
  uint32_t count, shift, above, word;
  TRY(count_at(c, 1, &count));
  TRY(simt_builder_constant(c->b, SIMT_MBARRIER_EXPECTED_SHIFT, 4, &shift));
  TRY(operate(c, ISA_SHL_B64, 8, count, shift, &above));
  TRY(operate(c, ISA_OR_B64, 8, count, above, &word));
  simt_instr in = simt_decode_as_row(c, ISA_ST_B64);
  in.form = ISA_STORE;
  in.memory = (simt_memory_access){.width_bytes = 8, .data_bytes = 8, .vector = 1};
  for (uint32_t i = 0; i < 4; i++) in.memory.data[i] = i ? SIMT_NO_SLOT : word;
  TRY(simt_decode_address(c, 0, &in));
  return simt_decode_emit(c->b, &in);
}

// mbarrier.arrive [d,] [address][, count]: operand 0 is the address where there is no result.
static simt_status arrive(const context *c, uint8_t operation) {
  const ptx_operand *first = &c->instr->operands[0];
  const bool has_result = c->instr->n_operands && first->kind != PTX_OPERAND_ADDRESS;
  uint32_t token = SIMT_NO_SLOT, value;
  if (has_result) TRY(simt_decode_destination(c, 0, &token));
  TRY(count_at(c, has_result ? 2 : 1, &value));
  return touch(c, has_result, (mbarrier_access){operation, value},
               token != SIMT_NO_SLOT ? &token : NULL);
}

// mbarrier.test_wait p, [address], state or parity[, time]
static simt_status test(const context *c, bool is_parity) {
  uint32_t value, passed = SIMT_NO_SLOT, zero, p;
  TRY(simt_decode_result(c, PTX_PRED, &p));
  if (is_parity) TRY(count_at(c, 2, &value));
  else TRY(simt_decode_source(c, 2, PTX_B64, &value, NULL));
  const uint8_t operation = is_parity ? ISA_ATOM_MBARRIER_PARITY : ISA_ATOM_MBARRIER_TEST;
  TRY(touch(c, 1, (mbarrier_access){operation, value}, &passed));
  TRY(simt_builder_constant(c->b, 0, 8, &zero));
  simt_instr in = simt_decode_as_row(c, ISA_SETP_U64);
  in.form = ISA_SETP;
  in.arithmetic.second_d = SIMT_NO_SLOT;
  in.arithmetic.compare = ISA_NE;
  in.d = p, in.a = passed, in.b = zero;
  return simt_decode_emit(c->b, &in);
}

static simt_status pending_count(const context *c) {
  uint32_t d, state, mask, count;
  TRY(simt_decode_result(c, PTX_B32, &d));
  TRY(simt_decode_source(c, 1, PTX_B64, &state, NULL));
  TRY(simt_builder_constant(c->b, SIMT_MBARRIER_COUNT_MASK, 8, &mask));
  TRY(operate(c, ISA_AND_B64, 8, state, mask, &count));
  simt_instr in = simt_decode_as_row(c, ISA_CVT_U32_U64);
  in.d = d, in.a = count;
  in.arithmetic.d_bytes = 4, in.arithmetic.a_bytes = 8;
  return simt_decode_emit(c->b, &in);
}

// ---- bulk copies -------------------------------------------------------------------------------

// cp.async.bulk [to], [from], size[, [mbarrier that counts the bytes]]; cp.reduce.async.bulk, whose
// elements are combined with what is there.
simt_status simt_decode_bulk_copy(const context *c) {
  const isa_row *row = c->op.row;
  const bool is_counted = (row->required & M_COUNTED) != 0;
  const bool to_cluster = (row->required & M_SHARED_CLUSTER) != 0;
  const ptx_space to = !is_counted  ? PTX_SPACE_GLOBAL
                       : to_cluster ? PTX_SPACE_SHARED_CLUSTER
                                    : PTX_SPACE_SHARED;
  const ptx_space from =
      is_counted && (row->required & M_GLOBAL) ? PTX_SPACE_GLOBAL : PTX_SPACE_SHARED;
  if (c->instr->n_operands != 3u + is_counted)
    return simt_decode_fail(c, SIMT_SYNTAX_ERROR, "a bulk copy has %u operands", 3u + is_counted);
  simt_instr in = simt_decode_from_op(c);
  in.klass = SIMT_CLASS_GLOBAL;
  in.memory =
      (simt_memory_access){.width_bytes = 4, .data_bytes = 4, .vector = 4, .address_bits = 64};
  if (row->required & M_REDUCE) {
    in.memory.width_bytes = (uint8_t)ptx_type_size_bytes(row->type);
    in.memory.data_bytes = simt_decode_lane_bytes(row->type);
    in.memory.vector = 1;
    in.memory.operation = (uint8_t)c->op.atomic;
    in.memory.order = ISA_RELAXED;
    in.memory.scope = is_counted ? ISA_SCOPE_CLUSTER : ISA_SCOPE_GPU;
    in.memory.discards = in.memory.is_unread = true;
  }
  for (uint32_t i = 0; i < 4; i++) in.memory.data[i] = SIMT_NO_SLOT;
  TRY(whole_address(c, 0, to, &in.a, &in.memory.space));
  TRY(whole_address(c, 1, from, &in.b, &in.memory.from_space));
  TRY(simt_decode_source(c, 2, PTX_B32, &in.c, NULL));
  c->b->kernel->order_matters = true;
  TRY(simt_decode_emit(c->b, &in));
  if (!is_counted) return SIMT_OK;
  uint32_t bytes;
  TRY(operate(c, ISA_CVT_U64_U32, 8, in.c, SIMT_NO_SLOT, &bytes));
  context barrier = *c;
  barrier.op.row = &isa_rows[ISA_MBARRIER_COMPLETE_TX_B64];
  barrier.op.space = to;
  return touch(&barrier, 3, (mbarrier_access){ISA_ATOM_MBARRIER_COMPLETE, bytes}, NULL);
}

simt_status simt_decode_mbarrier(const context *c) {
  switch (c->op.row->id) {
  case ISA_MBARRIER_INIT_B64: return initialise(c);
  case ISA_MBARRIER_INVAL_B64: return SIMT_OK;
  case ISA_MBARRIER_ARRIVE_B64: return arrive(c, ISA_ATOM_MBARRIER_ARRIVE);
  case ISA_MBARRIER_ARRIVE_EXPECT_TX_B64: return arrive(c, ISA_ATOM_MBARRIER_ARRIVE_EXPECT);
  case ISA_MBARRIER_ARRIVE_DROP_B64: return arrive(c, ISA_ATOM_MBARRIER_DROP);
  case ISA_MBARRIER_EXPECT_TX_B64: return arrive(c, ISA_ATOM_MBARRIER_EXPECT);
  case ISA_MBARRIER_COMPLETE_TX_B64: return arrive(c, ISA_ATOM_MBARRIER_COMPLETE);
  case ISA_MBARRIER_TEST_WAIT_B64:
  case ISA_MBARRIER_TRY_WAIT_B64: return test(c, false);
  case ISA_MBARRIER_TEST_WAIT_PARITY_B64:
  case ISA_MBARRIER_TRY_WAIT_PARITY_B64: return test(c, true);
  case ISA_CP_ASYNC_MBARRIER_ARRIVE_B64: // the copies are done, so what is added is taken at once
    return wait_for_copies(c, SIMT_ASYNC_ALL);
  case ISA_CP_ASYNC_MBARRIER_ARRIVE_NOINC_B64:
    TRY(wait_for_copies(c, SIMT_ASYNC_ALL));
    return arrive(c, ISA_ATOM_MBARRIER_ARRIVE);
  default: return pending_count(c);
  }
}

// ---- elect.sync d|p, members: the lowest lane of those that take part --------------------------

simt_status simt_decode_elect(const context *c) {
  uint32_t members, one, all, reversed, first = SIMT_NO_SLOT, lane, p = SIMT_NO_SLOT;
  TRY(simt_decode_source(c, 1, PTX_B32, &members, NULL));
  TRY(simt_decode_destination(c, 0, &first));
  TRY(simt_decode_second(c, &p));
  simt_instr vote = simt_decode_as_row(c, ISA_VOTE_SYNC_BALLOT_B32);
  vote.form = ISA_VOTE;
  vote.collective = (simt_collective){
      .members = members, .second_d = SIMT_NO_SLOT, .operation = ISA_VOTE_BALLOT, .value_bytes = 0};
  TRY(simt_builder_constant(c->b, SIMT_FULL_MASK, 0, &one));
  TRY(fresh(c, 4, &all));
  vote.d = all, vote.a = one;
  TRY(simt_decode_emit(c->b, &vote));
  TRY(operate(c, ISA_BREV_B32, 4, all, SIMT_NO_SLOT, &reversed));
  simt_instr count = simt_decode_as_row(c, ISA_CLZ_B32);
  if (first == SIMT_NO_SLOT) TRY(fresh(c, 4, &first));
  count.d = first, count.a = reversed;
  TRY(simt_decode_emit(c->b, &count));
  if (p == SIMT_NO_SLOT) return SIMT_OK;
  TRY(simt_builder_fill(c->b, (simt_fill){.kind = SIMT_FILL_LANEID, .bytes = 4}, &lane));
  simt_instr in = simt_decode_as_row(c, ISA_SETP_U32);
  in.form = ISA_SETP;
  in.arithmetic.second_d = SIMT_NO_SLOT;
  in.arithmetic.compare = ISA_EQ;
  in.d = p, in.a = first, in.b = lane;
  return simt_decode_emit(c->b, &in);
}
