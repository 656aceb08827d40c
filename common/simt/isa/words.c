// SPDX-License-Identifier: MIT
// isa/words.c - the table of modifiers: what each one spells, which bits it stands for and which
// field of isa_op it sets. Cache hints are accepted without effect, because they have none on
// results.
#include "isa/words.h"

#include <string.h>

#include "base/map.h"

// Where a spelling has two meanings, the one that is limited to an opcode comes first.
static const isa_word words[] = {
    {"rn", M_RN | M_RND, ISA_FIELD_ROUNDING, ISA_RN, NULL},
    {"rz", M_RZ | M_RND, ISA_FIELD_ROUNDING, ISA_RZ, NULL},
    {"rm", M_RM | M_RND, ISA_FIELD_ROUNDING, ISA_RM, NULL},
    {"rp", M_RP | M_RND, ISA_FIELD_ROUNDING, ISA_RP, NULL},
    {"rni", M_RNDI, ISA_FIELD_ROUNDING_TO_INTEGER, ISA_RN, NULL},
    {"rzi", M_RNDI, ISA_FIELD_ROUNDING_TO_INTEGER, ISA_RZ, NULL},
    {"rmi", M_RNDI, ISA_FIELD_ROUNDING_TO_INTEGER, ISA_RM, NULL},
    {"rpi", M_RNDI, ISA_FIELD_ROUNDING_TO_INTEGER, ISA_RP, NULL},
    {"ftz", M_FTZ, ISA_FIELD_NONE, 0, NULL},
    {"sat", M_SAT, ISA_FIELD_NONE, 0, NULL},
    {"approx", M_APPROX, ISA_FIELD_NONE, 0, NULL},
    {"full", M_FULL, ISA_FIELD_NONE, 0, NULL},
    {"cc", M_CC, ISA_FIELD_NONE, 0, NULL},
    {"wide", M_WIDE, ISA_FIELD_NONE, 0, NULL},
    {"relu", M_RELU, ISA_FIELD_NONE, 0, NULL},
    {"NaN", M_NAN, ISA_FIELD_NONE, 0, NULL},
    {"xorsign", M_XORSIGN_ABS, ISA_FIELD_NONE, 0, NULL},
    {"abs", M_XORSIGN_ABS, ISA_FIELD_NONE, 0, NULL},
    {"wrap", M_WRAP, ISA_FIELD_NONE, 0, NULL},
    {"clamp", M_BOUNDARY, ISA_FIELD_BOUNDARY, ISA_BOUNDARY_CLAMP, "suld"},
    {"clamp", M_BOUNDARY, ISA_FIELD_BOUNDARY, ISA_BOUNDARY_CLAMP, "sust"},
    {"clamp", M_CLAMP, ISA_FIELD_NONE, 0, NULL},
    {"shiftamt", M_SHIFTAMT, ISA_FIELD_NONE, 0, NULL},
    {"r", M_COMPONENT, ISA_FIELD_COMPONENT, 0, "tld4"},
    {"g", M_COMPONENT, ISA_FIELD_COMPONENT, 1, "tld4"},
    {"b", M_COMPONENT, ISA_FIELD_COMPONENT, 2, "tld4"},
    {"a", M_COMPONENT, ISA_FIELD_COMPONENT, 3, "tld4"},
    {"b", M_BY_BYTE, ISA_FIELD_NONE, 0, "suld"},
    {"b", M_BY_BYTE, ISA_FIELD_NONE, 0, "sust"},
    {"trap", M_BOUNDARY, ISA_FIELD_BOUNDARY, ISA_BOUNDARY_TRAP, NULL},
    {"zero", M_BOUNDARY, ISA_FIELD_BOUNDARY, ISA_BOUNDARY_ZERO, NULL},
    {"1d", M_GEOMETRY, ISA_FIELD_GEOMETRY, ISA_GEOMETRY_1D, NULL},
    {"2d", M_GEOMETRY, ISA_FIELD_GEOMETRY, ISA_GEOMETRY_2D, NULL},
    {"3d", M_GEOMETRY, ISA_FIELD_GEOMETRY, ISA_GEOMETRY_3D, NULL},
    {"a1d", M_GEOMETRY, ISA_FIELD_GEOMETRY, ISA_GEOMETRY_A1D, NULL},
    {"a2d", M_GEOMETRY, ISA_FIELD_GEOMETRY, ISA_GEOMETRY_A2D, NULL},
    {"cube", M_GEOMETRY, ISA_FIELD_GEOMETRY, ISA_GEOMETRY_CUBE, NULL},
    {"acube", M_GEOMETRY, ISA_FIELD_GEOMETRY, ISA_GEOMETRY_ACUBE, NULL},
    {"level", M_LEVEL, ISA_FIELD_NONE, 0, NULL},
    {"grad", M_GRAD, ISA_FIELD_NONE, 0, NULL},

    {"l", M_LEFT, ISA_FIELD_NONE, 0, NULL},
    {"r", M_RIGHT, ISA_FIELD_NONE, 0, NULL},
    {"noftz", M_NOFTZ, ISA_FIELD_NONE, 0, NULL},
    {"to", M_TO, ISA_FIELD_NONE, 0, NULL},

    {"f4e", M_PRMT, ISA_FIELD_PRMT, 1, NULL},
    {"b4e", M_PRMT, ISA_FIELD_PRMT, 2, NULL},
    {"rc8", M_PRMT, ISA_FIELD_PRMT, 3, NULL},
    {"ecl", M_PRMT, ISA_FIELD_PRMT, 4, NULL},
    {"ecr", M_PRMT, ISA_FIELD_PRMT, 5, NULL},
    {"rc16", M_PRMT, ISA_FIELD_PRMT, 6, NULL},
    {"finite", M_TEST, ISA_FIELD_TEST, ISA_TEST_FINITE, NULL},
    {"infinite", M_TEST, ISA_FIELD_TEST, ISA_TEST_INFINITE, NULL},
    {"number", M_TEST, ISA_FIELD_TEST, ISA_TEST_NUMBER, NULL},
    {"notanumber", M_TEST, ISA_FIELD_TEST, ISA_TEST_NAN, NULL},
    {"normal", M_TEST, ISA_FIELD_TEST, ISA_TEST_NORMAL, NULL},
    {"subnormal", M_TEST, ISA_FIELD_TEST, ISA_TEST_SUBNORMAL, NULL},

    {"lo", M_CMP, ISA_FIELD_COMPARE, ISA_LT, "setp"},
    {"hi", M_CMP, ISA_FIELD_COMPARE, ISA_GT, "setp"},
    {"lo", M_CMP, ISA_FIELD_COMPARE, ISA_LT, "set"},
    {"hi", M_CMP, ISA_FIELD_COMPARE, ISA_GT, "set"},
    {"lo", M_LO, ISA_FIELD_NONE, 0, NULL},
    {"hi", M_HI, ISA_FIELD_NONE, 0, NULL},
    {"ls", M_CMP, ISA_FIELD_COMPARE, ISA_LE, NULL},
    {"hs", M_CMP, ISA_FIELD_COMPARE, ISA_GE, NULL},
    {"eq", M_CMP, ISA_FIELD_COMPARE, ISA_EQ, NULL},
    {"ne", M_CMP, ISA_FIELD_COMPARE, ISA_NE, NULL},
    {"lt", M_CMP, ISA_FIELD_COMPARE, ISA_LT, NULL},
    {"le", M_CMP, ISA_FIELD_COMPARE, ISA_LE, NULL},
    {"gt", M_CMP, ISA_FIELD_COMPARE, ISA_GT, NULL},
    {"ge", M_CMP, ISA_FIELD_COMPARE, ISA_GE, NULL},
    {"equ", M_CMP, ISA_FIELD_COMPARE, ISA_EQU, NULL},
    {"neu", M_CMP, ISA_FIELD_COMPARE, ISA_NEU, NULL},
    {"ltu", M_CMP, ISA_FIELD_COMPARE, ISA_LTU, NULL},
    {"leu", M_CMP, ISA_FIELD_COMPARE, ISA_LEU, NULL},
    {"gtu", M_CMP, ISA_FIELD_COMPARE, ISA_GTU, NULL},
    {"geu", M_CMP, ISA_FIELD_COMPARE, ISA_GEU, NULL},
    {"num", M_CMP, ISA_FIELD_COMPARE, ISA_NUM, NULL},
    {"nan", M_CMP, ISA_FIELD_COMPARE, ISA_NAN, NULL},

    {"global", M_GLOBAL, ISA_FIELD_SPACE, PTX_SPACE_GLOBAL, NULL},
    {"shared", M_SHARED, ISA_FIELD_SPACE, PTX_SPACE_SHARED, NULL},
    {"shared::cta", M_SHARED, ISA_FIELD_SPACE, PTX_SPACE_SHARED, NULL},
    {"shared::cluster", M_SHARED_CLUSTER, ISA_FIELD_SPACE, PTX_SPACE_SHARED_CLUSTER, NULL},
    {"local", M_LOCAL, ISA_FIELD_SPACE, PTX_SPACE_LOCAL, NULL},
    {"param", M_PARAM, ISA_FIELD_SPACE, PTX_SPACE_PARAM, NULL},
    {"param::entry", M_PARAM, ISA_FIELD_SPACE, PTX_SPACE_PARAM, NULL},
    {"param::func", M_PARAM, ISA_FIELD_SPACE, PTX_SPACE_PARAM, NULL},
    {"const", M_CONST, ISA_FIELD_SPACE, PTX_SPACE_CONST, NULL},
    {"volatile", M_VOLATILE, ISA_FIELD_ORDER, ISA_VOLATILE, NULL},
    {"weak", M_WEAK, ISA_FIELD_ORDER, ISA_WEAK, NULL},
    {"relaxed", M_RELAXED, ISA_FIELD_ORDER, ISA_RELAXED, NULL},
    {"acquire", M_ACQUIRE, ISA_FIELD_ORDER, ISA_ACQUIRE, NULL},
    {"release", M_RELEASE, ISA_FIELD_ORDER, ISA_RELEASE, NULL},
    {"acq_rel", M_ACQ_REL, ISA_FIELD_ORDER, ISA_ACQ_REL, NULL},
    {"sc", M_SC, ISA_FIELD_ORDER, ISA_SEQ_CST, NULL},
    {"cta", M_SCOPE, ISA_FIELD_SCOPE, ISA_SCOPE_CTA, NULL},
    {"cluster", M_CLUSTER, ISA_FIELD_NONE, 0, "barrier"},
    {"cluster", M_SCOPE, ISA_FIELD_SCOPE, ISA_SCOPE_CLUSTER, NULL},
    {"gpu", M_SCOPE, ISA_FIELD_SCOPE, ISA_SCOPE_GPU, NULL},
    {"gl", M_SCOPE, ISA_FIELD_SCOPE, ISA_SCOPE_GPU, "membar"},
    {"sys", M_SCOPE, ISA_FIELD_SCOPE, ISA_SCOPE_SYS, NULL},
    {"nc", M_NC, ISA_FIELD_NONE, 0, NULL},
    {"ca", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"cg", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"cs", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"lu", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"cv", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"wb", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"wt", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L1", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L2", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L1::evict_normal", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L1::evict_unchanged", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L1::evict_first", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L1::evict_last", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L1::no_allocate", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L2::evict_normal", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L2::evict_first", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L2::evict_last", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L2::64B", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L2::128B", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"L2::256B", M_HINT, ISA_FIELD_NONE, 0, NULL},
    {"v2", M_VEC, ISA_FIELD_VECTOR, 2, NULL},
    {"v4", M_VEC, ISA_FIELD_VECTOR, 4, NULL},

    {"add", M_ADD, ISA_FIELD_NONE, 0, NULL},
    {"min", M_MIN, ISA_FIELD_NONE, 0, NULL},
    {"max", M_MAX, ISA_FIELD_NONE, 0, NULL},
    {"and", M_AND, ISA_FIELD_NONE, 0, NULL},
    {"or", M_OR, ISA_FIELD_NONE, 0, NULL},
    {"xor", M_XOR, ISA_FIELD_NONE, 0, NULL},
    {"exch", M_EXCH, ISA_FIELD_NONE, 0, NULL},
    {"cas", M_CAS, ISA_FIELD_NONE, 0, NULL},
    {"inc", M_INC, ISA_FIELD_NONE, 0, NULL},
    {"dec", M_DEC, ISA_FIELD_NONE, 0, NULL},
    {"popc", M_POPC, ISA_FIELD_NONE, 0, NULL},
    {"all", M_ALL, ISA_FIELD_NONE, 0, NULL},
    {"any", M_ANY, ISA_FIELD_NONE, 0, NULL},
    {"uni", M_UNI, ISA_FIELD_NONE, 0, NULL},
    {"ballot", M_BALLOT, ISA_FIELD_NONE, 0, NULL},
    {"up", M_SHFL, ISA_FIELD_SHUFFLE, ISA_SHFL_UP, NULL},
    {"down", M_SHFL, ISA_FIELD_SHUFFLE, ISA_SHFL_DOWN, NULL},
    {"bfly", M_SHFL, ISA_FIELD_SHUFFLE, ISA_SHFL_BFLY, NULL},
    {"idx", M_SHFL, ISA_FIELD_SHUFFLE, ISA_SHFL_IDX, NULL},
    {"sync", M_SYNC, ISA_FIELD_NONE, 0, NULL},
    {"aligned", M_ALIGNED, ISA_FIELD_NONE, 0, NULL},
    {"arrive", M_ARRIVE, ISA_FIELD_NONE, 0, NULL},
    {"red", M_RED_OP, ISA_FIELD_NONE, 0, NULL},
    {"warp", M_WARP, ISA_FIELD_NONE, 0, NULL},
    {"launch_dependents", M_LAUNCH_DEPENDENTS, ISA_FIELD_NONE, 0, NULL},
    {"wait", M_WAIT, ISA_FIELD_NONE, 0, NULL},
    {"init", M_INIT, ISA_FIELD_NONE, 0, NULL},
    {"inval", M_INVAL, ISA_FIELD_NONE, 0, NULL},
    {"arrive_drop", M_ARRIVE_DROP, ISA_FIELD_NONE, 0, NULL},
    {"test_wait", M_TEST_WAIT, ISA_FIELD_NONE, 0, NULL},
    {"try_wait", M_TRY_WAIT, ISA_FIELD_NONE, 0, NULL},
    {"pending_count", M_PENDING_COUNT, ISA_FIELD_NONE, 0, NULL},
    {"expect_tx", M_EXPECT_TX, ISA_FIELD_NONE, 0, NULL},
    {"complete_tx", M_COMPLETE_TX, ISA_FIELD_NONE, 0, NULL},
    {"parity", M_PARITY, ISA_FIELD_NONE, 0, NULL},
    {"noComplete", M_NO_COMPLETE, ISA_FIELD_NONE, 0, NULL},
    {"mbarrier", M_MBARRIER, ISA_FIELD_NONE, 0, NULL},
    {"mbarrier_init", M_MBARRIER_INIT, ISA_FIELD_NONE, 0, NULL},
    {"async", M_ASYNC, ISA_FIELD_NONE, 0, NULL},
    {"commit_group", M_COMMIT_GROUP, ISA_FIELD_NONE, 0, NULL},
    {"wait_group", M_WAIT_GROUP, ISA_FIELD_NONE, 0, NULL},
    {"wait_all", M_WAIT_ALL, ISA_FIELD_NONE, 0, NULL},
    {"noinc", M_NOINC, ISA_FIELD_NONE, 0, NULL},
};

enum { N_WORDS = sizeof words / sizeof words[0], END = 0xffff };

_Static_assert((int)N_WORDS <= (int)ISA_MAX_WORDS, "isa_index has no room for all modifiers");

void isa_index_words(isa_index *index) {
  memset(index->word_heads, 0xff, sizeof index->word_heads);
  for (uint32_t i = N_WORDS; i-- > 0;) { // backwards: chains keep the order of the table
    const uint32_t hash = simt_hash_text(words[i].text, strlen(words[i].text));
    uint16_t *head = &index->word_heads[hash % ISA_WORD_BUCKETS];
    index->word_next[i] = *head;
    *head = (uint16_t)i;
  }
}

const isa_word *isa_find_word(const isa_index *index, simt_str text, simt_str opcode) {
  const uint32_t hash = simt_hash_text(text.at, text.size);
  for (uint16_t i = index->word_heads[hash % ISA_WORD_BUCKETS]; i != END; i = index->word_next[i]) {
    const isa_word *w = &words[i];
    if (simt_str_is(text, w->text) && (!w->only_for || simt_str_is(opcode, w->only_for))) return w;
  }
  return NULL;
}
