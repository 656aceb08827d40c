// SPDX-License-Identifier: MIT
// generate_warp.c - statements of a whole warp, or of the lanes that a branch has taken.
//
// A shuffle reads only from lanes that take part: with a full mask from any, inside a branch from
// the lowest lane of its mask (other lanes' values would be undefined: PTX ISA, shfl.sync).
#include <stdio.h>

#include "generate_internal.h"

static operand mask_here(const generator *g) {
  operand mask = {"0xffffffff"};
  if (g->mask_depth != ALL_LANES) snprintf(mask.text, sizeof mask.text, "%%m%d", g->mask_depth);
  return mask;
}

static void shuffle(generator *g) {
  static const char *const modes[] = {"up", "down", "bfly", "idx"};
  static const char *const clamps[] = {"0x1f", "0", "0x181f", "0x1c1f", "0x1807", "0x1000"};
  const operand mask = mask_here(g), d = register_operand(g, 'r'), a = register_operand(g, 'r');
  operand p = {""}, lane = integer_operand(g, 'r'), clamp = register_operand(g, 'r');
  const char *mode = modes[pick(g, 4)];
  if (one_in(g, 2)) snprintf(p.text, sizeof p.text, "|%%p%u", pick(g, N_PREDICATES));
  if (!one_in(g, 3)) snprintf(clamp.text, sizeof clamp.text, "%s", clamps[pick(g, 6)]);
  if (g->mask_depth != ALL_LANES) {
    emit(g, "  brev.b32 %%t0, %s;\n  clz.b32 %%t0, %%t0;\n", mask.text);
    emit(g, "  shfl.sync.idx.b32 %s%s, %s, %%t0, 0x1f, %s;\n", d.text, p.text, a.text, mask.text);
  } else {
    emit(g, "  shfl.sync.%s.b32 %s%s, %s, %s, %s, %s;\n", mode, d.text, p.text, a.text, lane.text,
         clamp.text, mask.text);
  }
  count_row(g, "SHFL_SYNC_B32");
}

static void vote(generator *g) {
  static const struct {
    const char *text, *row;
    char letter;
  } votes[] = {{"all.pred", "VOTE_SYNC_ALL_PRED", 'p'},
               {"any.pred", "VOTE_SYNC_ANY_PRED", 'p'},
               {"uni.pred", "VOTE_SYNC_UNI_PRED", 'p'},
               {"ballot.b32", "VOTE_SYNC_BALLOT_B32", 'r'}};
  const unsigned which = pick(g, 4);
  const operand d = register_operand(g, votes[which].letter), p = predicate_operand(g);
  emit(g, "  vote.sync.%s %s, %s, %s;\n", votes[which].text, d.text, p.text, mask_here(g).text);
  count_row(g, votes[which].row);
}

// Of values that are often alike.
static void match(generator *g) {
  const bool is_all = one_in(g, 2), is_wide = one_in(g, 2);
  const char letter = is_wide ? 'd' : 'r';
  const unsigned bits = is_wide ? 64 : 32;
  operand p = {""};
  char name[24];
  if (is_all && one_in(g, 2)) snprintf(p.text, sizeof p.text, "|%%p%u", pick(g, N_PREDICATES));
  emit(g, "  and.b%u %s, %s, %u;\n", bits, is_wide ? "%u0" : "%t0",
       register_operand(g, letter).text, is_all ? 1 : 3);
  emit(g, "  match.%s.sync.b%u %s%s, %s, %s;\n", is_all ? "all" : "any", bits,
       register_operand(g, 'r').text, p.text, is_wide ? "%u0" : "%t0", mask_here(g).text);
  snprintf(name, sizeof name, "MATCH_%s_SYNC_B%u", is_all ? "ALL" : "ANY", bits);
  count_row(g, name);
}

static void redux(generator *g) {
  static const struct {
    const char *text, *row;
  } operations[] = {{"add.u32", "REDUX_SYNC_ADD_U32"}, {"add.s32", "REDUX_SYNC_ADD_S32"},
                    {"min.u32", "REDUX_SYNC_MIN_U32"}, {"min.s32", "REDUX_SYNC_MIN_S32"},
                    {"max.u32", "REDUX_SYNC_MAX_U32"}, {"max.s32", "REDUX_SYNC_MAX_S32"},
                    {"and.b32", "REDUX_SYNC_AND_B32"}, {"or.b32", "REDUX_SYNC_OR_B32"},
                    {"xor.b32", "REDUX_SYNC_XOR_B32"}};
  const unsigned which = pick(g, 9);
  const operand d = register_operand(g, 'r'), a = register_operand(g, 'r');
  emit(g, "  redux.sync.%s %s, %s, %s;\n", operations[which].text, d.text, a.text,
       mask_here(g).text);
  count_row(g, operations[which].row);
}

static void sync_warp(generator *g) {
  emit(g, "  bar.warp.sync %s;\n", mask_here(g).text);
  count_row(g, "BAR_WARP_SYNC");
}

void state_warp(generator *g) {
  static void (*const kinds[])(generator *) = {shuffle, shuffle, shuffle, vote,
                                               match,   redux,   redux,   sync_warp};
  begin_statement(g);
  kinds[pick(g, 8)](g);
  end_statement(g);
}
