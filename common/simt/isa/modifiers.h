// SPDX-License-Identifier: MIT
// isa/modifiers.h - the modifiers of PTX as a set of 128 bits: the vocabulary of the `required` and
// `allowed` columns of isa/opcodes/*.def.
//
// A bit is one modifier, or a group of modifiers that are always accepted together (M_CMP: any
// comparison operator). M_RND stands beside the four roundings so that a row can demand "some
// rounding".
#ifndef SIMT_ISA_MODIFIERS_H
#define SIMT_ISA_MODIFIERS_H

#include <stdint.h>

__extension__ typedef unsigned __int128 isa_modifiers;

static inline uint32_t isa_count_modifiers(isa_modifiers bits) {
  return (uint32_t)(__builtin_popcountll((uint64_t)bits) +
                    __builtin_popcountll((uint64_t)(bits >> 64)));
}

#define M_BIT(n) ((isa_modifiers)1 << (n))

// Arithmetic.
#define M_RND M_BIT(0) // one of the next four
#define M_RN M_BIT(1)
#define M_RZ M_BIT(2)
#define M_RM M_BIT(3)
#define M_RP M_BIT(4)
#define M_RND_ANY (M_RND | M_RN | M_RZ | M_RM | M_RP)
#define M_RNDI M_BIT(5) // .rni .rzi .rmi .rpi
#define M_FTZ M_BIT(6)
#define M_SAT M_BIT(7)
#define M_APPROX M_BIT(8)
#define M_FULL M_BIT(9)
#define M_CC M_BIT(10)
#define M_LO M_BIT(11)
#define M_HI M_BIT(12)
#define M_WIDE M_BIT(13)
#define M_NAN M_BIT(14)
#define M_XORSIGN_ABS M_BIT(15)
#define M_WRAP M_BIT(16)
#define M_CLAMP M_BIT(17)
#define M_SHIFTAMT M_BIT(18)
#define M_LEFT M_BIT(19)
#define M_RIGHT M_BIT(20)
#define M_PRMT M_BIT(21) // .f4e .b4e .rc8 .ecl .ecr .rc16
#define M_CMP M_BIT(22)  // .eq … .geu .num .nan
#define M_TEST M_BIT(23) // .finite … .subnormal

// Memory.
#define M_GLOBAL M_BIT(24)
#define M_SHARED M_BIT(25)
#define M_LOCAL M_BIT(26)
#define M_PARAM M_BIT(27)
#define M_CONST M_BIT(28)
#define M_SHARED_CLUSTER M_BIT(87) // .shared::cluster
#define M_SPACE (M_GLOBAL | M_SHARED | M_SHARED_CLUSTER | M_LOCAL | M_PARAM | M_CONST)
#define M_VOLATILE M_BIT(29)
#define M_WEAK M_BIT(30)
#define M_RELAXED M_BIT(31)
#define M_ACQUIRE M_BIT(32)
#define M_RELEASE M_BIT(33)
#define M_ACQ_REL M_BIT(34)
#define M_SC M_BIT(35)
#define M_SCOPE M_BIT(36) // .cta .cluster .gpu .sys .gl
#define M_NC M_BIT(37)
#define M_HINT M_BIT(38) // cache operators, eviction and prefetch hints: accepted, without effect
#define M_VEC M_BIT(39)  // .v2 .v4, of atomics also .v8
#define M_NOFTZ M_BIT(40)
#define M_TO M_BIT(41)
#define M_LOAD                                                                                     \
  (M_SPACE | M_VOLATILE | M_WEAK | M_RELAXED | M_ACQUIRE | M_SCOPE | M_NC | M_HINT | M_VEC |       \
   M_CACHE_HINT)
#define M_STORE                                                                                    \
  (M_GLOBAL | M_SHARED | M_SHARED_CLUSTER | M_LOCAL | M_PARAM | M_VOLATILE | M_WEAK | M_RELAXED |  \
   M_RELEASE | M_SCOPE | M_HINT | M_VEC | M_CACHE_HINT)
#define M_ATOM                                                                                     \
  (M_GLOBAL | M_SHARED | M_SHARED_CLUSTER | M_RELAXED | M_ACQUIRE | M_RELEASE | M_ACQ_REL |        \
   M_SCOPE | M_HINT | M_CACHE_HINT)
#define M_RED                                                                                      \
  (M_GLOBAL | M_SHARED | M_SHARED_CLUSTER | M_RELAXED | M_RELEASE | M_SCOPE | M_HINT | M_CACHE_HINT)

