// SPDX-License-Identifier: MIT
// decode/contract.c - multiplications that are fused into an addition, as ptxas does it.
//
// mul, add and sub without a rounding modifier "may be optimised aggressively": ptxas fuses them,
// and nvcc leaves it to ptxas (c - a * b comes as mul and sub, and is one FFMA in the machine
// code). So with f32, f64, f16, bf16 and packed halves. What ptxas 13 was seen to do, and what is
// done here, one sum after the other in the order of the text:
// - a product is fused when only additions and subtractions of its type read it, and all of them
//   stand in its own basic block; one that is also stored, compared, multiplied again or added
//   behind a label or a jump is rounded for all of them (an H100 prints so: block_... of
//   tests/simt/programs/contraction_blocks.cu);
// - nvcc fuses a product of floats or doubles that additions alone read, four of them at most,
// before
//   ptxas sees it: from the last addition of the text to the first, of two products the first. An
//   addition that has taken in one product reads the other one, which is then rounded for those
//   before it. clang's products are fused by this rule here, too;
// - products that one sum alone reads come first then, those of several after them;
// - of two products that one sum reads, the one with fewer sums is fused. The other is rounded for
//   it, and so for those that come later; sums that have taken it in stay as they are;
// - of two that have as many sums, the first is fused. Compilers sort the operands of an addition
//   by how late their values are there. To nvcc the elements of one vector are there together, so
//   that it leaves a.x * b.y + a.y * b.x as it stands, and clang sorts those, too: the one made
//   first is the first. To nvcc fabs(), fmin(), fma(), floor(), sqrt() and conversions to integers
//   are calls, with a place of their own, to clang operations, as early as their arguments;
// - a rounding modifier (__fmul_rn, -fmad=false) keeps an instruction out of it;
// - a quotient that is not rounded correctly (div.approx, div.full, rcp.approx without .ftz) ends
//   in a multiplication by the divisor's reciprocal, which is fused like any other; one that is
//   rounded correctly ends a basic block (an H100 prints so: fused_quotients.cu in that
//   folder).
//
// Not modelled: products behind a predicate, products that are negated first, and those that ptxas
// brings into one block with their sums by unrolling a loop. nvcc sorts by loads as the source has
// them; clang has merged repeated ones by then, and moves products into a later block, so that of
// its code the other product may be fused.
#include <string.h>

#include "decode/contraction.h"

static bool is_plain(const ptx_operand *operand, bool is_destination) {
  return operand->kind == PTX_OPERAND_REGISTER ||
         (!is_destination &&
          (operand->kind == PTX_OPERAND_F32 || operand->kind == PTX_OPERAND_F64));
}

static simt_quotient_kind quotient_of(const ptx_instr *in, const isa_op *op) {
  const uint32_t n = in->n_operands;
  for (uint32_t k = 0; k < n; k++)
    if (!is_plain(&in->operands[k], k == 0)) return QUOTIENT_NONE;
  switch (op->row->id) {
  case ISA_DIV_APPROX_F32: return n == 3 ? QUOTIENT_APPROX : QUOTIENT_NONE;
  case ISA_DIV_FULL_F32: return n == 3 ? QUOTIENT_FULL : QUOTIENT_NONE;
  case ISA_RCP_APPROX_F32: return n == 2 && !op->ftz ? QUOTIENT_RECIPROCAL : QUOTIENT_NONE;
  default: return QUOTIENT_NONE;
  }
}

// An H100 has shown it of div.rn.f32; of the others, of the same kind, it is taken for granted.
static bool branches(const isa_op *op) {
  switch (op->row->id) {
  case ISA_DIV_F32:
  case ISA_RCP_F32:
  case ISA_SQRT_F32:
  case ISA_DIV_F64:
  case ISA_RCP_F64:
  case ISA_SQRT_F64:
  case ISA_DIV_U64:
  case ISA_DIV_S64:
  case ISA_REM_U64:
  case ISA_REM_S64: return true;
  default: return false;
  }
}

// Whether nvcc has a call in its intermediate code for it, which it does not move. To clang these
// are operations like any other.
static bool is_call(const isa_op *op) {
  switch (op->row->id) {
  case ISA_ABS_F32:
  case ISA_ABS_F64:
  case ISA_MIN_F32:
  case ISA_MIN_F64:
  case ISA_MAX_F32:
  case ISA_MAX_F64:
  case ISA_FMA_F32:
  case ISA_FMA_F64:
  case ISA_SQRT_F32:
  case ISA_SQRT_F64: return true;
  default: return op->rounding_to_integer; // rint(), floor(), (int)x
  }
}

