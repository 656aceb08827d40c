// SPDX-License-Identifier: MIT
// test_cfg.c - basic blocks and immediate post-dominators of hand-worked programs.
//
// A program is a string, one character per instruction: '.' plain, 'b' branch, 'j' jump, 'e' end,
// 'c' guarded end; targets are given in order of the branches and jumps.
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "decode/cfg.h"
#include "run_suite.h"

static simt_arena arena;
static simt_cfg cfg;
static simt_diag diag;

static void setup(void) { arena = (simt_arena){0}; }
static void teardown(void) { simt_arena_free(&arena); }

static simt_status build(const char *program, const uint32_t *jumps) {
  static const char letters[] = ".bjec";
  uint8_t kinds[256];
  uint32_t targets[256] = {0};
  uint32_t n = (uint32_t)strlen(program);
  for (uint32_t i = 0; i < n; i++) {
    kinds[i] = (uint8_t)(strchr(letters, program[i]) - letters);
    if (program[i] == 'b' || program[i] == 'j') targets[i] = *jumps++;
  }
  return simt_cfg_build(&arena, n, kinds, targets, &cfg, &diag);
}

#define TARGETS(...) ((const uint32_t[]){__VA_ARGS__})

// Expects the blocks' first instructions and their immediate post-dominators.
static void expect(uint32_t n_blocks, const uint32_t *first, const int32_t *post_dominators) {
  ck_assert_uint_eq(cfg.n_blocks, n_blocks);
  for (uint32_t b = 0; b < n_blocks; b++) {
    ck_assert_msg(cfg.blocks[b].first == first[b], "block %u begins at %u, not %u", b,
                  cfg.blocks[b].first, first[b]);
    ck_assert_msg(cfg.blocks[b].post_dominator == post_dominators[b],
                  "post-dominator of block %u is %d, not %d", b, cfg.blocks[b].post_dominator,
                  post_dominators[b]);
    for (uint32_t i = 0; i < cfg.blocks[b].n_instrs; i++)
      ck_assert_uint_eq(cfg.block_of[cfg.blocks[b].first + i], b);
  }
}

#define EXPECT(n, firsts, ...) expect((n), firsts, (const int32_t[]){__VA_ARGS__})

START_TEST(one_block)
{
  ck_assert_int_eq(build("..e", NULL), SIMT_OK);
  EXPECT(1, TARGETS(0), -1);
  ck_assert_uint_eq(cfg.blocks[0].n_instrs, 3);
  ck_assert_uint_eq(cfg.blocks[0].n_successors, 0);
  ck_assert(cfg.blocks[0].reachable);
}
END_TEST

START_TEST(diamond)
{
  // 0: . b->4 | 2: . j->5 | 4: . | 5: e
  ck_assert_int_eq(build(".b.j.e", TARGETS(4, 5)), SIMT_OK);
  EXPECT(4, TARGETS(0, 2, 4, 5), 3, 3, 3, -1);
  ck_assert_uint_eq(cfg.blocks[0].n_successors, 2);
  ck_assert_uint_eq(cfg.blocks[0].successors[0], 2); // the target first
  ck_assert_uint_eq(cfg.blocks[0].successors[1], 1);
  ck_assert_uint_eq(cfg.blocks[1].successors[0], 3);
}
END_TEST

START_TEST(if_without_else)
{
  // 0: . b->3 | 2: . | 3: e
  ck_assert_int_eq(build(".b.e", TARGETS(3)), SIMT_OK);
  EXPECT(3, TARGETS(0, 2, 3), 2, 2, -1);
}
END_TEST

START_TEST(branch_to_the_next_instruction_has_one_successor)
{
  ck_assert_int_eq(build("b.e", TARGETS(1)), SIMT_OK);
  EXPECT(2, TARGETS(0, 1), 1, -1);
  ck_assert_uint_eq(cfg.blocks[0].n_successors, 1);
}
END_TEST

