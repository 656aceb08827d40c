// SPDX-License-Identifier: MIT
// decode/contract.c - multiplications that are fused into an addition, as ptxas does it.
//
// mul, add and sub of .f32 and .f64 without a rounding modifier "may be optimised aggressively":
// ptxas fuses them, and nvcc leaves it to ptxas (c - a * b comes as mul and sub, and is one FFMA in
// the machine code). What ptxas 13 was seen to do, and what is done here:
// - a product is fused when only additions and subtractions of its type read it, wherever they are;
//   one that is also stored, compared or multiplied again is rounded for all of them;
// - a product made before a loop is rounded for the sums in it: it is computed once (an H100 prints
//   in_a_loop of tests/simt/programs/contraction.cu so);
// - of two products that one instruction reads, the one of its own basic block is fused, which
//   nvcc does before ptxas sees it, and of two there the first; the other is rounded. Compilers
//   sort the operands of an addition by how late their values are there. To nvcc the elements of
//   one vector are there together, so that it leaves a.x * b.y + a.y * b.x as it stands, and clang
//   sorts those, too: of products that are there at once the one made first is the first;
// - a rounding modifier (__fmul_rn, -fmad=false) keeps an instruction out of it.
//
// Not modelled: products behind a predicate, and products that are negated first.
#include <string.h>

#include "decode/builder.h"

typedef enum contraction_kind {
  KIND_OTHER,
  KIND_ARITHMETIC, // lane by lane
  KIND_JUMP,       // or a call: what follows may be reached from elsewhere
  KIND_MUL,
  KIND_ADD,
  KIND_SUB
} contraction_kind;

// What matters here of one instruction. Only equal traits (type, subnormals) are fused.
typedef struct instr_facts {
  uint8_t kind, traits;
} instr_facts;

static bool is_plain(const ptx_operand *operand, bool is_destination) {
  return operand->kind == PTX_OPERAND_REGISTER ||
         (!is_destination &&
          (operand->kind == PTX_OPERAND_F32 || operand->kind == PTX_OPERAND_F64));
}

static instr_facts facts_of(const ptx_instr *in, const isa_op *op) {
  instr_facts facts = {.kind = KIND_OTHER};
  bool is_double = false;
  switch (op->row->id) {
  case ISA_MUL_F64: is_double = true; // fall through
  case ISA_MUL_F32: facts.kind = KIND_MUL; break;
  case ISA_ADD_F64: is_double = true; // fall through
  case ISA_ADD_F32: facts.kind = KIND_ADD; break;
  case ISA_SUB_F64: is_double = true; // fall through
  case ISA_SUB_F32: facts.kind = KIND_SUB; break;
  default:
    if (op->row->form == ISA_LANES) facts.kind = KIND_ARITHMETIC;
    if (op->row->form == ISA_BRANCH || op->row->form == ISA_BRANCH_TABLE ||
        op->row->form == ISA_CALL)
      facts.kind = KIND_JUMP;
    return facts;
  }
  facts.traits = (uint8_t)(1 + op->ftz + 2 * is_double);
  bool fits = in->n_operands == 3 && !op->has_rounding && !op->saturate;
  for (uint32_t i = 0; i < 3 && fits; i++) fits = is_plain(&in->operands[i], i == 0);
  if (!fits) facts.kind = KIND_ARITHMETIC;
  return facts;
}

static bool is_sum(instr_facts facts) { return facts.kind == KIND_ADD || facts.kind == KIND_SUB; }

// What is known of a register of the function.
typedef struct register_facts {
  uint32_t n_mentions, n_sums; // in all; as a source of an addition or subtraction
  int32_t product;             // the multiplication that gives its value, or -1
  uint32_t rank;               // how late its value is there
  uint8_t traits, n_products;
  bool is_rounded; // a use that needs the product itself
} register_facts;

struct simt_contraction {
  instr_facts *instrs;       // [n_instrs]
  register_facts *registers; // [n_registers]
  uint32_t (*factors)[2];    // [n_registers] operand ids, once the multiplication has been decoded
  // [n_registers] copies of the factors are made where the multiplication stood, since their
  // registers may have changed by the time of an addition.
  bool *keeps_factors;
};

static void count_operand(const ptx_operand *operand, register_facts *facts) {
  const bool is_register =
      operand->kind == PTX_OPERAND_REGISTER ||
      (operand->kind == PTX_OPERAND_ADDRESS && operand->base == PTX_OPERAND_REGISTER);
  if (is_register && operand->reg >= 0) facts[operand->reg].n_mentions++;
  if (operand->has_second && operand->second >= 0) facts[operand->second].n_mentions++;
  for (uint32_t i = 0; i < operand->n_items; i++) count_operand(&operand->items[i], facts);
}

