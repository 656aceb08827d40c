// SPDX-License-Identifier: MIT
// reduce.h - cg::reduce over a tile or a coalesced group: every member gets the result.
//
// 32-bit integers with plus, less, greater and the bit operators use the warp's reduction
// instruction (redux.sync). Everything else is folded by butterfly in a tile, so its order is
// fixed: distances Size/2, Size/4, …, 1; and by rank in a coalesced group.
#ifndef SIMT_COOPERATIVE_GROUPS_REDUCE_H
#define SIMT_COOPERATIVE_GROUPS_REDUCE_H

#include "../cooperative_groups.h"
#include "../cuda/atomic" // as CUDA's own does

#if defined(__CUDA__) && defined(__clang__)
#pragma GCC system_header

namespace cooperative_groups {

#define SIMT_OPERATOR(name, expression)                                                            \
  template <typename T> struct name {                                                              \
    SIMT_GROUP T operator()(T a, T b) const { return expression; }                                 \
  };
SIMT_OPERATOR(plus, a + b)
SIMT_OPERATOR(less, b < a ? b : a)
SIMT_OPERATOR(greater, a < b ? b : a)
SIMT_OPERATOR(bit_and, a &b)
SIMT_OPERATOR(bit_or, a | b)
SIMT_OPERATOR(bit_xor, a ^ b)
#undef SIMT_OPERATOR

namespace details {

template <typename Group> struct tile_size {
  static constexpr unsigned value = 0; // not a tile
};
template <unsigned Size, typename Parent> struct tile_size<thread_block_tile<Size, Parent>> {
  static constexpr unsigned value = Size;
};

template <typename T, typename Operator> struct folder {
  template <typename Group> static SIMT_GROUP T fold(const Group &group, T value, Operator op) {
    constexpr unsigned size = tile_size<Group>::value;
    if constexpr (size > 32) {
      return fold_large(group, value, op);
    } else if constexpr (size != 0) {
      for (unsigned distance = size / 2; distance > 0; distance /= 2)
        value = op(value, group.shfl_xor(value, distance));
      return value;
    } else {
      unsigned n = group.size();
      T result = group.shfl(value, 0);
      for (unsigned rank = 1; rank < n; rank++) result = op(result, group.shfl(value, (int)rank));
      return result;
    }
  }
  // The warps' results, folded as a tile of that many lanes would.
  template <unsigned Size, typename Parent>
  static SIMT_GROUP T fold_large(const thread_block_tile<Size, Parent> &group, T value,
                                 Operator op) {
    constexpr unsigned n = Size / 32;
    const T of_warp = folder<T, Operator>::fold(group.warp(), value, op);
    T part[n];
    group.gather(of_warp, part);
    for (unsigned distance = n / 2; distance > 0; distance /= 2)
      for (unsigned i = 0; i < distance; i++) part[i] = op(part[i], part[i + distance]);
    return part[0];
  }
};

// The same operator, which has no instruction.
template <typename Operator> struct large {
  Operator op;
  template <typename T> SIMT_GROUP T operator()(T a, T b) const { return op(a, b); }
};
#define SIMT_BY_INSTRUCTION(op, type, intrinsic)                                                   \
  template <> struct folder<type, op<type>> {                                                      \
    template <typename Group>                                                                      \
    static SIMT_GROUP type fold(const Group &group, type value, op<type> combine) {                \
      if constexpr (tile_size<Group>::value > 32)                                                  \
        return folder<type, large<op<type>>>::fold_large(group, value, {combine});                 \
      else return (type)intrinsic(group.member_mask(), value);                                     \
    }                                                                                              \
  };
SIMT_BY_INSTRUCTION(plus, int, __reduce_add_sync)
SIMT_BY_INSTRUCTION(plus, unsigned, __reduce_add_sync)
SIMT_BY_INSTRUCTION(less, int, __reduce_min_sync)
SIMT_BY_INSTRUCTION(less, unsigned, __reduce_min_sync)
SIMT_BY_INSTRUCTION(greater, int, __reduce_max_sync)
SIMT_BY_INSTRUCTION(greater, unsigned, __reduce_max_sync)
SIMT_BY_INSTRUCTION(bit_and, int, __reduce_and_sync)
SIMT_BY_INSTRUCTION(bit_and, unsigned, __reduce_and_sync)
SIMT_BY_INSTRUCTION(bit_or, int, __reduce_or_sync)
SIMT_BY_INSTRUCTION(bit_or, unsigned, __reduce_or_sync)
SIMT_BY_INSTRUCTION(bit_xor, int, __reduce_xor_sync)
SIMT_BY_INSTRUCTION(bit_xor, unsigned, __reduce_xor_sync)
#undef SIMT_BY_INSTRUCTION

} // namespace details

template <typename Group, typename T, typename Operator>
SIMT_GROUP T reduce(const Group &group, T value, Operator op) {
  return details::folder<T, Operator>::fold(group, value, op);
}

// One member stores the result, or combines an atomic with it.
template <typename Group, typename T, typename Operator>
SIMT_GROUP void reduce_store_async(const Group &group, T *to, T value, Operator op) {
  const T result = reduce(group, value, op);
  if (group.thread_rank() == 0) *to = result;
}
template <typename Group, typename Atomic, typename T, typename Operator>
SIMT_GROUP void reduce_store_async(const Group &group, Atomic &&atomic, T value, Operator op) {
  const T result = reduce(group, value, op);
  if (group.thread_rank() == 0) atomic.store(result);
}
namespace details {
template <typename Atomic, typename T, typename Operator>
SIMT_GROUP T update(Atomic &&atomic, T value, Operator op) {
  T old = atomic.load();
  while (!atomic.compare_exchange_weak(old, op(old, value))) {}
  return old;
}
} // namespace details
template <typename Group, typename Atomic, typename T, typename Operator>
SIMT_GROUP void reduce_update_async(const Group &group, Atomic &&atomic, T value, Operator op) {
  const T result = reduce(group, value, op);
  if (group.thread_rank() == 0) details::update(atomic, result, op);
}

} // namespace cooperative_groups
#endif
#endif