static instr_facts facts_of(const ptx_instr *in, const isa_op *op) {
  instr_facts facts = {.kind = KIND_OTHER, .branches = branches(op), .is_call = is_call(op)};
  facts.quotient = (uint8_t)quotient_of(in, op);
  if (facts.quotient) {
    facts.kind = KIND_MUL;
    facts.traits = (uint8_t)(1 + op->ftz); // of f32, the first type
    return facts;
  }
  for (uint32_t i = 0; i < N_FUSED_TYPES; i++) {
    const fused_type *type = &fused_types[i];
    const uint32_t id = op->row->id;
    if (id != type->mul && id != type->add && id != type->sub) continue;
    facts.kind = id == type->mul ? KIND_MUL : id == type->add ? KIND_ADD : KIND_SUB;
    facts.traits = (uint8_t)(1 + op->ftz + 2 * i);
    bool fits = in->n_operands == 3 && !op->has_rounding && !op->saturate;
    for (uint32_t k = 0; k < 3 && fits; k++) fits = is_plain(&in->operands[k], k == 0);
    if (!fits) facts.kind = KIND_ARITHMETIC;
    return facts;
  }
  if (op->row->form == ISA_LANES) facts.kind = KIND_ARITHMETIC;
  if (op->row->form == ISA_BRANCH || op->row->form == ISA_BRANCH_TABLE || op->row->form == ISA_CALL)
    facts.kind = KIND_JUMP;
  return facts;
}

static bool is_jump(uint8_t kind) { return kind == KIND_JUMP || kind == KIND_TABLE; }

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
      d->is_quotient = c->instrs[i].quotient;
    } else if (is_sum(c->instrs[i])) {
      const int32_t a = register_of(&in->operands[1]), b = register_of(&in->operands[2]);
      const bool is_add = c->instrs[i].kind == KIND_ADD;
      if (a >= 0 && a != b) facts[a].n_sums++, facts[a].n_adds += is_add;
      if (b >= 0 && a != b) facts[b].n_sums++, facts[b].n_adds += is_add;
      if (a >= 0 && a == b) facts[a].n_doublings += is_add;
    }
  }
}

// Whether register `r` holds a product of these traits that sums may still take in.
static bool is_product(const register_facts *facts, int32_t r, uint8_t traits) {
  if (r < 0) return false;
  const register_facts *f = &facts[r];
  return f->product >= 0 && f->n_products == 1 && f->traits == traits && !f->is_rounded &&
         !f->is_blocked;
}

static void rank_result(register_facts *facts, const ptx_operand *d, uint32_t rank, int32_t latest,
                        uint32_t vector) {
  const int32_t r = register_of(d);
  if (r < 0) return;
  facts[r].latest = latest >= 0 ? latest : r;
  facts[r].vector = facts[r].rank ? 0 : vector;
  facts[r].rank = rank;
}

// Ranks of registers, as nvcc has them: what is loaded, or comes from a call, has that of its place
// in the text, what is computed comes behind its latest source. `latest` is the register that this
// one was loaded to, `vector` says with which others.
static void rank_registers(const ptx_function *f, const simt_contraction *c,
                           const uint32_t *blocks) {
  enum { BLOCK = 1024 };
  register_facts *facts = c->registers;
  uint32_t place = 0;
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    const ptx_instr *in = &f->instrs[i];
    const instr_facts *what = &c->instrs[i];
    place += i && blocks[i] != blocks[i - 1] ? BLOCK : 0;
    if (!in->n_operands || is_jump(what->kind)) continue;
    const bool is_placed = what->kind == KIND_OTHER || what->is_call;
    uint32_t rank = is_placed ? ++place : 1;
    int32_t latest = -1;
    for (uint32_t k = 1; k < in->n_operands && !is_placed; k++) {
      const int32_t r = register_of(&in->operands[k]);
      if (r < 0 || facts[r].rank < rank) continue;
      rank = facts[r].rank + 1;
      latest = facts[r].latest;
    }
    rank_result(facts, &in->operands[0], rank, latest, 0);
    if (what->is_call && register_of(&in->operands[0]) >= 0)
      facts[in->operands[0].reg].is_called = true;
    for (uint32_t k = 0; k < in->operands[0].n_items; k++)
      rank_result(facts, &in->operands[0].items[k], rank, latest, i + 1);
  }
}

