// SPDX-License-Identifier: MIT
// What blocks of one launch tell each other: tickets, which say who takes which tile, and words, in
// which a tile says what it knows.
//
//   state[0]               tickets drawn in this launch (lower half), launches so far (upper half)
//   state[FIRST_TILE + t]  tile t's word
//
// The state is zero before the first launch. Each launch leaves it ready for the next, of whatever
// size: a word of another launch says nothing. It serves one launch at a time. (After 2^30 launches
// the numbers come round again; set it to zero before.)
#ifndef SINGLE_PASS_SCAN_WORDS_CUH
#define SINGLE_PASS_SCAN_WORDS_CUH

//! [word]
// Value, launch and flag in one word: who reads it gets all three of one moment.
typedef unsigned long long word;
enum { NOTHING, SUM_OF_TILE, SUM_UP_TO_END };
enum { FIRST_TILE = 16 }; // a sector of its own for the tickets

typedef struct turn { unsigned tile, launch; } turn;

static __device__ unsigned bits_of(float x) { return __float_as_uint(x); }
static __device__ unsigned bits_of(int x) { return (unsigned)x; }
static __device__ void from_bits(float *x, unsigned bits) { *x = __uint_as_float(bits); }
static __device__ void from_bits(int *x, unsigned bits) { *x = (int)bits; }

template <typename T> static __device__ void leave(word *tiles, turn my, unsigned flag, T sum) {
  const word w = (word)bits_of(sum) << 32 | my.launch << 2 | flag;
  if (threadIdx.x == 0) *(volatile word *)(tiles + my.tile) = w;
}
// The flag of tile `tile`, and with it the sum.
template <typename T>
static __device__ unsigned look(const word *tiles, turn my, unsigned tile, T *sum) {
  const word w = *(const volatile word *)(tiles + tile);
  const unsigned flag = (unsigned)w ^ my.launch << 2;
  from_bits(sum, (unsigned)(w >> 32));
  return flag <= SUM_UP_TO_END ? flag : (unsigned)NOTHING;
}
//! [word]

//! [draw]
// Blocks need not start in the order of their numbers, so each draws a ticket: its tile. Whoever
// draws the last one of the launch makes the counter ready for the next. For one thread.
static __device__ word draw(word *state, unsigned n_tickets) {
  const word ticket = atomicAdd(state, 1ull);
  if ((unsigned)ticket == n_tickets - 1) atomicAdd(state, (1ull << 32) - n_tickets);
  return ticket;
}
static __device__ turn turn_of(word ticket) {
  return turn{(unsigned)ticket, (unsigned)(ticket >> 32)};
}
//! [draw]

#endif
