// SPDX-License-Identifier: MIT
// Four ways for the first warp of a block to publish what it knows and to find the exclusive prefix
// of its tile, the sum of all tiles before it. `tiles`: the status words; `aggregate`: the sum of
// the tile, the same in all lanes, as is what they return.
//
// There is no fence: all that another block needs is in the one word that it reads.
#ifndef SINGLE_PASS_SCAN_LOOK_BACK_CUH
#define SINGLE_PASS_SCAN_LOOK_BACK_CUH

#include "status.cuh"
#include "warp.h" // WARP_SIZE, FULL_MASK

//! [chained]
template <typename T>
static __device__ T wait_for_predecessor(status_word *tiles, turn my, T aggregate) {
  T prefix = 0;
  if (my.tile > 0)
    while (read_status(tiles, my, my.tile - 1, &prefix) != INCLUSIVE_PREFIX) {}
  publish(tiles, my, INCLUSIVE_PREFIX, prefix + aggregate);
  return prefix;
}
//! [chained]

//! [one_by_one]
template <typename T>
static __device__ T look_back_one_by_one(status_word *tiles, turn my, T aggregate) {
  T prefix = 0, theirs = 0;
  publish(tiles, my, AGGREGATE, aggregate);
  for (unsigned tile = my.tile, status = INVALID; tile > 0 && status != INCLUSIVE_PREFIX; tile--) {
    while ((status = read_status(tiles, my, tile - 1, &theirs)) == INVALID) {}
    prefix = theirs + prefix;
  }
  publish(tiles, my, INCLUSIVE_PREFIX, prefix + aggregate);
  return prefix;
}
//! [one_by_one]

//! [window]
// The exclusive prefix, as soon as one of the 64 tiles before has published its inclusive prefix
// and all between have published their aggregates. Two windows of 32 words; lane 0 reads the
// nearest word of each. Before tile 0 the inclusive prefix is 0.
enum { WINDOWS = 2 };
template <typename T> static __device__ T prefix_from_windows(const status_word *tiles, turn my) {
  const unsigned lane = threadIdx.x % WARP_SIZE;
  unsigned status[WINDOWS], with_prefix, invalid, nearer,
      last = 0; // last: the window of the prefix
  T theirs[WINDOWS], prefix = 0;
  do {
#pragma unroll
    for (unsigned w = 0, back = lane; w < WINDOWS; w++, back += 32) {
      status[w] = INCLUSIVE_PREFIX, theirs[w] = 0;
      if (back < my.tile) status[w] = read_status(tiles, my, my.tile - 1 - back, &theirs[w]);
    }
    with_prefix = invalid = 0;
#pragma unroll
    for (unsigned w = 0; w < WINDOWS; w++)
      if ((with_prefix | invalid) == 0) {
        with_prefix = __ballot_sync(FULL_MASK, status[w] == INCLUSIVE_PREFIX);
        invalid = __ballot_sync(FULL_MASK, status[w] == INVALID);
        last = w;
      }
    nearer = (with_prefix & (0u - with_prefix)) - 1; // the lanes below the nearest prefix
  } while (with_prefix == 0 || (invalid & nearer) != 0);
#pragma unroll
  for (unsigned w = WINDOWS; w-- > 0;)
    if (w <= last) {
      const bool counts = w < last || lane <= (unsigned)__popc(nearer);
      const T mine = counts ? theirs[w] : T(0);
#pragma unroll
      for (int k = 31; k >= 0; k--) prefix += __shfl_sync(FULL_MASK, mine, k); // left to right
    }
  return prefix;
}

// For a tile whose aggregate is published already.
template <typename T> static __device__ T look_back_64(status_word *tiles, turn my, T aggregate) {
  const T prefix = prefix_from_windows<T>(tiles, my);
  publish(tiles, my, INCLUSIVE_PREFIX, prefix + aggregate);
  return prefix;
}
template <typename T>
static __device__ T publish_and_look_back_64(status_word *tiles, turn my, T aggregate) {
  publish(tiles, my, AGGREGATE, aggregate);
  return look_back_64(tiles, my, aggregate);
}
//! [window]

//! [groups]
// The sum of all lanes, to all of them: a butterfly, the same additions in every lane.
template <typename T> static __device__ T sum_of_warp(T x) {
#pragma unroll
  for (unsigned d = 16; d > 0; d /= 2) x += __shfl_xor_sync(FULL_MASK, x, d);
  return x;
}

// Tiles form groups of 32: this one is in group 0, those before it are 1, 2 … Reads the words of
// the tiles before it in its own group and those of whole groups, until one of these has published
// its inclusive prefix, which only the last tile of a group does. For a tile whose aggregate is
// published already.
enum { GROUPS = 5 };
template <typename T>
static __device__ T look_back_groups(status_word *tiles, turn my, T aggregate) {
  const unsigned lane = threadIdx.x % WARP_SIZE, place = my.tile % 32;
  unsigned status[GROUPS], known; // known: the nearest group with an inclusive prefix
  T theirs[GROUPS], prefix = 0;
  do {
#pragma unroll
    for (unsigned g = 0; g < GROUPS; g++) { // before tile 0 the inclusive prefix is 0
      status[g] = INCLUSIVE_PREFIX, theirs[g] = 0;
      if (g == 0 ? lane < place : g <= my.tile / 32)
        status[g] = read_status(tiles, my, my.tile - place - 32 * g + lane, &theirs[g]);
    }
    known = 0;
    bool invalid = __any_sync(FULL_MASK, status[0] == INVALID);
#pragma unroll
    for (unsigned g = 1; g < GROUPS; g++)
      if (known == 0 && !invalid) {
        if (__any_sync(FULL_MASK, status[g] == INCLUSIVE_PREFIX)) known = g;
        invalid = __any_sync(FULL_MASK, status[g] == INVALID);
      }
  } while (known == 0);
#pragma unroll
  for (unsigned g = GROUPS - 1; g > 0; g--) { // left to right
    if (g == known) prefix = __shfl_sync(FULL_MASK, theirs[g], 31);
    if (g < known) prefix += sum_of_warp(theirs[g]);
  }
  if (place == 31)
    publish(tiles, my, INCLUSIVE_PREFIX, prefix + sum_of_warp(lane < 31 ? theirs[0] : aggregate));
  return prefix + sum_of_warp(theirs[0]);
}
//! [groups]

#endif
