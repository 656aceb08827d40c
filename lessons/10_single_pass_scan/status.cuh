// SPDX-License-Identifier: MIT
// What blocks of one launch tell each other: status words, one per tile, and tickets, which say
// which block takes which tile. A status word has the three states of Merrill and Garland:
//
//   INVALID           nothing published yet
//   AGGREGATE         the sum of the tile's own elements
//   INCLUSIVE_PREFIX  the sum of all elements up to the end of the tile
//
//   state[0]               tickets drawn in this launch (lower half), launches so far (upper half)
//   state[FIRST_TILE + t]  status word of tile t
//
// The state is zero before the first launch. Each launch leaves it ready for the next, of whatever
// size: a word of an earlier launch is invalid. It serves one launch at a time. (After 2^30
// launches the numbers repeat; set it to zero before.)
#ifndef SINGLE_PASS_SCAN_STATUS_CUH
#define SINGLE_PASS_SCAN_STATUS_CUH

//! [word]
typedef unsigned long long status_word; // value (upper half), status
enum { INVALID, AGGREGATE, INCLUSIVE_PREFIX };
enum { FIRST_TILE = 16 }; // so that the tickets have a sector of their own

static __device__ unsigned bits_of(float x) { return __float_as_uint(x); }
static __device__ unsigned bits_of(int x) { return (unsigned)x; }
static __device__ void from_bits(float *x, unsigned bits) { *x = __uint_as_float(bits); }
static __device__ void from_bits(int *x, unsigned bits) { *x = (int)bits; }

// Value and status travel in one word: a thread that reads it gets both of the same moment.
template <typename T> static __device__ void publish(status_word *word, unsigned status, T value) {
  const status_word w = (status_word)bits_of(value) << 32 | status;
  if (threadIdx.x == 0) *(volatile status_word *)word = w;
}
template <typename T> static __device__ unsigned read_status(const status_word *word, T *value) {
  const status_word w = *(const volatile status_word *)word;
  from_bits(value, (unsigned)(w >> 32));
  return (unsigned)w;
}
//! [word]

//! [turn]
typedef struct turn {
  unsigned tile, launch;
} turn;

// The same with the number of the launch in the word.
template <typename T>
static __device__ void publish(status_word *tiles, turn my, unsigned status, T value) {
  publish(&tiles[my.tile], my.launch << 2 | status, value);
}
template <typename T>
static __device__ unsigned read_status(const status_word *tiles, turn my, unsigned tile, T *value) {
  const unsigned status = read_status(&tiles[tile], value) ^ my.launch << 2;
  return status <= INCLUSIVE_PREFIX ? status : (unsigned)INVALID; // of an earlier launch
}
//! [turn]

//! [draw]
// Blocks need not start in the order of their numbers, so each draws a ticket: its tile. The thread
// that draws the last one of the launch makes the counter ready for the next. For one thread.
static __device__ status_word draw(status_word *state, unsigned n_tickets) {
  const status_word ticket = atomicAdd(state, 1ull);
  if ((unsigned)ticket == n_tickets - 1) atomicAdd(state, (1ull << 32) - n_tickets);
  return ticket;
}
static __device__ turn turn_of(status_word ticket) {
  return turn{(unsigned)ticket, (unsigned)(ticket >> 32)};
}
//! [draw]

#endif
