// SPDX-License-Identifier: MIT
// test_live.c - from where to where registers live: against the textbook's equations on
// pseudo-random code, and by the number of steps for a switch of thousands of cases.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "decode/live.h"
#include "device/operands.h"
#include "run_suite.h"

static simt_arena arena;
static simt_kernel kernel;
static simt_cfg cfg;
static simt_diag diag;
static simt_liveness live;

static void setup(void) {
  arena = (simt_arena){0};
  kernel = (simt_kernel){.name = NULL};
}
static void teardown(void) { simt_arena_free(&arena); }

// Blocks of code[n], with a marker before each as decode/blocks.c places it. Branches name their
// targets among the n.
static void place(const simt_instr *code, uint32_t n) {
  uint8_t *kinds = SIMT_ARENA_ARRAY(&arena, uint8_t, n);
  uint32_t *targets = SIMT_ARENA_ARRAY(&arena, uint32_t, n);
  for (uint32_t i = 0; i < n; i++) {
    const bool guarded = code[i].guard != SIMT_NO_SLOT;
    kinds[i] = code[i].form == ISA_BRANCH ? (guarded ? SIMT_CFG_BRANCH : SIMT_CFG_JUMP)
               : code[i].form == ISA_EXIT ? SIMT_CFG_END
                                          : SIMT_CFG_PLAIN;
    targets[i] = code[i].form == ISA_BRANCH ? code[i].branch.target : 0;
  }
  ck_assert_int_eq(simt_cfg_build(&arena, n, kinds, targets, &cfg, &diag), SIMT_OK);
  kernel.n_blocks = cfg.n_blocks;
  kernel.n_code = n + cfg.n_blocks;
  kernel.code = SIMT_ARENA_ARRAY(&arena, simt_instr, kernel.n_code);
  kernel.blocks = SIMT_ARENA_ARRAY(&arena, simt_code_block, cfg.n_blocks);
  for (uint32_t b = 0; b < cfg.n_blocks; b++) {
    const uint32_t first = cfg.blocks[b].first + b + 1;
    kernel.blocks[b] = (simt_code_block){.first_pc = first, .n_instrs = cfg.blocks[b].n_instrs};
    kernel.code[first - 1] = simt_blank_instr(SIMT_FORM_MARKER);
    memcpy(&kernel.code[first], &code[cfg.blocks[b].first], cfg.blocks[b].n_instrs * sizeof *code);
  }
}

// d = a + b, in the lanes that `guard` names.
static simt_instr add(uint32_t d, uint32_t a, uint32_t b, uint32_t guard) {
  simt_instr in = simt_blank_instr(ISA_LANES);
  in.d = d, in.a = a, in.b = b, in.guard = guard;
  return in;
}

static simt_instr branch(uint32_t target, uint32_t guard) {
  simt_instr in = simt_blank_instr(ISA_BRANCH);
  in.branch.target = target, in.guard = guard;
  return in;
}

// ---- against the equations ----------------------------------------------------------------------

enum { N_OPERANDS = 12, N_FILLS = 2, MOST = 48 };
static simt_operand operands[N_OPERANDS];

typedef struct sets {
  uint32_t in[MOST], out[MOST], used[MOST], defined[MOST]; // a bit per operand
} sets;

static uint32_t bit_of(uint32_t operand) { return operand == SIMT_NO_SLOT ? 0 : 1u << operand; }