static int32_t register_of(const ptx_operand *operand) {
  return operand->kind == PTX_OPERAND_REGISTER ? operand->reg : -1;
}

static void gather(const ptx_function *f, simt_contraction *c) {
  register_facts *facts = c->registers;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    const ptx_instr *in = &f->instrs[i];
    for (uint32_t k = 0; k < in->n_operands; k++) count_operand(&in->operands[k], facts);
    if (in->guard >= 0) facts[in->guard].n_mentions++;
    if (c->instrs[i].kind == KIND_MUL) {
      register_facts *d = &facts[in->operands[0].reg];
      d->n_products++;
      d->product = in->guard < 0 ? (int32_t)i : -1;
      d->traits = c->instrs[i].traits;
    } else if (is_sum(c->instrs[i])) {
      const int32_t a = register_of(&in->operands[1]), b = register_of(&in->operands[2]);
      if (a >= 0 && a != b) facts[a].n_sums++;
      if (b >= 0 && a != b) facts[b].n_sums++;
    }
  }
}

// Whether register `r` holds a product that `in`, of these traits, may take in.
static bool is_fusable(const register_facts *facts, int32_t r, uint8_t traits) {
  if (r < 0) return false;
  const register_facts *f = &facts[r];
  return f->product >= 0 && f->n_products == 1 && f->traits == traits && f->n_sums &&
         f->n_mentions == f->n_sums + 1 && !f->is_rounded;
}

// [n_instrs] where the innermost loop around each instruction begins, 0 outside loops. A loop is
// the code that a backward jump encloses; jumps by table are ignored. NULL: no memory.
static uint32_t *find_loops(builder *b, const ptx_function *f, const simt_contraction *c) {
  uint32_t *begins = SIMT_ARENA_ARRAY(&b->scratch, uint32_t, f->n_instrs + 1);
  if (!begins) return NULL;
  memset(begins, 0, ((size_t)f->n_instrs + 1) * sizeof *begins);
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    const ptx_instr *in = &f->instrs[i];
    if (c->instrs[i].kind != KIND_JUMP || in->n_operands != 1 ||
        in->operands[0].kind != PTX_OPERAND_SYMBOL)
      continue;
    const int64_t target = ptx_find_label(f, in->operands[0].name);
    for (int64_t k = target; k >= 0 && k <= (int64_t)i; k++)
      if (begins[k] < (uint32_t)target) begins[k] = (uint32_t)target;
  }
  return begins;
}

// Ranks of registers: what is loaded has that of its instruction, what is computed comes behind its
// latest source, and what has several values is like nothing else.
static void rank_result(register_facts *facts, const ptx_operand *d, uint32_t rank, uint32_t at) {
  const int32_t r = register_of(d);
  if (r >= 0) facts[r].rank = facts[r].rank ? UINT32_MAX - at : rank;
}

static void rank_registers(const ptx_function *f, const simt_contraction *c) {
  enum { STEP = 256 }; // room for chains of arithmetic
  register_facts *facts = c->registers;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    const ptx_instr *in = &f->instrs[i];
    const uint8_t kind = c->instrs[i].kind;
    if (!in->n_operands || kind == KIND_JUMP) continue;
    uint32_t rank = kind == KIND_OTHER ? (i + 1) * STEP : 1;
    for (uint32_t k = 1; k < in->n_operands && kind != KIND_OTHER; k++) {
      const int32_t r = register_of(&in->operands[k]);
      if (r >= 0 && facts[r].rank >= rank) rank = facts[r].rank + (facts[r].rank != UINT32_MAX);
    }
    rank_result(facts, &in->operands[0], rank, i);
    for (uint32_t k = 0; k < in->operands[0].n_items; k++)
      rank_result(facts, &in->operands[0].items[k], rank, i);
  }
}

// [n_instrs] the basic block of each instruction: a label begins one, a jump ends it. NULL: no
// memory.
static uint32_t *find_blocks(builder *b, const ptx_function *f, const simt_contraction *c) {
  uint32_t *blocks = SIMT_ARENA_ARRAY(&b->scratch, uint32_t, f->n_instrs + 1);
  if (!blocks) return NULL;
  memset(blocks, 0, ((size_t)f->n_instrs + 1) * sizeof *blocks);
  for (uint32_t i = 0; i < f->n_labels; i++) blocks[f->labels[i].instr] = 1;
  uint32_t block = 0;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    block += blocks[i] || (i > 0 && c->instrs[i - 1].kind == KIND_JUMP);
    blocks[i] = block;
  }
  return blocks;
}