START_TEST(loop)
{
  // 0: . | 1: . b->1 | 3: e
  ck_assert_int_eq(build("..be", TARGETS(1)), SIMT_OK);
  EXPECT(3, TARGETS(0, 1, 3), 1, 2, -1);
}
END_TEST

START_TEST(nested_loops_with_a_break)
{
  // 0: .            outer preheader
  // 1: . b->9       outer head: leave the outer loop
  // 3: . b->7       inner head: break
  // 5: . b->3       inner latch
  // 7: .            after the inner loop
  // 8: j->1         outer latch (same block as 7)
  // 9: e
  ck_assert_int_eq(build("..b.b.b.je", TARGETS(9, 7, 3, 1)), SIMT_OK);
  EXPECT(6, TARGETS(0, 1, 3, 5, 7, 9), 1, 5, 4, 4, 1, -1);
}
END_TEST

START_TEST(early_exit_reconverges_at_the_exit)
{
  // 0: b->2 | 1: e | 2: b->4 | 3: . | 4: e
  ck_assert_int_eq(build("beb.e", TARGETS(2, 4)), SIMT_OK);
  EXPECT(5, TARGETS(0, 1, 2, 3, 4), -1, -1, 4, 4, -1);
}
END_TEST

START_TEST(guarded_end_leaves_and_goes_on)
{
  // 0: b->3 | 1: c | 2: . | 3: e
  ck_assert_int_eq(build("bc.e", TARGETS(3)), SIMT_OK);
  EXPECT(4, TARGETS(0, 1, 2, 3), -1, -1, 3, -1);
  ck_assert_uint_eq(cfg.blocks[1].n_successors, 1);
  ck_assert_uint_eq(cfg.blocks[1].successors[0], 2);
}
END_TEST

START_TEST(loop_with_two_exits)
{
  // 0: . | 1: b->4 | 2: b->1 | 3: . (falls to 4) | 4: e
  ck_assert_int_eq(build(".bb.e", TARGETS(4, 1)), SIMT_OK);
  EXPECT(5, TARGETS(0, 1, 2, 3, 4), 1, 4, 4, 4, -1);
}
END_TEST

START_TEST(irreducible_loop)
{
  // 0: b->3        enters the loop in its middle
  // 1: .           A
  // 2: .           (A goes on) -> 3
  // 3: . b->1      B: back to A
  // 5: e
  ck_assert_int_eq(build("b...be", TARGETS(3, 1)), SIMT_OK);
  EXPECT(4, TARGETS(0, 1, 3, 5), 2, 2, 3, -1);
}
END_TEST

START_TEST(two_entries_two_exits_irreducible)
{
  // 0: b->2 | 1: b->4 (else 2) | 2: b->1 (else 3) | 3: . | 4: e
  ck_assert_int_eq(build("bbb.e", TARGETS(2, 4, 1)), SIMT_OK);
  EXPECT(5, TARGETS(0, 1, 2, 3, 4), 4, 4, 4, 4, -1);
}
END_TEST

START_TEST(infinite_loop_leaves_from_its_last_block)
{
  // 0: b->4 | 1: . | 2: . j->1 | 4: e ; blocks 0 | 1 | 4
  ck_assert_int_eq(build("b..je", TARGETS(4, 1)), SIMT_OK);
  EXPECT(3, TARGETS(0, 1, 4), -1, -1, -1);
}
END_TEST

START_TEST(infinite_loop_of_several_blocks)
{
  // 0: . | 1: b->3 | 2: . | 3: j->1 : the loop 1,2,3 leaves from 3
  ck_assert_int_eq(build(".b.j", TARGETS(3, 1)), SIMT_OK);
  EXPECT(4, TARGETS(0, 1, 2, 3), 1, 3, 3, -1);
}
END_TEST

