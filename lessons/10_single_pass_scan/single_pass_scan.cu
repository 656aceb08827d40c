// SPDX-License-Identifier: MIT
// Lesson 10, beyond the ten: a scan that reads once and writes once.
//
// Question: three phases move sixteen bytes an element, a copy moves eight. Can a tile be finished
// while it is still in the registers?
//
// Idea: only what stands before the tile is missing, and other blocks know it. Every tile leaves a
// word for those behind it: its own sum as soon as it has it, the sum up to its end later.
//   three_phases  lesson 09's way, with this lesson's tile
//   chained       one pass: wait for the sum up to the end of the tile before
//   one_by_one    look back: add up the sums of the tiles before, until one knows all that is
//                 before it too
//   window        the same, a whole warp looking at 32 tiles at once
//   vectors       sixteen bytes a load and store, and no memset: the words say which launch is meant
//
// Predict before you run: 65,536 tiles; how long does a chain of 65,536 messages take?
#include "cub_scan.h"
#include "lesson.h"
#include "tile.cuh"

enum { ROWS = 4 }; // of a warp's share: 16 elements a thread

//! [word]
// Value, launch and flag in one word: who reads it gets all three of one moment.
typedef unsigned long long word;
enum { NOTHING, SUM_OF_TILE, SUM_UP_TO_END };
enum { FIRST_TILE = 16 }; // state[0] gives tickets; state[FIRST_TILE + t] is tile t's word

typedef struct turn { unsigned tile, launch; } turn;

static __device__ unsigned bits_of(float x) { return __float_as_uint(x); }
static __device__ unsigned bits_of(int x) { return (unsigned)x; }
static __device__ void from_bits(float *x, word w) { *x = __uint_as_float((unsigned)(w >> 32)); }
static __device__ void from_bits(int *x, word w) { *x = (int)(w >> 32); }

template <typename T> static __device__ void leave(word *tiles, turn my, unsigned flag, T sum) {
  const word w = (word)bits_of(sum) << 32 | my.launch << 2 | flag;
  if (threadIdx.x == 0) *(volatile word *)(tiles + my.tile) = w;
}
// The flag of tile `tile`, and with it the sum; an earlier launch's word says nothing.
template <typename T>
static __device__ unsigned look(const word *tiles, turn my, unsigned tile, T *sum) {
  const word w = *(const volatile word *)(tiles + tile);
  const unsigned flag = (unsigned)w ^ my.launch << 2;
  from_bits(sum, w);
  return flag <= SUM_UP_TO_END ? flag : (unsigned)NOTHING;
}
//! [word]

//! [draw]
// Which tile? Blocks need not start in the order of their numbers: draw a ticket. Whoever draws the
// last one makes the counter ready for the next launch.
static __device__ turn draw(word *state, unsigned n) {
  __shared__ word ticket;
  const unsigned n_tiles = (n + tile_elements(ROWS, blockDim.x) - 1) / tile_elements(ROWS, blockDim.x);
  if (threadIdx.x == 0) {
    ticket = atomicAdd(state, 1ull);
    if ((unsigned)ticket == n_tiles - 1) atomicAdd(state, (1ull << 32) - n_tiles);
  }
  __syncthreads();
  return turn{(unsigned)ticket, (unsigned)(ticket >> 32)};
}
//! [draw]