// live_out = union of successors' live_in; live_in = used + (live_out - defined). To a fixed point.
static void solve(sets *s) {
  for (uint32_t b = 0; b < cfg.n_blocks; b++)
    for (uint32_t i = 0; i < kernel.blocks[b].n_instrs; i++) {
      const simt_instr *in = &kernel.code[kernel.blocks[b].first_pc + i];
      const bool guarded = in->guard != SIMT_NO_SLOT;
      uint32_t reads = bit_of(in->guard);
      if (in->form == ISA_LANES) reads |= bit_of(in->a) | bit_of(in->b);
      if (in->form == ISA_LANES && guarded) reads |= bit_of(in->d);
      s->used[b] |= reads & ~s->defined[b];
      if (in->form == ISA_LANES && !guarded) s->defined[b] |= bit_of(in->d);
    }
  for (bool changed = true; changed;) {
    changed = false;
    for (uint32_t b = 0; b < cfg.n_blocks; b++) {
      uint32_t out = 0;
      for (uint32_t k = 0; k < cfg.blocks[b].n_successors; k++)
        out |= s->in[cfg.blocks[b].successors[k]];
      const uint32_t in = s->used[b] | (out & ~s->defined[b]);
      changed = changed || in != s->in[b] || out != s->out[b];
      s->in[b] = in, s->out[b] = out;
    }
  }
}

static void stretch(simt_interval *i, uint32_t at) {
  if (at < i->first) i->first = at;
  if (at > i->last) i->last = at;
}

static simt_interval interval_by(const sets *s, uint32_t operand) {
  simt_interval found = {UINT32_MAX, 0};
  for (uint32_t b = 0; b < cfg.n_blocks; b++) {
    const simt_code_block *range = &kernel.blocks[b];
    if (s->in[b] & bit_of(operand)) stretch(&found, range->first_pc - 1);
    if (s->out[b] & bit_of(operand)) stretch(&found, range->first_pc + range->n_instrs);
    for (uint32_t pc = range->first_pc; pc < range->first_pc + range->n_instrs; pc++) {
      const simt_instr *in = &kernel.code[pc];
      const uint32_t named =
          in->form == ISA_LANES ? bit_of(in->d) | bit_of(in->a) | bit_of(in->b) : 0;
      if ((named | bit_of(in->guard)) & bit_of(operand)) stretch(&found, pc);
    }
  }
  return found;
}

static uint32_t draw(uint64_t *state, uint32_t n) {
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (uint32_t)(*state >> 33) % n;
}

static void draw_code(simt_instr code[MOST], uint64_t seed) {
  for (uint32_t i = 0; i < MOST; i++) {
    // Only registers are written; the fills come last.
    const uint32_t d = draw(&seed, N_OPERANDS - N_FILLS), a = draw(&seed, N_OPERANDS),
                   b = draw(&seed, N_OPERANDS), guard = draw(&seed, 3 * N_OPERANDS);
    const uint32_t guarded = guard < N_OPERANDS - N_FILLS ? guard : SIMT_NO_SLOT;
    code[i] = draw(&seed, 4) == 0 ? branch(draw(&seed, MOST), guard % 4 ? d : SIMT_NO_SLOT)
                                  : add(d, a, draw(&seed, 3) ? b : SIMT_NO_SLOT, guarded);
  }
  code[MOST - 1] = simt_blank_instr(ISA_EXIT);
}

START_TEST(agrees_with_the_equations)
{
  simt_instr code[MOST];
  sets s = {.in = {0}};
  for (uint32_t i = 0; i < N_OPERANDS; i++)
    operands[i] = (simt_operand){.bytes = 4, .is_register = i < N_OPERANDS - N_FILLS};
  draw_code(code, (uint64_t)_i + 1);
  place(code, MOST);
  ck_assert(simt_find_liveness(&arena, &kernel, &cfg, operands, N_OPERANDS, &live));
  solve(&s);
  for (uint32_t i = 0; i < N_OPERANDS - N_FILLS; i++) {
    const simt_interval wanted = interval_by(&s, i);
    ck_assert_msg(live.intervals[i].first == wanted.first && live.intervals[i].last == wanted.last,
                  "seed %d, register %u: %u to %u, not %u to %u", _i + 1, i,
                  live.intervals[i].first, live.intervals[i].last, wanted.first, wanted.last);
    ck_assert_int_eq(live.at_entry[i], (s.in[0] & bit_of(i)) != 0);
  }
  for (uint32_t i = N_OPERANDS - N_FILLS; i < N_OPERANDS; i++) // of a fill: whether it is used
    ck_assert_int_eq(live.intervals[i].first <= live.intervals[i].last,
                     interval_by(&s, i).first != UINT32_MAX);
}
END_TEST

