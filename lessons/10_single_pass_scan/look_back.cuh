// SPDX-License-Identifier: MIT
// Four ways for the first warp of a block to leave word and to learn what stands before its tile.
// `tiles`: the words; `sum`: of the tile, the same in all lanes, as is what they return.
//
// There is no fence: all that another block needs is in the one word that it reads.
#ifndef SINGLE_PASS_SCAN_LOOK_BACK_CUH
#define SINGLE_PASS_SCAN_LOOK_BACK_CUH

#include "words.cuh"

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
template <typename T> static __device__ T look_back(const word *tiles, turn my) {
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

//! [groups]
// The sum of all lanes, to all of them: a butterfly, the same additions for everybody.
template <typename T> static __device__ T sum_of_warp(T x) {
#pragma unroll
  for (unsigned d = 16; d > 0; d /= 2) x += __shfl_xor_sync(0xffffffffu, x, d);
  return x;
}

// Tiles stand in groups of 32: this one in group 0, those before it in 1, 2 … Looks at the tiles
// before it in its own group and at whole groups, until one of these knows its end, which only the
// last tile of a group says. For those who have left the sum of their tile already.
enum { GROUPS = 5 };
template <typename T> static __device__ T look_at_groups(word *tiles, turn my, T sum) {
  const unsigned lane = threadIdx.x % 32, place = my.tile % 32;
  unsigned flag[GROUPS], known; // known: the nearest group that knows its end
  T theirs[GROUPS], before = 0;
  do {
#pragma unroll
    for (unsigned g = 0; g < GROUPS; g++) { // before tile 0 nothing adds up to nothing
      flag[g] = SUM_UP_TO_END, theirs[g] = 0;
      if (g == 0 ? lane < place : g <= my.tile / 32)
        flag[g] = look(tiles, my, my.tile - place - 32 * g + lane, &theirs[g]);
    }
    known = 0;
    bool silent = __any_sync(0xffffffffu, flag[0] == NOTHING);
#pragma unroll
    for (unsigned g = 1; g < GROUPS; g++)
      if (known == 0 && !silent) {
        if (__any_sync(0xffffffffu, flag[g] == SUM_UP_TO_END)) known = g;
        silent = __any_sync(0xffffffffu, flag[g] == NOTHING);
      }
  } while (known == 0);
#pragma unroll
  for (unsigned g = GROUPS - 1; g > 0; g--) { // left to right
    if (g == known) before = __shfl_sync(0xffffffffu, theirs[g], 31);
    if (g < known) before += sum_of_warp(theirs[g]);
  }
  if (place == 31)
    leave(tiles, my, SUM_UP_TO_END, before + sum_of_warp(lane < 31 ? theirs[0] : sum));
  return before + sum_of_warp(theirs[0]);
}
//! [groups]

#endif