START_TEST(path_into_an_infinite_loop_is_not_tied_itself)
{
  // The loop stands first in the text, the only way into it last:
  // 0: j->3 | 1: . j->1 | 3: b->1 | 4: j->1
  ck_assert_int_eq(build("j.jbj", TARGETS(3, 1, 1, 1)), SIMT_OK);
  EXPECT(4, TARGETS(0, 1, 3, 4), 2, -1, 1, 1);
}
END_TEST

START_TEST(jump_to_itself)
{
  ck_assert_int_eq(build("j", TARGETS(0)), SIMT_OK);
  EXPECT(1, TARGETS(0), -1);
}
END_TEST

START_TEST(unreachable_code_is_marked)
{
  // 0: j->3 | 1: . (dead, goes to 2) . | 3: e ; 1 and 2 are one block
  ck_assert_int_eq(build("j..e", TARGETS(3)), SIMT_OK);
  EXPECT(3, TARGETS(0, 1, 3), 2, 2, -1);
  ck_assert(cfg.blocks[0].reachable && !cfg.blocks[1].reachable && cfg.blocks[2].reachable);
}
END_TEST

START_TEST(control_must_not_fall_off)
{
  ck_assert_int_eq(build("", NULL), SIMT_SYNTAX_ERROR);
  static const char *const falling[] = {"..", ".b", ".c"};
  for (size_t i = 0; i < 3; i++) {
    ck_assert_int_eq(build(falling[i], TARGETS(0)), SIMT_SYNTAX_ERROR);
    ck_assert_ptr_nonnull(strstr(diag.text, "control falls off the end"));
    ck_assert_ptr_null(cfg.blocks);
  }
  ck_assert_int_eq(build("be", TARGETS(2)), SIMT_SYNTAX_ERROR);
  ck_assert_int_eq(build("je", TARGETS(2)), SIMT_SYNTAX_ERROR);
  ck_assert_int_eq(build("je", TARGETS(3)), SIMT_INVALID_ARGUMENT);
  ck_assert_int_eq(simt_cfg_build(&arena, 1, (const uint8_t[]){9}, TARGETS(0), &cfg, &diag),
                   SIMT_INVALID_ARGUMENT);
}
END_TEST

START_TEST(exhausted_memory_is_a_status)
{
  int n_failures = 0;
  for (size_t limit = 1;; limit++) {
    simt_arena_free(&arena);
    simt_arena_limit(&arena, limit);
    simt_status status = build("..b.b.b.je", TARGETS(9, 7, 3, 1));
    if (status == SIMT_OK) break;
    ck_assert_int_eq(status, SIMT_OUT_OF_MEMORY);
    n_failures++;
  }
  ck_assert_int_gt(n_failures, 100);
  EXPECT(6, TARGETS(0, 1, 3, 5, 7, 9), 1, 5, 4, 4, 1, -1);
}
END_TEST

// A block p post-dominates b if, with p removed, b cannot reach the exit: the fast algorithm is
// compared with this definition on pseudo-random graphs.
static bool reaches_exit(uint32_t from, uint32_t without, const uint8_t *kinds) {
  bool seen[256] = {false};
  uint32_t stack[256], depth = 0;
  if (from == without) return false;
  stack[depth++] = from;
  seen[from] = true;
  while (depth > 0) {
    const simt_cfg_block *block = &cfg.blocks[stack[--depth]];
    uint8_t kind = kinds[block->first + block->n_instrs - 1];
    if (kind == SIMT_CFG_END || kind == SIMT_CFG_COND_END) return true;
    for (uint32_t i = 0; i < block->n_successors; i++) {
      uint32_t next = block->successors[i];
      if (next != without && !seen[next]) {
        seen[next] = true;
        stack[depth++] = next;
      }
    }
  }
  return false;
}