// ---- a switch -----------------------------------------------------------------------------------

// switch (x) with n cases, each of which adds a product of its own to one sum: registers x, sum,
// and two a case, its condition and its product.
enum { X, SUM, FIRST_OF_CASES };

static void place_switch(uint32_t n) {
  simt_instr *code = SIMT_ARENA_ARRAY(&arena, simt_instr, 5 * n + 4);
  const uint32_t cases = 2 * n + 2, end = cases + 3 * n;
  code[0] = add(X, SIMT_NO_SLOT, SIMT_NO_SLOT, SIMT_NO_SLOT);
  code[1] = add(SUM, SIMT_NO_SLOT, SIMT_NO_SLOT, SIMT_NO_SLOT);
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t condition = FIRST_OF_CASES + 2 * i, product = condition + 1;
    code[2 + 2 * i] = add(condition, X, SIMT_NO_SLOT, SIMT_NO_SLOT);
    code[3 + 2 * i] = branch(cases + 3 * i, condition);
    code[cases + 3 * i] = add(product, X, X, SIMT_NO_SLOT);
    code[cases + 3 * i + 1] = add(SUM, SUM, product, SIMT_NO_SLOT);
    code[cases + 3 * i + 2] = branch(end, SIMT_NO_SLOT);
  }
  code[end] = add(X, SUM, SIMT_NO_SLOT, SIMT_NO_SLOT);
  code[end + 1] = simt_blank_instr(ISA_EXIT);
  place(code, end + 2);
}

static uint64_t steps_of(uint32_t n_cases) {
  const uint32_t n_operands = FIRST_OF_CASES + 2 * n_cases;
  simt_operand *some = SIMT_ARENA_ARRAY(&arena, simt_operand, n_operands);
  for (uint32_t i = 0; i < n_operands; i++) some[i] = (simt_operand){.bytes = 4, .is_register = 1};
  place_switch(n_cases);
  ck_assert(simt_find_liveness(&arena, &kernel, &cfg, some, n_operands, &live));
  ck_assert(!live.at_entry[SUM]);
  ck_assert_uint_eq(live.intervals[SUM].last, kernel.n_code - 2);
  return live.n_steps;
}

// Two registers are live over two edges a case, and the sum over the way to the end; sets of all
// registers for all blocks would take 8,000 times 16,000 steps.
START_TEST(thousands_of_cases_are_linear)
{
  const uint64_t few = steps_of(1000), many = steps_of(8000);
  ck_assert_uint_le(few, 6 * 1000);
  ck_assert_uint_le(many, 6 * 8000);
}
END_TEST

START_TEST(exhausted_memory_is_reported)
{
  int n_failures = 0;
  simt_arena scratch = {0};
  simt_operand some[FIRST_OF_CASES + 2 * 4] = {{.is_register = true}};
  place_switch(4);
  for (size_t limit = 1;; limit += 64) {
    simt_arena_limit(&scratch, limit);
    const bool found =
        simt_find_liveness(&scratch, &kernel, &cfg, some, FIRST_OF_CASES + 2 * 4, &live);
    simt_arena_free(&scratch);
    if (found) break;
    n_failures++;
  }
  ck_assert_int_gt(n_failures, 10);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("live");
  TCase *tcase = tcase_create("live");
  tcase_add_checked_fixture(tcase, setup, teardown);
  tcase_add_loop_test(tcase, agrees_with_the_equations, 0, 500);
  tcase_add_test(tcase, thousands_of_cases_are_linear);
  tcase_add_test(tcase, exhausted_memory_is_reported);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
