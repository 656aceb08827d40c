// SPDX-License-Identifier: MIT
// Lesson 09: scan, all the running totals of an array.
//
// Question: out[i] is the sum of in[0 … i]. Every result needs the one before. Who can start?
//
// Idea: all blocks. Each scans a tile of its own and stores the tile's sum; the sums are scanned in
// the same way; then the sum of all tiles before a tile is added to it. Four ways for the tile:
//   hillis_steele  add the value 1, 2, 4 … places to the left: nearly all threads, in every step
//   blelloch       up a tree and down again; exclusive: out[i] is the sum of what is before in[i]
//   warp_scan      Hillis and Steele in a warp, by shuffles (lesson 05), then over the warps' sums
//   four_each      a thread adds up four elements first; the rest is done once for all four
//
// Predict before you run: how many additions per element does each take, and how many barriers per
// block? Is the fastest the one with the fewest additions?
#include "cub_scan.h"
#include "passes.h"   // wb_needs_power_of_two
#include "phases.cuh" // scan_in_phases: from the scan of a tile to that of the whole array
#include "warp.h"     // WARP_SIZE, FULL_MASK

// Every kernel here: in[n] to out[n], tile by tile, and each tile's sum to sums[blockIdx.x]. `in`
// and `out` may be one array. blockDim.x is a multiple of 32, for blelloch a power of two.

//! [hillis_steele]
extern "C" __global__ void hillis_steele(const float *in, float *out, float *sums, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0.0f;                // load: beyond the end of the array zeros
  __syncthreads();                               // the tile is complete
  for (unsigned d = 1; d < blockDim.x; d *= 2) { // tile[t] is the sum of d elements, soon of 2d
    const float left = t >= d ? tile[t - d] : 0.0f;
    __syncthreads(); // all threads have read …
    if (t >= d) tile[t] += left;
    __syncthreads(); // … and all have written
  }
  if (i < n) out[i] = tile[t];
  if (t == blockDim.x - 1) sums[blockIdx.x] = tile[t]; // the sum of the whole tile
}
//! [hillis_steele]

//! [blelloch]
static __device__ unsigned padded(unsigned place) { return place + place / 32; } // lesson 02
extern "C" __global__ void blelloch(const float *in, float *out, float *sums, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x, i = blockIdx.x * blockDim.x + t;
  tile[padded(t)] = i < n ? in[i] : 0.0f;        // load
  for (unsigned s = 1; s < blockDim.x; s *= 2) { // up: every right child becomes the pair's sum
    const unsigned right = 2 * s * (t + 1) - 1;
    __syncthreads();
    if (right < blockDim.x) tile[padded(right)] += tile[padded(right - s)];
  }
  if (t == 0) { // the thread that made the last step; the sum before the whole tile is 0
    sums[blockIdx.x] = tile[padded(blockDim.x - 1)];
    tile[padded(blockDim.x - 1)] = 0.0f;
  }
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) { // down: the sum before either child
    const unsigned right = 2 * s * (t + 1) - 1;
    __syncthreads();
    if (right < blockDim.x) {
      const float left_sum = tile[padded(right - s)], before = tile[padded(right)];
      tile[padded(right - s)] = before;
      tile[padded(right)] = before + left_sum;
    }
  }
  __syncthreads();
  if (i < n) out[i] = tile[padded(t)];
}
//! [blelloch]

//! [sum_before]
template <typename T> static __device__ T scan_of_warp(T x) {
  for (unsigned d = 1; d < WARP_SIZE; d *= 2) {
    const T left = __shfl_up_sync(FULL_MASK, x, d);
    if (threadIdx.x % WARP_SIZE >= d) x += left;
  }
  return x;
}

// The sum of x over all threads of the block before this one.
template <typename T> static __device__ T sum_before(T x) {
  __shared__ T warp_sums[WARP_SIZE];
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  const unsigned n_warps = blockDim.x / WARP_SIZE;
  const T up_to_me = scan_of_warp(x);
  if (lane == WARP_SIZE - 1) warp_sums[warp] = up_to_me;
  __syncthreads(); // every warp's sum is there; the first warp scans them
  if (warp == 0) warp_sums[lane] = scan_of_warp(lane < n_warps ? warp_sums[lane] : T(0));
  __syncthreads();
  const T before = __shfl_up_sync(FULL_MASK, up_to_me, 1);
  return (warp > 0 ? warp_sums[warp - 1] : T(0)) + (lane > 0 ? before : T(0));
}

