// SPDX-License-Identifier: MIT
// Lesson 10, beyond the ten: a scan that reads once and writes once.
//
// Question: three phases move sixteen bytes per element, a copy moves eight. Can a tile be finished
// while its elements are still in the registers?
//
// Idea: only the sum of what stands before the tile is missing, and other blocks know it. Every
// tile publishes its own sum (its aggregate) early, the sum up to its end (its inclusive prefix)
// later.
//   three_phases  lesson 09's way, with this lesson's tile
//   chained       one pass: wait for the inclusive prefix of the tile before
//   plain         look back: add up aggregates until a tile has an inclusive prefix (plain.cuh)
//   one_by_one    the same with tiles in rows of 16 elements per thread
//   window        the same, a whole warp reading the words of 64 tiles at once
//   vectors       16 bytes per load, 32 elements per thread, nothing to reset before a launch
//   ahead         load the next tile and publish its aggregate before the present one looks back
//   groups        the same, reading the words of five groups of 32 tiles
//
// Predict before you run: n / 4,096 tiles; how long does a chain of as many messages take?
#include "ahead.cuh" // scan_ahead
#include "cub_scan.h"
#include "lesson.h"
#include "one_tile.cuh" // draw_and_scan
#include "plain.cuh"

enum { ROWS = 4, FEW_ROWS = 2, MANY_ROWS = 8 }; // rows of 4 elements per thread

#include "phases.cuh" // launch_phases

// All kernels: in[n] to out[n], which may be one array; blocks of 32, 64 … 1024 threads.
extern "C" __global__ void __launch_bounds__(1024)
    chained(const float *in, float *out, status_word *state, unsigned n) {
  draw_and_scan<ROWS, float, wait_for_predecessor>(in, out, state, n, false);
}
extern "C" __global__ void __launch_bounds__(1024)
    one_by_one(const float *in, float *out, status_word *state, unsigned n) {
  draw_and_scan<ROWS, float, look_back_one_by_one>(in, out, state, n, false);
}
extern "C" __global__ void __launch_bounds__(1024)
    window(const float *in, float *out, status_word *state, unsigned n) {
  draw_and_scan<ROWS, float, publish_and_look_back_64>(in, out, state, n, false);
}
extern "C" __global__ void __launch_bounds__(1024)
    vectors(const float *in, float *out, status_word *state, unsigned n) {
  draw_and_scan<MANY_ROWS, float, publish_and_look_back_64>(in, out, state, n, true);
}
extern "C" __global__ void __launch_bounds__(1024)
    few_vectors(const float *in, float *out, status_word *state, unsigned n) {
  draw_and_scan<FEW_ROWS, float, publish_and_look_back_64>(in, out, state, n, true);
}
extern "C" __global__ void __launch_bounds__(1024)
    ahead(const float *in, float *out, status_word *state, unsigned n) {
  scan_ahead<MANY_ROWS, float, look_back_64>(in, out, state, n);
}
extern "C" __global__ void __launch_bounds__(1024)
    groups(const float *in, float *out, status_word *state, unsigned n) {
  scan_ahead<MANY_ROWS, float, look_back_groups>(in, out, state, n);
}
extern "C" __global__ void __launch_bounds__(1024)
    groups_ints(const int *in, int *out, status_word *state, unsigned n) {
  scan_ahead<MANY_ROWS, int, look_back_groups>(in, out, state, n);
}

// One tile per block; all words are invalid at first.
static void one_pass(wb_launch *l, unsigned rows,
                     void (*kernel)(const float *, float *, status_word *, unsigned)) {
  l->grid = tiles_of(l->n, rows, l->block);
  WB_OK(cudaMemsetAsync(l->scratch, 0, (FIRST_TILE + l->grid) * sizeof(status_word), 0));
  kernel<<<l->grid, l->block>>>(l->in, (float *)l->out, (status_word *)l->scratch, l->n);
}
static void launch_chained(wb_launch *l) { one_pass(l, ROWS, chained); }
static void launch_plain(wb_launch *l) { one_pass(l, 1, plain); }
static void launch_one_by_one(wb_launch *l) { one_pass(l, ROWS, one_by_one); }
static void launch_window(wb_launch *l) { one_pass(l, ROWS, window); }

enum { MOST_TILES = 1 << 18 };
static __device__ status_word kept_state[FIRST_TILE + MOST_TILES]; // zero when the program starts
static status_word *state_of_device() {
  static void *state = nullptr;
  if (state == nullptr) WB_OK(cudaGetSymbolAddress(&state, kept_state));
  return (status_word *)state;
}
static void launch_vectors(wb_launch *l) {
  l->grid = tiles_of(l->n, MANY_ROWS, l->block);
  vectors<<<l->grid, l->block>>>(l->in, (float *)l->out, state_of_device(), l->n);
}

// As many blocks as fit on the device together, so that each has several tiles to take.
template <typename T>
static void run_ahead(wb_launch *l, void (*kernel)(const T *, T *, status_word *, unsigned),
                      const T *in) {
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
// While the windows reach all tiles, no tile waits for a prefix to come nearer.
static bool in_reach(unsigned n, unsigned rows, unsigned block) {
  return tiles_of(n, rows, block) <= 32 * WINDOWS;
}
// With less than one tile per block there is nothing to load ahead, and smaller tiles do better.
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
// In a tile: 3 in a thread, 5 in a warp, its rows, 5 for the warps, 2 for what is before. And at
// most one for each tile before it.
static double depth(unsigned n, unsigned block) {
  return 15 + MANY_ROWS + tiles_of(n, in_reach(n, FEW_ROWS, block) ? FEW_ROWS : ROWS, block);
}
static double plain_depth(unsigned n, unsigned block) { return 16 + tiles_of(n, 1, block); }
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
    {FLOAT_SCAN("plain", "looks back tile by tile; one short kernel", launch_plain, plain_depth)},
    {FLOAT_SCAN("one_by_one", "the same with larger tiles, in rows", launch_one_by_one, depth)},
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
