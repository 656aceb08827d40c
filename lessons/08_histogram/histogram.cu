// SPDX-License-Identifier: MIT
// Lesson 08: a histogram.
//
// Question: a sum has one result. What if there are 256, and the data decides which one to add to?
//
// Idea: every sample is an atomicAdd of 1 to its bin (lesson 00). Then keep most of these atomics
// away from the global memory: count in private copies, and add the copies up at the end.
//
//   global  one global atomic per sample
//   block   a copy for each block, in shared memory; at the end 256 global atomics per block
//   warp    a copy for each warp: fewer threads share a counter, the end has more to add up
//   lanes   eight copies for the block, interleaved so that a bin's copies lie in eight banks, and
//           neighbouring lanes use different ones
//   vector  the same, and four samples per load, four loads in flight
//
// Predict before you run: each is run on uniform samples, on skewed ones (every second sample has
// one value, every fourth another …) and on equal ones. How many global atomics does each take, and
// for which input does each get slower? Equal samples all go to one counter.
#include "cub_histogram.h"
#include "lesson.h"

enum { BINS = WB_BINS, COPIES = 8 };

// Every kernel here adds to bins[BINS] how often each value occurs in in[n]; values are 0 … 255.
typedef void (*histogram)(const int *in, int *bins, unsigned n);

//! [global]
extern "C" __global__ void global_bins(const int *in, int *bins, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&bins[in[i]], 1);
}
//! [global]

//! [begin_end]
static __device__ void clear(int *counts, unsigned n_counts) {
  for (unsigned k = threadIdx.x; k < n_counts; k += blockDim.x) counts[k] = 0;
  __syncthreads(); // every counter is 0 before the first sample is counted
}

// Adds up the copies; copy c of bin b is counts[b * bin_step + c * copy_step].
static __device__ void merge(const int *counts, unsigned copies, unsigned bin_step,
                             unsigned copy_step, int *bins) {
  __syncthreads(); // every sample is counted
  for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x) {
    int count = 0;
    for (unsigned c = 0; c < copies; c++) count += counts[b * bin_step + c * copy_step];
    if (count > 0) atomicAdd(&bins[b], count);
  }
}
//! [begin_end]

//! [block]
extern "C" __global__ void block_bins(const int *in, int *bins, unsigned n) {
  __shared__ int counts[BINS];
  clear(counts, BINS); // the block's copy begins at 0
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&counts[in[i]], 1);
  merge(counts, 1, 1, 0, bins); // one global atomic per bin that occurs
}
//! [block]

//! [warp]
extern "C" __global__ void warp_bins(const int *in, int *bins, unsigned n) {
  extern __shared__ int counts[]; // [warps][BINS]
  const unsigned n_warps = blockDim.x / 32;
  int *mine = &counts[threadIdx.x / 32 * BINS]; // the copy of this thread's warp
  clear(counts, n_warps * BINS);
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[in[i]], 1);
  merge(counts, n_warps, 1, BINS, bins);
}
//! [warp]

//! [lanes]
extern "C" __global__ void lane_bins(const int *in, int *bins, unsigned n) {
  __shared__ int counts[BINS * COPIES];      // [BINS][COPIES]
  int *mine = &counts[threadIdx.x % COPIES]; // neighbouring lanes, neighbouring banks
  clear(counts, BINS * COPIES);
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    atomicAdd(&mine[in[i] * COPIES], 1);
  merge(counts, COPIES, COPIES, 1, bins);
}
//! [lanes]

//! [vector]
static __device__ void count_four(int *counts, int4 four) {
  atomicAdd(&counts[four.x * COPIES], 1);
  atomicAdd(&counts[four.y * COPIES], 1);
  atomicAdd(&counts[four.z * COPIES], 1);
  atomicAdd(&counts[four.w * COPIES], 1);
}