extern "C" __global__ void warp_scan(const float *in, float *out, float *sums, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float x = i < n ? in[i] : 0.0f, sum = sum_before(x) + x;
  if (i < n) out[i] = sum;
  if (threadIdx.x == blockDim.x - 1) sums[blockIdx.x] = sum;
}
//! [sum_before]

//! [four_each]
// Neighbouring lanes load and store neighbouring elements; each thread works on four in a row.
template <typename T> static __device__ void scan_fours(const T *in, T *out, T *sums, unsigned n) {
  extern __shared__ int words[]; // padded: four apart and one after eight lanes, no bank twice
  T *tile = (T *)words, x[4];
  const unsigned t = threadIdx.x, first = 4 * blockDim.x * blockIdx.x;
  for (unsigned k = 0, p = t; k < 4; k++, p += blockDim.x)
    tile[padded(p)] = first + p < n ? in[first + p] : T(0);
  __syncthreads();
  for (unsigned k = 0; k < 4; k++) x[k] = tile[padded(4 * t + k)]; // four in a row
  T sum = sum_before(x[0] + x[1] + x[2] + x[3]);
  for (unsigned k = 0; k < 4; k++) tile[padded(4 * t + k)] = sum += x[k]; // exclusive: sum first
  __syncthreads();
  for (unsigned k = 0, p = t; k < 4; k++, p += blockDim.x)
    if (first + p < n) out[first + p] = tile[padded(p)];
  if (t == blockDim.x - 1) sums[blockIdx.x] = sum;
}
//! [four_each]
extern "C" __global__ void four_each(const float *in, float *out, float *sums, unsigned n) {
  scan_fours(in, out, sums, n);
}
extern "C" __global__ void four_ints(const int *in, int *out, int *sums, unsigned n) {
  scan_fours(in, out, sums, n);
}

template <typename T>
static void run(wb_launch *l, tile_scan<T> kernel, const T *in, unsigned each, unsigned skip) {
  const unsigned tile = each * l->block;
  l->grid = scan_in_phases(kernel, tile, skip, in, (T *)l->out, (T *)l->scratch, l->n, l->block);
}
static void launch_hillis(wb_launch *l) { run(l, hillis_steele, l->in, 1, 0); }
static void launch_blelloch(wb_launch *l) { run(l, blelloch, l->in, 1, 1); }
static void launch_warps(wb_launch *l) { run(l, warp_scan, l->in, 1, 0); }
static void launch_fours(wb_launch *l) { run(l, four_each, l->in, 4, 0); }
static void launch_ints(wb_launch *l) { run(l, four_ints, l->in_ints, 4, 0); }
// In a tile no element goes through more than 20 additions: blelloch, up and down 1,024 places.
static double depth(unsigned n, unsigned block) { return wb_depth_scan(n, block, 20.0); }

// clang-format off
static const wb_variant variants[] = {
    {.name = "hillis_steele", .summary = "inclusive; in each step nearly all threads add",
     .launch = launch_hillis, .result = WB_RESULT_INCLUSIVE_SCAN, .depth = depth},
    {.name = "blelloch", .summary = "exclusive; up the tree and down",
     .launch = launch_blelloch, .result = WB_RESULT_EXCLUSIVE_SCAN, .depth = depth,
     .refuse = wb_needs_power_of_two},
    {.name = "warp_scan", .summary = "inclusive; shuffles, then the sums of the warps",
     .launch = launch_warps, .result = WB_RESULT_INCLUSIVE_SCAN, .depth = depth},
    {.name = "four_each", .summary = "inclusive; four elements per thread",
     .launch = launch_fours, .result = WB_RESULT_INCLUSIVE_SCAN, .depth = depth},
    {.name = "four_ints", .summary = "the same for ints", .launch = launch_ints, .input = WB_INT,
     .output = WB_INT, .result = WB_RESULT_INCLUSIVE_SCAN}, WB_CUB_SCAN
};

static const wb_lesson lesson = {
    .name = "09_scan", .title = "all the running totals",
    .taught = "Four elements per thread: fewer steps.",
    .variants = variants, .n_variants = WB_COUNT(variants),
    .explanations = {{"adds/elem", "fp32_lanes", "n"}, {"barriers", "block_barriers", nullptr}},
    .of_floats = {true},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