// Whether the addition at `at` of the products in a and b takes in b, although a is its first
// operand.
static bool takes_second(const register_facts *facts, int32_t a, int32_t b, uint8_t kind,
                         const uint32_t *blocks, uint32_t at) {
  const bool has_first = blocks[facts[a].product] == blocks[at];
  const bool has_second = blocks[facts[b].product] == blocks[at];
  if (has_first != has_second) return has_second;
  return kind == KIND_ADD && facts[a].rank == facts[b].rank && facts[b].product < facts[a].product;
}

// Products that cannot be fused everywhere are rounded everywhere.
static void settle(const ptx_function *f, simt_contraction *c, const uint32_t *loop_begins,
                   const uint32_t *blocks) {
  register_facts *facts = c->registers;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    if (!is_sum(c->instrs[i])) continue;
    const uint8_t traits = c->instrs[i].traits;
    const ptx_operand *operands = f->instrs[i].operands;
    const int32_t a = register_of(&operands[1]), b = register_of(&operands[2]);
    for (int k = 0; k < 2; k++) {
      const int32_t r = k ? b : a;
      if (r < 0 || facts[r].product < 0) continue;
      // Of another type; or read before it is made, by way of a jump; or in a loop that begins
      // after it.
      if (facts[r].traits != traits || (int32_t)i < facts[r].product ||
          (int64_t)loop_begins[i] > facts[r].product)
        facts[r].is_rounded = true;
    }
    if (is_fusable(facts, a, traits) && is_fusable(facts, b, traits))
      facts[takes_second(facts, a, b, c->instrs[i].kind, blocks, i) ? a : b].is_rounded = true;
  }
}

static bool writes(const ptx_instr *in, int32_t r) {
  if (r < 0 || !in->n_operands) return false;
  const ptx_operand *d = &in->operands[0];
  if (register_of(d) == r || (d->has_second && d->second == r)) return true;
  for (uint32_t i = 0; i < d->n_items; i++)
    if (register_of(&d->items[i]) == r) return true;
  return false;
}

// The factors still are what they were where the product stood: no label, jump or new value
// between.
static bool is_near(const ptx_function *f, const simt_contraction *c, const bool *has_label,
                    uint32_t product, uint32_t use) {
  const ptx_operand *mul = f->instrs[product].operands;
  for (uint32_t i = product + 1; i <= use; i++) {
    if (has_label[i]) return false;
    if (i == use) break;
    if (c->instrs[i].kind == KIND_JUMP) return false;
    if (writes(&f->instrs[i], register_of(&mul[1])) || writes(&f->instrs[i], register_of(&mul[2])))
      return false;
  }
  return true;
}

static simt_status find_far(builder *b, const ptx_function *f, simt_contraction *c) {
  bool *has_label = SIMT_ARENA_ARRAY(&b->scratch, bool, f->n_instrs + 1);
  if (!has_label) return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode");
  memset(has_label, 0, f->n_instrs + 1);
  for (uint32_t i = 0; i < f->n_labels; i++) has_label[f->labels[i].instr] = true;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    if (!is_sum(c->instrs[i])) continue;
    for (uint32_t k = 1; k <= 2; k++) {
      const int32_t r = register_of(&f->instrs[i].operands[k]);
      if (is_fusable(c->registers, r, c->instrs[i].traits) &&
          !is_near(f, c, has_label, (uint32_t)c->registers[r].product, i))
        c->keeps_factors[r] = true;
    }
  }
  return SIMT_OK;
}

// Whether there is anything to fuse. Unknown instructions are ignored here; decoding refuses them.
static bool look_up_all(const builder *b, const ptx_function *f, instr_facts *instrs) {
  bool has_product = false, has_sum = false;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    isa_op op;
    isa_refusal refusal;
    instrs[i] = (instr_facts){.kind = KIND_OTHER};
    if (isa_lookup(&b->module->isa, &f->instrs[i], &op, &refusal) == SIMT_OK)
      instrs[i] = facts_of(&f->instrs[i], &op);
    has_product |= instrs[i].kind == KIND_MUL;
    has_sum |= is_sum(instrs[i]);
  }
  return has_product && has_sum;
}

