// SPDX-License-Identifier: MIT
// aggregated_beside.h - the shuffle of aggregated_beside.cu, which mentions none itself.
#ifndef AGGREGATED_BESIDE_H
#define AGGREGATED_BESIDE_H

__device__ inline int next_of_mask(int *counter) {
  unsigned mask = __activemask();
  int lane = threadIdx.x % 32, leader = __ffs((int)mask) - 1, first;
  if (lane == leader) first = atomicAdd(counter, __popc(mask));
  first = __shfl_sync(mask, first, leader);
  return first + __popc(mask & ((1u << lane) - 1));
}

#endif
