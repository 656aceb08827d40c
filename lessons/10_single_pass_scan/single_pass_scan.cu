// SPDX-License-Identifier: MIT
// Lesson 10, beyond the ten: a scan that reads once and writes once.
//
// Question: three phases move sixteen bytes an element, a copy moves eight. Can a tile be finished
// while its elements are still in the registers?
//
// Idea: only what stands before the tile is missing, and other blocks know it. Every tile leaves a
// word for those behind it: its own sum as soon as it has it, the sum up to its end later.
//   three_phases  lesson 09's way, with this lesson's tile
//   chained       one pass: wait for the sum up to the end of the tile before
//   one_by_one    look back: add up the sums of the tiles before, until one knows the rest too
//   window        the same, a whole warp looking at 64 tiles at once
//   vectors       sixteen bytes a load, 32 elements a thread, nothing to reset before a launch
//   ahead         fetch the next tile and leave its sum before the present one looks back
//   groups        the same, looking at five groups of 32 tiles
//
// Predict before you run: n / 4,096 tiles; how long does a chain of as many messages take?
#include "ahead.cuh" // scan_ahead
#include "cub_scan.h"
#include "lesson.h"
#include "look_back.cuh" // what a tile has to tell and to ask
#include "tile.cuh"      // load_tile, scan_rows, store_tile

enum { ROWS = 4, FEW_ROWS = 2, MANY_ROWS = 8 }; // of 4 elements a thread

// One tile for a block; the first warp finds out what stands before it.
template <int ROWS, typename T, T (*sum_before)(word *, turn, T)>
static __device__ void scan_tile(const T *in, T *out, word *tiles, unsigned n, turn my,
                                 bool vectors) {
  __shared__ T warps[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  four<T> row[ROWS];
  load_tile(row, in, my.tile, n, vectors);
  const T warp_sum = scan_rows(row);
  if (lane == 0) warps[warp] = warp_sum;
  __syncthreads();
  if (warp == 0) {
    const share<T> mine = share_of(warps);
    warps[lane] = sum_before(tiles, my, mine.sum) + mine.before;
  }
  __syncthreads();
  store_tile<ROWS>(row, 1, warps[warp], out, my.tile, n, vectors);
}

template <int ROWS, typename T, T (*sum_before)(word *, turn, T)>
static __device__ void draw_and_scan(const T *in, T *out, word *state, unsigned n, bool vectors) {
  __shared__ word ticket;
  if (threadIdx.x == 0) ticket = draw(state, tiles_of(n, ROWS, blockDim.x));
  __syncthreads();
  scan_tile<ROWS, T, sum_before>(in, out, state + FIRST_TILE, n, turn_of(ticket), vectors);
}

// All of them: in[n] to out[n], which may be one array; blocks of 32, 64 … 1024 threads.
#define KERNEL(name, T) extern "C" __global__ void __launch_bounds__(1024)                        \
    name(const T *in, T *out, word *state, unsigned n)

KERNEL(chained, float) { draw_and_scan<ROWS, float, wait_in_line>(in, out, state, n, false); }
KERNEL(one_by_one, float) { draw_and_scan<ROWS, float, look_one_by_one>(in, out, state, n, false); }
KERNEL(window, float) { draw_and_scan<ROWS, float, look_at_64>(in, out, state, n, false); }
KERNEL(vectors, float) { draw_and_scan<MANY_ROWS, float, look_at_64>(in, out, state, n, true); }
KERNEL(few_vectors, float) { draw_and_scan<FEW_ROWS, float, look_at_64>(in, out, state, n, true); }
KERNEL(ahead, float) { scan_ahead<MANY_ROWS, float, find_before>(in, out, state, n); }
KERNEL(groups, float) { scan_ahead<MANY_ROWS, float, look_at_groups>(in, out, state, n); }
KERNEL(groups_ints, int) { scan_ahead<MANY_ROWS, int, look_at_groups>(in, out, state, n); }

#include "phases.cuh" // launch_phases

static void one_pass(wb_launch *l, void (*kernel)(const float *, float *, word *, unsigned)) {
  l->grid = tiles_of(l->n, ROWS, l->block);
  WB_OK(cudaMemsetAsync(l->scratch, 0, (FIRST_TILE + l->grid) * sizeof(word), 0));
  kernel<<<l->grid, l->block>>>(l->in, (float *)l->out, (word *)l->scratch, l->n);
}
static void launch_chained(wb_launch *l) { one_pass(l, chained); }
static void launch_one_by_one(wb_launch *l) { one_pass(l, one_by_one); }
static void launch_window(wb_launch *l) { one_pass(l, window); }

enum { MOST_TILES = 1 << 18 };
static __device__ word kept_state[FIRST_TILE + MOST_TILES]; // zero when the program starts
static word *state_of_device() {
  static void *state = nullptr;
  if (state == nullptr) WB_OK(cudaGetSymbolAddress(&state, kept_state));
  return (word *)state;
}
static void launch_vectors(wb_launch *l) {
  l->grid = tiles_of(l->n, MANY_ROWS, l->block);
  vectors<<<l->grid, l->block>>>(l->in, (float *)l->out, state_of_device(), l->n);
}

// As many blocks as fit on the device together, so that each has several tiles to take.
template <typename T>
static void run_ahead(wb_launch *l, void (*kernel)(const T *, T *, word *, unsigned), const T *in) {
  const unsigned n_tiles = tiles_of(l->n, MANY_ROWS, l->block);
  const int bytes = (int)(tile_elements(MANY_ROWS, l->block) * sizeof(T));
  int fit = 0;
  if (!WB_OK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes)) ||
      !WB_OK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&fit, kernel, (int)l->block, bytes)))
    return; // the error is reported, and the output is wrong
  l->grid = (unsigned)fit * wb_multiprocessors();
  if (l->grid > n_tiles) l->grid = n_tiles;
  kernel<<<l->grid, l->block, bytes>>>(in, (T *)l->out, state_of_device(), l->n);
}
// While a window reaches all tiles, nobody waits for an end to come nearer.
static bool in_reach(unsigned n, unsigned rows, unsigned block) {
  return tiles_of(n, rows, block) <= 32 * LOTS;
}
// With less than one tile for each block nobody can work ahead, and smaller tiles do better.
static void launch_short(wb_launch *l) {
  if (!in_reach(l->n, FEW_ROWS, l->block)) return launch_vectors(l);
  l->grid = tiles_of(l->n, FEW_ROWS, l->block);
  few_vectors<<<l->grid, l->block>>>(l->in, (float *)l->out, state_of_device(), l->n);
}
static void launch_ahead(wb_launch *l) {
  return l->n > 1u << 22 ? run_ahead(l, ahead, l->in) : launch_short(l);
}
static void launch_groups(wb_launch *l) {
  return in_reach(l->n, MANY_ROWS, l->block) ? launch_short(l) : run_ahead(l, groups, l->in);
}
static void launch_ints(wb_launch *l) { run_ahead(l, groups_ints, l->in_ints); }

