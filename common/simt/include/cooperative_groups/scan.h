// SPDX-License-Identifier: MIT
// scan.h - cg::inclusive_scan and cg::exclusive_scan over a tile or a coalesced group, by
// doubling distances (Hillis and Steele). The exclusive scan starts from T().
#ifndef SIMT_COOPERATIVE_GROUPS_SCAN_H
#define SIMT_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDA__) && defined(__clang__)
#pragma GCC system_header

namespace cooperative_groups {

namespace details {
// The scan within a warp, after what the warps before it hold.
template <unsigned Size, typename Parent, typename T, typename Operator>
SIMT_GROUP T scan_large(const thread_block_tile<Size, Parent> &group, T value, Operator op) {
  T part[Size / 32];
  group.gather(group.warp().shfl(value, 31), part);
  const unsigned warp = group.thread_rank() / 32;
  T before = part[0];
  for (unsigned i = 1; i < Size / 32; i++)
    if (i < warp) before = op(before, part[i]);
  return warp ? op(before, value) : value;
}
} // namespace details

template <typename Group, typename T, typename Operator>
SIMT_GROUP T inclusive_scan(const Group &group, T value, Operator op) {
  if constexpr (details::tile_size<Group>::value > 32) {
    return details::scan_large(group, inclusive_scan(group.warp(), value, op), op);
  } else {
    unsigned rank = group.thread_rank(), n = group.size();
    for (unsigned distance = 1; distance < n; distance *= 2) {
      T below = group.shfl_up(value, distance);
      if (rank >= distance) value = op(below, value);
    }
    return value;
  }
}
template <typename Group, typename T> SIMT_GROUP T inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

template <typename Group, typename T, typename Operator>
SIMT_GROUP T exclusive_scan(const Group &group, T value, Operator op) {
  const T all = inclusive_scan(group, value, op);
  if constexpr (details::tile_size<Group>::value > 32) {
    T last[details::tile_size<Group>::value / 32]; // of each warp
    group.gather(group.warp().shfl(all, 31), last);
    const T below = group.warp().shfl_up(all, 1);
    const unsigned rank = group.thread_rank();
    return rank == 0 ? T() : rank % 32 ? below : last[rank / 32 - 1];
  } else {
    const T before = group.shfl_up(all, 1);
    return group.thread_rank() ? before : T();
  }
}
template <typename Group, typename T> SIMT_GROUP T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

// The scan goes on from an atomic, which is combined with the sum of all.
template <typename Group, typename Atomic, typename T, typename Operator>
SIMT_GROUP T inclusive_scan_update(const Group &group, Atomic &&atomic, T value, Operator op) {
  const T scanned = inclusive_scan(group, value, op);
  T start = T();
  if (group.thread_rank() == group.size() - 1) start = details::update(atomic, scanned, op);
  return op(group.shfl(start, (int)group.size() - 1), scanned);
}
template <typename Group, typename Atomic, typename T>
SIMT_GROUP T inclusive_scan_update(const Group &group, Atomic &&atomic, T value) {
  return inclusive_scan_update(group, atomic, value, plus<T>());
}
template <typename Group, typename Atomic, typename T, typename Operator>
SIMT_GROUP T exclusive_scan_update(const Group &group, Atomic &&atomic, T value, Operator op) {
  const T scanned = inclusive_scan(group, value, op), before = group.shfl_up(scanned, 1);
  T start = T();
  if (group.thread_rank() == group.size() - 1) start = details::update(atomic, scanned, op);
  start = group.shfl(start, (int)group.size() - 1);
  return group.thread_rank() ? op(start, before) : start;
}
template <typename Group, typename Atomic, typename T>
SIMT_GROUP T exclusive_scan_update(const Group &group, Atomic &&atomic, T value) {
  return exclusive_scan_update(group, atomic, value, plus<T>());
}

} // namespace cooperative_groups
#endif
#endif