// Operations of atomics, reductions, boolean combination, votes and barriers.
#define M_ADD M_BIT(42)
#define M_MIN M_BIT(43)
#define M_MAX M_BIT(44)
#define M_AND M_BIT(45)
#define M_OR M_BIT(46)
#define M_XOR M_BIT(47)
#define M_BOOL (M_AND | M_OR | M_XOR)
#define M_EXCH M_BIT(48)
#define M_CAS M_BIT(49)
#define M_INC M_BIT(50)
#define M_DEC M_BIT(51)
#define M_REDUCTIONS (M_ADD | M_MIN | M_MAX | M_BOOL | M_INC | M_DEC)
#define M_POPC M_BIT(52)
#define M_ALL M_BIT(53)
#define M_ANY M_BIT(54)
#define M_UNI M_BIT(55)
#define M_BALLOT M_BIT(56)
#define M_SHFL M_BIT(57) // .up .down .bfly .idx
#define M_SYNC M_BIT(58)
#define M_ALIGNED M_BIT(59)
#define M_ARRIVE M_BIT(60)
#define M_RED_OP M_BIT(61) // bar.red
#define M_WARP M_BIT(62)
#define M_LAUNCH_DEPENDENTS M_BIT(63)
#define M_WAIT M_BIT(64)

// Asynchronous copies and mbarriers.
#define M_INIT M_BIT(65)
#define M_INVAL M_BIT(66)
#define M_ARRIVE_DROP M_BIT(67)
#define M_TEST_WAIT M_BIT(68)
#define M_TRY_WAIT M_BIT(69)
#define M_PENDING_COUNT M_BIT(70)
#define M_EXPECT_TX M_BIT(71)
#define M_COMPLETE_TX M_BIT(72)
#define M_PARITY M_BIT(73)
#define M_NO_COMPLETE M_BIT(74)
#define M_MBARRIER M_BIT(75)
#define M_ASYNC M_BIT(76)
#define M_COMMIT_GROUP M_BIT(77)
#define M_WAIT_GROUP M_BIT(78)
#define M_WAIT_ALL M_BIT(79)
#define M_NOINC M_BIT(80)
#define M_BULK M_BIT(93)
#define M_BULK_GROUP M_BIT(94)
#define M_COUNTED M_BIT(96) // an mbarrier counts the bytes: .mbarrier::complete_tx::bytes
#define M_READ M_BIT(97)    // of a wait: the sources may be written again
#define M_PREFETCH M_BIT(98)
#define M_REDUCE M_BIT(108) // cp.reduce.async.bulk
// Video instructions.
#define M_VIDEO M_BIT(99)     // a type of the destination and one of each source
#define M_SCALE M_BIT(100)    // .shr7 .shr15
#define M_PLUS_ONE M_BIT(101) // .po
// Policies of caches, which have no effect on results.
#define M_CACHE_HINT M_BIT(102) // one is the last operand
#define M_FRACTIONAL M_BIT(103) // how one is made
#define M_RANGE M_BIT(104)      // likewise
// Conversions to tf32, and of two integers into one register.
#define M_RNA M_BIT(105) // ties away from zero
#define M_PACK M_BIT(106)
#define M_THIRD_B32 M_BIT(107) // a third type, .b32: there is a c
// Textures and surfaces.
#define M_GEOMETRY M_BIT(81) // .1d .2d .3d .a1d .a2d .cube .acube
#define M_LEVEL M_BIT(82)
#define M_COMPONENT M_BIT(83) // .r .g .b .a of a gather
#define M_BY_BYTE M_BIT(84)   // .b of a surface access
#define M_BOUNDARY M_BIT(85)  // .trap .clamp .zero
#define M_RELU M_BIT(86)      // negative results become zero
#define M_SATFINITE M_BIT(92) // what is too large becomes the largest finite number
#define M_GRAD M_BIT(95)      // a texture's level by how coordinates change
#define M_MBARRIER_OP (M_SHARED | M_SHARED_CLUSTER | M_RELAXED | M_ACQUIRE | M_RELEASE | M_SCOPE)
#define M_CLUSTER M_BIT(88)       // of a barrier
#define M_MBARRIER_INIT M_BIT(89) // of a fence
#define M_PROXY M_BIT(90)
#define M_ALIAS M_BIT(91)

#endif