extern "C" __global__ void vector_bins(const int *in, int *bins, unsigned n) {
  __shared__ int counts[BINS * COPIES];
  int *mine = &counts[threadIdx.x % COPIES];
  clear(counts, BINS * COPIES);
  // An int4 lies at a multiple of 16 bytes: up to three samples come before the first one, and up
  // to three after the last.
  const unsigned ahead = (unsigned)(-(size_t)in / sizeof(int) % 4);
  const unsigned head = ahead < n ? ahead : n, n_quads = (n - head) / 4;
  const int4 *quads = (const int4 *)(in + head);
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  unsigned q = first;
  for (; q + 3 * step < n_quads; q += 4 * step) { // four loads in flight
    const int4 a = quads[q], b = quads[q + step], c = quads[q + 2 * step], d = quads[q + 3 * step];
    count_four(mine, a);
    count_four(mine, b);
    count_four(mine, c);
    count_four(mine, d);
  }
  for (; q < n_quads; q += step) count_four(mine, quads[q]); // the rest of the vectors
  if (first < head) atomicAdd(&mine[in[first] * COPIES], 1);
  const unsigned tail = head + 4 * n_quads + first;
  if (tail < n) atomicAdd(&mine[in[tail] * COPIES], 1);
  merge(counts, COPIES, COPIES, 1, bins);
}
//! [vector]

static void count(histogram kernel, wb_launch *l, unsigned n_blocks, size_t shared_bytes) {
  l->grid = n_blocks;
  cudaMemsetAsync(l->out, 0, BINS * sizeof(int));
  kernel<<<n_blocks, l->block, shared_bytes>>>(l->in_ints, (int *)l->out, l->n);
}

//! [few_blocks]
// At least 16 samples per thread, and at most `most_threads` on each multiprocessor (it holds
// 2048): private copies pay only if much is counted in each.
static unsigned few_blocks(const wb_launch *l, unsigned most_threads) {
  int n_multiprocessors = 1;
  cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, 0);
  const unsigned wanted = wb_blocks(l->n, 16 * l->block);
  const unsigned resident = (unsigned)n_multiprocessors * (most_threads / l->block);
  return wanted < resident ? wanted : resident;
}
//! [few_blocks]

static void launch_global(wb_launch *l) { count(global_bins, l, wb_blocks(l->n, l->block), 0); }
static void launch_block(wb_launch *l) { count(block_bins, l, few_blocks(l, 2048), 0); }
static void launch_warp(wb_launch *l) {
  count(warp_bins, l, few_blocks(l, 2048), l->block / 32 * BINS * sizeof(int));
}
static void launch_lanes(wb_launch *l) { count(lane_bins, l, few_blocks(l, 2048), 0); }
// Four loads in flight: half of the threads will do, and half as many copies to add up.
static void launch_vector(wb_launch *l) { count(vector_bins, l, few_blocks(l, 1024), 0); }

// clang-format off
// One row for each way to count and each input; `--variant skewed` runs the five on that input.
#define ROW(way, suffix, kind, input_name, text)                                                  \
  {.name = way_name(way, suffix), .summary = text ", " input_name " samples",                     \
   .launch = launch_##way, .input = WB_INT, .output = WB_INT, .result = WB_RESULT_HISTOGRAM,      \
   .samples = kind, .group = input_name}
#define way_name(way, suffix) #way suffix
#define ROWS(suffix, kind, name)                                                                  \
  ROW(global, suffix, kind, name, "one global atomic each"),                                      \
  ROW(block, suffix, kind, name, "a copy for each block"),                                        \
  ROW(warp, suffix, kind, name, "a copy for each warp"),                                          \
  ROW(lanes, suffix, kind, name, "eight interleaved copies"),                                     \
  ROW(vector, suffix, kind, name, "four samples per load"),                                       \
  WB_CUB_HISTOGRAM("cub" suffix, kind, name)

static const wb_variant variants[] = {ROWS("", WB_SAMPLES_UNIFORM, "uniform")
                                      ROWS("_skewed", WB_SAMPLES_SKEWED, "skewed")
                                      ROWS("_equal", WB_SAMPLES_EQUAL, "equal")};

static const wb_lesson lesson = {
    .name = "08_histogram",
    .title = "256 results, and the data decides",
    .taught = "Each block counts into bins of its own.",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"global adds", "global_atomic_lanes", nullptr},
                     {"passes/add", "shared_atomic_passes", "shared_atomic_requests"}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