simt_status simt_contraction_of(builder *b, const ptx_function *f, simt_contraction **out) {
  *out = NULL;
  const uint32_t n = f->n_registers;
  simt_contraction *c = SIMT_ARENA_NEW(&b->scratch, simt_contraction);
  if (c) c->instrs = SIMT_ARENA_ARRAY(&b->scratch, instr_facts, f->n_instrs + 1);
  if (!c || !c->instrs) return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode");
  if (!look_up_all(b, f, c->instrs)) return SIMT_OK;
  c->registers = SIMT_ARENA_ARRAY(&b->scratch, register_facts, n);
  c->factors = (uint32_t(*)[2])SIMT_ARENA_ARRAY(&b->scratch, uint32_t, 2 * n);
  c->keeps_factors = SIMT_ARENA_ARRAY(&b->scratch, bool, n);
  if (!c->registers || !c->factors || !c->keeps_factors)
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode");
  memset(c->keeps_factors, 0, n);
  for (uint32_t r = 0; r < n; r++) c->registers[r] = (register_facts){.product = -1};
  const uint32_t *loop_begins = find_loops(b, f, c);
  const uint32_t *blocks = find_blocks(b, f, c);
  if (!loop_begins || !blocks)
    return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode");
  gather(f, c);
  rank_registers(f, c);
  settle(f, c, loop_begins, blocks);
  *out = c;
  return find_far(b, f, c);
}

// ---- decoding ----------------------------------------------------------------------------------

static simt_status fresh(const context *c, bool is_double, uint32_t *id) {
  return simt_builder_operand(c->b, (simt_operand){.bytes = is_double ? 8 : 4, .is_register = true},
                              id);
}

// d = -a, as the function unit would read it.
static simt_status negated(const context *c, bool is_double, uint32_t *id) {
  simt_instr in = simt_decode_as_row(c, is_double ? ISA_NEG_F64 : ISA_NEG_F32);
  in.arithmetic.ftz = c->op.ftz;
  in.a = *id;
  TRY(fresh(c, is_double, &in.d));
  *id = in.d;
  return simt_decode_emit(c->b, &in);
}

static simt_status copied(const context *c, bool is_double, uint32_t *id) {
  simt_instr in = simt_decode_as_row(c, is_double ? ISA_MOV_B64 : ISA_MOV_B32);
  in.a = *id;
  TRY(fresh(c, is_double, &in.d));
  *id = in.d;
  return simt_decode_emit(c->b, &in);
}

static simt_status decode_product(const context *c, simt_contraction *plan, bool is_double) {
  const int32_t r = c->instr->operands[0].reg;
  const ptx_type type = is_double ? PTX_F64 : PTX_F32;
  for (uint32_t k = 0; k < 2; k++) {
    TRY(simt_decode_source(c, k + 1, type, &plan->factors[r][k], NULL));
    if (plan->keeps_factors[r]) TRY(copied(c, is_double, &plan->factors[r][k]));
  }
  return SIMT_OK;
}

static simt_status decode_sum(const context *c, const simt_contraction *plan, bool is_double,
                              uint32_t product_at) {
  const ptx_type type = is_double ? PTX_F64 : PTX_F32;
  const int32_t r = c->instr->operands[product_at].reg;
  uint32_t factor = plan->factors[r][0], addend;
  TRY(simt_decode_source(c, 3 - product_at, type, &addend, NULL));
  if (plan->instrs[c->instr - c->function->instrs].kind == KIND_SUB)
    TRY(negated(c, is_double, product_at == 1 ? &addend : &factor));
  simt_instr in = simt_decode_as_row(c, is_double ? ISA_FMA_F64 : ISA_FMA_F32);
  in.arithmetic.rounding = (uint8_t)c->op.rounding;
  in.arithmetic.ftz = c->op.ftz;
  in.a = factor;
  in.b = plan->factors[r][1];
  in.c = addend;
  TRY(simt_decode_result(c, type, &in.d));
  return simt_decode_emit(c->b, &in);
}

simt_status simt_decode_contracted(const context *c, simt_contraction *plan, bool *done) {
  const instr_facts facts = plan->instrs[c->instr - c->function->instrs];
  const bool is_double = facts.traits > 2;
  *done = false;
  if (facts.kind == KIND_MUL) {
    *done = is_fusable(plan->registers, c->instr->operands[0].reg, facts.traits);
    return *done ? decode_product(c, plan, is_double) : SIMT_OK;
  }
  for (uint32_t k = 1; k <= 2 && is_sum(facts); k++) {
    *done = is_fusable(plan->registers, register_of(&c->instr->operands[k]), facts.traits);
    if (*done) return decode_sum(c, plan, is_double, k);
  }
  return SIMT_OK;
}