// The label that an instruction jumps to, always or under a condition: where it stands, or -1.
static int64_t target_of(const ptx_function *f, const simt_contraction *c, uint32_t i) {
  const ptx_instr *in = &f->instrs[i];
  if (c->instrs[i].kind != KIND_JUMP || in->n_operands != 1 ||
      in->operands[0].kind != PTX_OPERAND_SYMBOL)
    return -1;
  return ptx_find_label(f, in->operands[0].name);
}

// [n_instrs] the basic block of each instruction. A jump ends one, and what can be reached in two
// ways begins one; a label that is reached in one way alone goes on with the block it is reached
// from. Targets of jumps by table begin blocks of their own. In machine code a division ends one as
// well. NULL: no memory.
static uint32_t *find_blocks(builder *b, const ptx_function *f, const simt_contraction *c,
                             bool in_machine_code) {
  const uint32_t n = f->n_instrs;
  uint32_t *blocks = SIMT_ARENA_ARRAY(&b->scratch, uint32_t, n + 1);
  uint32_t *ways = SIMT_ARENA_ARRAY(&b->scratch, uint32_t, n + 1);   // by jumps
  uint32_t *source = SIMT_ARENA_ARRAY(&b->scratch, uint32_t, n + 1); // the last of these
  if (!blocks || !ways || !source) return NULL;
  memset(ways, 0, ((size_t)n + 1) * sizeof *ways);
  bool has_tables = false;
  for (uint32_t i = 0; i < n; i++) {
    const int64_t target = target_of(f, c, i);
    if (target >= 0) ways[target]++, source[target] = i;
    has_tables |= c->instrs[i].kind == KIND_TABLE;
  }
  for (uint32_t i = 0; i < f->n_labels && has_tables; i++) ways[f->labels[i].instr] += 2;
  uint32_t last = 0;
  bool falls = true; // the instruction before goes on to this one
  for (uint32_t i = 0; i < n; i++) {
    const bool follows_jump =
        i > 0 && (is_jump(c->instrs[i - 1].kind) || (in_machine_code && c->instrs[i - 1].branches));
    const bool only_way = ways[i] == 1 && !falls && source[i] < i && f->instrs[source[i]].guard < 0;
    if (only_way) blocks[i] = blocks[source[i]];
    else blocks[i] = i && !ways[i] && !follows_jump ? blocks[i - 1] : ++last;
    falls = target_of(f, c, i) < 0 || f->instrs[i].guard >= 0;
  }
  return blocks;
}

// Whether b is the first of two products that are added, to nvcc, where it is the second in clang's
// code: a has waited for a call that stands behind all that b has waited for, or their latest
// values are different elements of one vector, and b was made before a.
static bool is_turned(const register_facts *facts, const register_facts *a,
                      const register_facts *b) {
  const register_facts *of_a = &facts[a->latest], *of_b = &facts[b->latest];
  if (of_a->is_called) return a->rank > b->rank;
  return a->rank == b->rank && a->latest != b->latest && of_a->vector &&
         of_a->vector == of_b->vector && b->product < a->product;
}

// Products that some sum cannot take in: of another type, in another block, or before it.
static void round_products(const ptx_function *f, simt_contraction *c, const uint32_t *blocks) {
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    for (uint32_t k = 1; k <= 2 && is_sum(c->instrs[i]); k++) {
      const int32_t r = register_of(&f->instrs[i].operands[k]);
      if (r < 0 || c->registers[r].product < 0) continue;
      register_facts *facts = &c->registers[r];
      facts->is_rounded |= facts->traits != c->instrs[i].traits || (int32_t)i < facts->product ||
                           blocks[i] != blocks[facts->product];
    }
  }
}

// Marks what the sum at `at` takes in, and what it reads rounded.
static void take(const ptx_function *f, simt_contraction *c, uint32_t at, uint8_t taken) {
  c->instrs[at].taken = taken;
  for (uint8_t k = 1; k <= 2; k++) {
    const int32_t r = register_of(&f->instrs[at].operands[k]);
    if (r < 0) continue;
    if (k == taken) c->registers[r].is_fused = true;
    else c->registers[r].is_blocked = c->registers[r].is_needed = true;
  }
}