START_TEST(agrees_with_the_definition)
{
  uint64_t state = 12345 + (uint64_t)_i;
  enum { N = 40 };
  uint8_t kinds[N];
  uint32_t targets[N];
  for (int i = 0; i < N; i++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint32_t dice = (uint32_t)(state >> 33);
    kinds[i] = dice % 16 == 0   ? SIMT_CFG_JUMP
               : dice % 16 == 1 ? SIMT_CFG_COND_END
               : dice % 2       ? SIMT_CFG_BRANCH
                                : SIMT_CFG_PLAIN;
    targets[i] = dice / 16 % N;
  }
  kinds[N - 1] = SIMT_CFG_END;
  ck_assert_int_eq(simt_cfg_build(&arena, N, kinds, targets, &cfg, &diag), SIMT_OK);
  for (uint32_t b = 0; b < cfg.n_blocks; b++) // infinite loops are tied by a rule of their own
    if (!reaches_exit(b, UINT32_MAX, kinds)) return;
  for (uint32_t b = 0; b < cfg.n_blocks; b++) {
    // The post-dominators of b are a chain; the immediate one is post-dominated by all others.
    int32_t nearest = -1;
    for (uint32_t p = 0; p < cfg.n_blocks; p++)
      if (p != b && !reaches_exit(b, p, kinds) &&
          (nearest < 0 || !reaches_exit(p, (uint32_t)nearest, kinds)))
        nearest = (int32_t)p;
    ck_assert_msg(cfg.blocks[b].post_dominator == nearest, "graph %d, block %u: %d, not %d", _i, b,
                  cfg.blocks[b].post_dominator, nearest);
  }
}
END_TEST

START_TEST(a_long_chain_is_linear)
{
  enum { N = 300000 };
  uint8_t *kinds = malloc(N);
  uint32_t *targets = malloc(N * sizeof *targets);
  for (uint32_t i = 0; i < N; i++) {
    kinds[i] = i % 2 ? SIMT_CFG_BRANCH : SIMT_CFG_PLAIN;
    targets[i] = i % 4 == 1 ? (i > 40 ? i - 41 : 0) : i + 1;
  }
  kinds[N - 1] = SIMT_CFG_END;
  ck_assert_int_eq(simt_cfg_build(&arena, N, kinds, targets, &cfg, &diag), SIMT_OK);
  ck_assert_uint_gt(cfg.n_blocks, N / 4);
  for (uint32_t b = 0; b + 1 < cfg.n_blocks; b++)
    ck_assert_int_eq(cfg.blocks[b].post_dominator, (int32_t)b + 1);
  free(kinds);
  free(targets);
}
END_TEST

int main(void) {
  Suite *suite = suite_create("cfg");
  TCase *tcase = tcase_create("cfg");
  tcase_add_checked_fixture(tcase, setup, teardown);
  tcase_add_test(tcase, one_block);
  tcase_add_test(tcase, diamond);
  tcase_add_test(tcase, if_without_else);
  tcase_add_test(tcase, branch_to_the_next_instruction_has_one_successor);
  tcase_add_test(tcase, loop);
  tcase_add_test(tcase, nested_loops_with_a_break);
  tcase_add_test(tcase, early_exit_reconverges_at_the_exit);
  tcase_add_test(tcase, guarded_end_leaves_and_goes_on);
  tcase_add_test(tcase, loop_with_two_exits);
  tcase_add_test(tcase, irreducible_loop);
  tcase_add_test(tcase, two_entries_two_exits_irreducible);
  tcase_add_test(tcase, infinite_loop_leaves_from_its_last_block);
  tcase_add_test(tcase, infinite_loop_of_several_blocks);
  tcase_add_test(tcase, path_into_an_infinite_loop_is_not_tied_itself);
  tcase_add_test(tcase, jump_to_itself);
  tcase_add_test(tcase, unreachable_code_is_marked);
  tcase_add_test(tcase, control_must_not_fall_off);
  tcase_add_test(tcase, exhausted_memory_is_a_status);
  tcase_add_loop_test(tcase, agrees_with_the_definition, 0, 200);
  tcase_add_test(tcase, a_long_chain_is_linear);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
