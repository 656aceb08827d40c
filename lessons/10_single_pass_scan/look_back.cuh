// SPDX-License-Identifier: MIT
// Four ways for the first warp of a block to leave word and to learn what stands before its tile.
// `tiles`: the words; `sum`: of the tile, the same in all lanes, as is what they return.
//
// There is no fence: all that another block needs is in the one word that it reads.
#ifndef SINGLE_PASS_SCAN_LOOK_BACK_CUH
#define SINGLE_PASS_SCAN_LOOK_BACK_CUH

#include "words.cuh"

// For three phases: the next launch will see to it.
template <typename T> static __device__ T leave_sum(word *sums, turn my, T sum) {
  if (threadIdx.x == 0) ((T *)sums)[my.tile] = sum;
  return T(0);
}

//! [chained]
template <typename T> static __device__ T wait_in_line(word *tiles, turn my, T sum) {
  T before = 0;
  if (my.tile > 0)
    while (look(tiles, my, my.tile - 1, &before) != SUM_UP_TO_END) {}
  leave(tiles, my, SUM_UP_TO_END, before + sum);
  return before;
}
//! [chained]

//! [one_by_one]
template <typename T> static __device__ T look_one_by_one(word *tiles, turn my, T sum) {
  T before = 0, theirs = 0;
  leave(tiles, my, SUM_OF_TILE, sum);
  for (unsigned tile = my.tile, flag = NOTHING; tile > 0 && flag != SUM_UP_TO_END; tile--) {
    while ((flag = look(tiles, my, tile - 1, &theirs)) == NOTHING) {}
    before = theirs + before;
  }
  leave(tiles, my, SUM_UP_TO_END, before + sum);
  return before;
}
//! [one_by_one]

//! [window]
// What stands before the tile, as soon as one of the 64 tiles before it knows it up to its end: two
// lots of 32. Lane 0 looks at the nearest tile of a lot; before tile 0 nothing adds up to nothing.
enum { LOTS = 2 };
template <typename T> static __device__ T look_back(word *tiles, turn my) {
  const unsigned lane = threadIdx.x % 32;
  unsigned flag[LOTS], ends, silent, nearer, last = 0; // last: the lot with the nearest end
  T theirs[LOTS], before = 0;
  do {
#pragma unroll
    for (unsigned lot = 0, back = lane; lot < LOTS; lot++, back += 32) {
      flag[lot] = SUM_UP_TO_END, theirs[lot] = 0;
      if (back < my.tile) flag[lot] = look(tiles, my, my.tile - 1 - back, &theirs[lot]);
    }
    ends = silent = 0;
#pragma unroll
    for (unsigned lot = 0; lot < LOTS; lot++)
      if ((ends | silent) == 0) {
        ends = __ballot_sync(0xffffffffu, flag[lot] == SUM_UP_TO_END);
        silent = __ballot_sync(0xffffffffu, flag[lot] == NOTHING);
        last = lot;
      }
    nearer = (ends & (0u - ends)) - 1; // the lanes below the nearest end
  } while (ends == 0 || (silent & nearer) != 0);
#pragma unroll
  for (unsigned lot = LOTS; lot-- > 0;)
    if (lot <= last) {
      const bool counts = lot < last || lane <= (unsigned)__popc(nearer);
      const T mine = counts ? theirs[lot] : T(0);
#pragma unroll
      for (int k = 31; k >= 0; k--) before += __shfl_sync(0xffffffffu, mine, k); // left to right
    }
  return before;
}

// For those who have left the sum of their tile already.
template <typename T> static __device__ T find_before(word *tiles, turn my, T sum) {
  const T before = look_back<T>(tiles, my);
  leave(tiles, my, SUM_UP_TO_END, before + sum);
  return before;
}
template <typename T> static __device__ T look_at_64(word *tiles, turn my, T sum) {
  leave(tiles, my, SUM_OF_TILE, sum);
  return find_before(tiles, my, sum);
}
//! [window]

#endif