// Whether nvcc fuses the product in `r` into an addition of these traits: where only additions read
// it, of which none has been made a fused one with it as the addend, and not too many.
static bool is_fused_by_nvcc(const register_facts *facts, int32_t r, uint8_t traits) {
  enum { LAST_TRAITS = 4 /* of f64 */, MANY_USES = 5 };
  if (traits > LAST_TRAITS || !is_product(facts, r, traits)) return false;
  const uint32_t n_uses = facts[r].n_adds + 2 * facts[r].n_doublings;
  return !facts[r].is_quotient && facts[r].n_mentions == n_uses + 1 && n_uses < MANY_USES;
}

// What nvcc fuses before ptxas sees it: from the last addition of the text to the first, whichever
// of its operands can be, the first before the second.
static void settle_by_nvcc(const ptx_function *f, simt_contraction *c) {
  for (uint32_t i = f->n_instrs; i-- > 0;) {
    if (c->instrs[i].kind != KIND_ADD) continue;
    const int32_t a = register_of(&f->instrs[i].operands[1]);
    const int32_t b = register_of(&f->instrs[i].operands[2]);
    const register_facts *facts = c->registers;
    const bool first = is_fused_by_nvcc(facts, a, c->instrs[i].traits);
    const bool second = is_fused_by_nvcc(facts, b, c->instrs[i].traits);
    if (!first && !second) continue;
    take(f, c, i, !first || (second && is_turned(facts, &facts[a], &facts[b])) ? 2 : 1);
  }
}

// Whether ptxas fuses the product in `r` into a sum of these traits: where sums alone read it.
static bool is_fused_by_ptxas(const register_facts *facts, int32_t r, uint8_t traits) {
  return is_product(facts, r, traits) && facts[r].n_mentions == facts[r].n_sums + 1;
}

// Whether ptxas fuses b, although a is the first operand.
static bool is_second(const register_facts *facts, int32_t a, int32_t b, uint8_t kind) {
  if (facts[a].n_sums != facts[b].n_sums) return facts[b].n_sums < facts[a].n_sums;
  return kind == KIND_ADD && is_turned(facts, &facts[a], &facts[b]);
}

// Which operand of the sum at `at`, 1 or 2, ptxas fuses; 0: none, or one that more sums read.
static uint8_t choose(const simt_contraction *c, const ptx_instr *in, uint32_t at,
                      bool of_one_sum) {
  const uint8_t traits = c->instrs[at].traits;
  const int32_t a = register_of(&in->operands[1]), b = register_of(&in->operands[2]);
  const register_facts *facts = c->registers;
  const bool first = is_fused_by_ptxas(facts, a, traits);
  const bool second = is_fused_by_ptxas(facts, b, traits);
  if (!first && !second) return 0;
  const uint8_t taken = !first || (second && is_second(facts, a, b, c->instrs[at].kind)) ? 2 : 1;
  return of_one_sum && facts[taken == 1 ? a : b].n_sums > 1 ? 0 : taken;
}

static void settle_by_ptxas(const ptx_function *f, simt_contraction *c, bool of_one_sum) {
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    if (!is_sum(c->instrs[i]) || c->instrs[i].taken) continue;
    const uint8_t taken = choose(c, &f->instrs[i], i, of_one_sum);
    if (taken || !of_one_sum) take(f, c, i, taken);
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

// Copies of the factors are needed where one of them has a new value before the sum.
static void find_far(const ptx_function *f, simt_contraction *c) {
  for (uint32_t i = 0; i < f->n_instrs; i++) {
    const uint8_t taken = is_sum(c->instrs[i]) ? c->instrs[i].taken : 0;
    const int32_t r = taken ? register_of(&f->instrs[i].operands[taken]) : -1;
    if (r < 0) continue;
    const uint32_t product = (uint32_t)c->registers[r].product;
    if (c->registers[r].is_quotient) continue; // its factors are made where it stands
    const ptx_operand *mul = f->instrs[product].operands;
    for (uint32_t k = product + 1; k < i; k++)
      c->keeps_factors[r] |= writes(&f->instrs[k], register_of(&mul[1])) ||
                             writes(&f->instrs[k], register_of(&mul[2]));
  }
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
  const uint32_t *blocks = find_blocks(b, f, c, false);
  const uint32_t *pieces = find_blocks(b, f, c, true);
  if (!blocks || !pieces) return simt_fail(b->diag, SIMT_OUT_OF_MEMORY, "no memory left to decode");
  gather(f, c);
  rank_registers(f, c, blocks);
  round_products(f, c, blocks);
  settle_by_nvcc(f, c);
  round_products(f, c, pieces);
  settle_by_ptxas(f, c, true);
  settle_by_ptxas(f, c, false);
  find_far(f, c);
  *out = c;
  return SIMT_OK;
}