// Four ways for the first warp of a block to leave word and to learn what stands before its tile.
template <typename T> static __device__ T leave_sum(word *sums, turn my, T sum) {
  if (threadIdx.x == 0) ((T *)sums)[my.tile] = sum;
  return 0; // the next launch will see to it
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
template <typename T> static __device__ T look_back(word *tiles, turn my, T sum) {
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
template <typename T> static __device__ T look_at_32(word *tiles, turn my, T sum) {
  const unsigned lane = threadIdx.x % 32;
  unsigned ends, nearer, ready;
  T theirs = 0, before = 0;
  leave(tiles, my, SUM_OF_TILE, sum);
  do { // lane 0 looks at the nearest tile; before the first one, nothing adds up to nothing
    const unsigned flag =
        lane < my.tile ? look(tiles, my, my.tile - 1 - lane, &theirs) : (unsigned)SUM_UP_TO_END;
    ends = __ballot_sync(0xffffffffu, flag == SUM_UP_TO_END);
    ready = __ballot_sync(0xffffffffu, flag != NOTHING);
    nearer = (ends & (0u - ends)) - 1; // the lanes below the first that knows all
  } while (ends == 0 || (ready & nearer) != nearer);
  if (lane > (unsigned)__popc(nearer) || lane >= my.tile) theirs = 0;
#pragma unroll
  for (int k = 31; k >= 0; k--) before += __shfl_sync(0xffffffffu, theirs, k); // from left to right
  leave(tiles, my, SUM_UP_TO_END, before + sum);
  return before;
}
//! [window]

//! [scan_tile]
template <typename T, T (*sum_before)(word *, turn, T)>
static __device__ void scan_tile(const T *in, T *out, word *tiles, unsigned n, turn my,
                                 bool vectors) {
  __shared__ T warps[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  four<T> x[ROWS];
  load_tile(x, in, my.tile, n, vectors);
  const T warp_sum = scan_rows(x);
  if (lane == 0) warps[warp] = warp_sum;
  __syncthreads();
  if (warp == 0) {
    const T up_to_me = scan_of_warp(lane < blockDim.x / 32 ? warps[lane] : T(0));
    const T left = __shfl_up_sync(0xffffffffu, up_to_me, 1);
    const T before = sum_before(tiles, my, __shfl_sync(0xffffffffu, up_to_me, 31));
    warps[lane] = before + (lane > 0 ? left : T(0));
  }
  __syncthreads();
  store_tile(x, warps[warp], out, my.tile, n, vectors);
}
//! [scan_tile]

// All of them: in[n] to out[n]; blocks of 32, 64 … 1024 threads, a block for each tile.
extern "C" __global__ void tile_sums(const float *in, float *out, float *sums, unsigned n) {
  scan_tile<float, leave_sum>(in, out, (word *)sums, n, turn{blockIdx.x, 0}, false);
}
extern "C" __global__ void chained(const float *in, float *out, word *state, unsigned n) {
  scan_tile<float, wait_in_line>(in, out, state + FIRST_TILE, n, draw(state, n), false);
}
extern "C" __global__ void one_by_one(const float *in, float *out, word *state, unsigned n) {
  scan_tile<float, look_back>(in, out, state + FIRST_TILE, n, draw(state, n), false);
}
extern "C" __global__ void window(const float *in, float *out, word *state, unsigned n) {
  scan_tile<float, look_at_32>(in, out, state + FIRST_TILE, n, draw(state, n), false);
}
extern "C" __global__ void vectors(const float *in, float *out, word *state, unsigned n) {
  scan_tile<float, look_at_32>(in, out, state + FIRST_TILE, n, draw(state, n), true);
}
extern "C" __global__ void vector_ints(const int *in, int *out, word *state, unsigned n) {
  scan_tile<int, look_at_32>(in, out, state + FIRST_TILE, n, draw(state, n), true);
}

// The phases that follow, as in lesson 09. Block b works on tile b + 1.
static __global__ void add_before(float *out, const float *before, unsigned n, unsigned tile) {
  const unsigned first = (blockIdx.x + 1) * tile, end = n - first < tile ? n : first + tile;
  for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x) out[i] += before[blockIdx.x];
}
static unsigned three_phases(const float *in, float *out, float *sums, unsigned n, unsigned block) {
  const unsigned tile = tile_elements(ROWS, block), n_tiles = wb_blocks(n, tile);
  tile_sums<<<n_tiles, block>>>(in, out, sums, n);
  if (n_tiles > 1) {
    three_phases(sums, sums, sums + n_tiles, n_tiles, block); // in place
    add_before<<<n_tiles - 1, block>>>(out, sums, n, tile);
  }
  return n_tiles;
}
static void launch_three(wb_launch *l) {
  l->grid = three_phases(l->in, (float *)l->out, l->scratch, l->n, l->block);
}

static void one_pass(wb_launch *l, void (*kernel)(const float *, float *, word *, unsigned)) {
  l->grid = wb_blocks(l->n, tile_elements(ROWS, l->block));
  WB_OK(cudaMemsetAsync(l->scratch, 0, (FIRST_TILE + l->grid) * sizeof(word), 0));
  kernel<<<l->grid, l->block>>>(l->in, (float *)l->out, (word *)l->scratch, l->n);
}
static void launch_chained(wb_launch *l) { one_pass(l, chained); }
static void launch_one_by_one(wb_launch *l) { one_pass(l, one_by_one); }
static void launch_window(wb_launch *l) { one_pass(l, window); }

//! [kept]
// Zero when the program starts, and never again: each launch leaves it ready for the next.
enum { MOST_TILES = 1 << 18 };
static __device__ word kept_state[FIRST_TILE + MOST_TILES];
//! [kept]
template <typename T>
static void keep_pass(wb_launch *l, void (*kernel)(const T *, T *, word *, unsigned), const T *in) {
  word *state;
  l->grid = wb_blocks(l->n, tile_elements(ROWS, l->block));
  if (WB_OK(cudaGetSymbolAddress((void **)&state, kept_state)))
    kernel<<<l->grid, l->block>>>(in, (T *)l->out, state, l->n);
}
static void launch_vectors(wb_launch *l) { keep_pass(l, vectors, l->in); }
static void launch_ints(wb_launch *l) { keep_pass(l, vector_ints, l->in_ints); }

static const char *too_many(unsigned n, unsigned block) {
  return wb_blocks(n, tile_elements(ROWS, block)) <= MOST_TILES ? nullptr : "needs a larger block";
}
// In a tile: a row 3 + 5, rows, warps 5, the prefix 2. Before it: one for each tile, at most.
static double depth(unsigned n, unsigned block) {
  return 15 + ROWS + wb_blocks(n, tile_elements(ROWS, block));
}
static double phase_depth(unsigned n, unsigned block) {
  return wb_depth_scan(n, tile_elements(ROWS, block), 15 + ROWS);
}

static const wb_variant variants[] = {
    {.name = "three_phases", .summary = "every element is read and written twice",
     .launch = launch_three, .result = WB_RESULT_INCLUSIVE_SCAN, .depth = phase_depth},
    {.name = "chained", .summary = "one pass; each tile waits for the one before",
     .launch = launch_chained, .result = WB_RESULT_INCLUSIVE_SCAN, .depth = depth},
    {.name = "one_by_one", .summary = "looks back tile by tile", .launch = launch_one_by_one,
     .result = WB_RESULT_INCLUSIVE_SCAN, .depth = depth},
    {.name = "window", .summary = "looks at 32 tiles at once", .launch = launch_window,
     .result = WB_RESULT_INCLUSIVE_SCAN, .depth = depth},
    {.name = "vectors", .summary = "16-byte loads and stores, nothing to reset",
     .launch = launch_vectors, .result = WB_RESULT_INCLUSIVE_SCAN, .depth = depth,
     .refuse = too_many},
    {.name = "vector_ints", .summary = "the same for ints", .launch = launch_ints, .input = WB_INT,
     .output = WB_INT, .result = WB_RESULT_INCLUSIVE_SCAN, .refuse = too_many}, WB_CUB_SCAN
};

static const wb_lesson lesson = {
    .name = "10_single_pass_scan", .title = "all the running totals in one pass",
    .variants = variants, .n_variants = WB_COUNT(variants),
    .explanations = {{"bytes/elem", "global_load_bytes+global_store_bytes", "n"}},
};

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