static const char *too_many(unsigned n, unsigned block) {
  return tiles_of(n, MANY_ROWS, block) <= MOST_TILES ? nullptr : "needs a larger block";
}
// In a tile: 3 in a thread, 5 in a warp, its rows, 5 for the warps, 2 for what is before. And one
// for each tile before it, at most.
static double depth(unsigned n, unsigned block) {
  return 15 + MANY_ROWS + tiles_of(n, in_reach(n, FEW_ROWS, block) ? FEW_ROWS : ROWS, block);
}
// Or 7 in a group of 32 tiles, and one for each group.
static double groups_depth(unsigned n, unsigned block) {
  if (in_reach(n, MANY_ROWS, block)) return depth(n, block);
  return 22 + MANY_ROWS + tiles_of(n, MANY_ROWS, block) / 32;
}
#define FLOAT_SCAN(name_, summary_, launch_, depth_)                                               \
  .name = name_, .summary = summary_, .launch = launch_, .result = WB_RESULT_INCLUSIVE_SCAN,       \
  .depth = depth_
// clang-format off
static const wb_variant variants[] = {
    {FLOAT_SCAN("three_phases", "reads and writes everything twice", launch_phases, phases_depth)},
    {FLOAT_SCAN("chained", "one pass; each tile waits for the one before", launch_chained, depth)},
    {FLOAT_SCAN("one_by_one", "looks back tile by tile", launch_one_by_one, depth)},
    {FLOAT_SCAN("window", "a warp looks back at 64 tiles at once", launch_window, depth)},
    {FLOAT_SCAN("vectors", "16-byte loads, larger tiles, no reset", launch_vectors, depth),
     .refuse = too_many},
    {FLOAT_SCAN("ahead", "the next tile comes first", launch_ahead, depth), .refuse = too_many},
    {FLOAT_SCAN("groups", "looks back at groups of 32 tiles", launch_groups, groups_depth),
     .refuse = too_many},
    {.name = "groups_ints", .summary = "the same for ints", .launch = launch_ints, .input = WB_INT,
     .output = WB_INT, .result = WB_RESULT_INCLUSIVE_SCAN, .refuse = too_many}, WB_CUB_SCAN
};

static const wb_lesson lesson = {
    .name = "10_single_pass_scan", .title = "all the running totals in one pass",
    .taught = "Read once, write once: tiles look back.",
    .variants = variants, .n_variants = WB_COUNT(variants),
    .explanations = {{"bytes/elem", "global_load_bytes+global_store_bytes", "n"}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
