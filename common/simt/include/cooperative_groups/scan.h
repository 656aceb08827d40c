// SPDX-License-Identifier: MIT
// scan.h - cg::inclusive_scan and cg::exclusive_scan over a tile or a coalesced group, by
// doubling distances (Hillis and Steele). The exclusive scan starts from T().
#ifndef SIMT_COOPERATIVE_GROUPS_SCAN_H
#define SIMT_COOPERATIVE_GROUPS_SCAN_H

#include "reduce.h"

#if defined(__CUDA__) && defined(__clang__)
#pragma GCC system_header

namespace cooperative_groups {

template <typename Group, typename T, typename Operator>
SIMT_GROUP T inclusive_scan(const Group &group, T value, Operator op) {
  unsigned rank = group.thread_rank(), n = group.size();
  for (unsigned distance = 1; distance < n; distance *= 2) {
    T below = group.shfl_up(value, distance);
    if (rank >= distance) value = op(below, value);
  }
  return value;
}
template <typename Group, typename T> SIMT_GROUP T inclusive_scan(const Group &group, T value) {
  return inclusive_scan(group, value, plus<T>());
}

template <typename Group, typename T, typename Operator>
SIMT_GROUP T exclusive_scan(const Group &group, T value, Operator op) {
  T before = group.shfl_up(inclusive_scan(group, value, op), 1);
  return group.thread_rank() ? before : T();
}
template <typename Group, typename T> SIMT_GROUP T exclusive_scan(const Group &group, T value) {
  return exclusive_scan(group, value, plus<T>());
}

} // namespace cooperative_groups
#endif
#endif
