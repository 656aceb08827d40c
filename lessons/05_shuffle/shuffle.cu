// SPDX-License-Identifier: MIT
// Lesson 05: shuffles.
//
// Question: must two lanes of a warp meet in memory to exchange a value?
//
// Idea: no. A shuffle reads a register of another lane of the same warp: no memory, no barrier.
// First the last warp alone gives up shared memory. Then every warp adds up its own values before
// anything else, and what is left to meet about is one value a warp. Folding down leaves the sum
// in lane 0, a butterfly leaves it in all lanes at the same price.
//
// Predict before you run: a block of 256 threads has 8 warps. How many words does each version
// write into shared memory, and how many barriers does it have?
#include "passes.h"

// Every kernel here: in[n] to one partial sum per block, out[gridDim.x]; two elements a thread.
static const unsigned all_lanes = 0xffffffff;

template <typename number>
static __device__ number first_add(const number *in, unsigned n, unsigned block_size) {
  const unsigned i = blockIdx.x * (2 * block_size) + threadIdx.x;
  number sum = i < n ? in[i] : 0;
  if (i + block_size < n) sum += in[i + block_size];
  return sum;
}

//! [unrolled]
template <unsigned block_size>
static __device__ void unrolled(const float *in, float *out, unsigned n) {
  __shared__ float tile[block_size];
  const unsigned t = threadIdx.x;
  tile[t] = first_add(in, n, block_size);
#pragma unroll
  for (unsigned s = block_size / 2; s >= 32; s /= 2) {
    __syncthreads();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t >= 32) return;
#pragma unroll
  for (unsigned s = 16; s > 0; s /= 2) {
    __syncwarp();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
//! [unrolled]

//! [warp_sum]
template <typename number> static __device__ number warp_sum(number value) {
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_down_sync(all_lanes, value, s);
  return value; // the sum in lane 0; leftovers in the others
}
//! [warp_sum]
//! [redux]
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 // before that, ints go by shuffles as well
static __device__ int warp_sum(int value) { return __reduce_add_sync(all_lanes, value); }
#endif
//! [redux]
//! [last_warp]
template <unsigned block_size>
static __device__ void last_warp(const float *in, float *out, unsigned n) {
  __shared__ float tile[block_size];
  const unsigned t = threadIdx.x;
  tile[t] = first_add(in, n, block_size);
#pragma unroll
  for (unsigned s = block_size / 2; s >= 32; s /= 2) {
    __syncthreads();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t >= 32) return;
  const float sum = warp_sum(tile[t]);
  if (t == 0) out[blockIdx.x] = sum;
}
//! [last_warp]

//! [warp_first]
template <typename number>
static __device__ void warps_first(const number *in, number *out, unsigned n) {
  __shared__ number slots[32]; // one for each warp: a block has 32 at most
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  number sum = warp_sum(first_add(in, n, blockDim.x));
  if (lane == 0) slots[warp] = sum;
  __syncthreads();
  if (warp > 0) return;
  sum = warp_sum(lane < n_warps ? slots[lane] : 0);
  if (lane == 0) out[blockIdx.x] = sum;
}
//! [warp_first]
extern "C" __global__ void warp_first(const float *in, float *out, unsigned n) {
  warps_first(in, out, n);
}
extern "C" __global__ void redux(const int *in, int *out, unsigned n) { warps_first(in, out, n); }

//! [block_reduce]
static __device__ float warp_sum_to_all(float value) {
  for (unsigned s = 16; s > 0; s /= 2) value += __shfl_xor_sync(all_lanes, value, s);
  return value; // the same bits in every lane
}

// The sum over the block, to every thread of it. All threads must call it, as often as they like.
static __device__ float block_reduce(float value) {
  __shared__ float slots[32];
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
  value = warp_sum_to_all(value);
  __syncthreads(); // the slots may still be being read, from the call before
  if (lane == 0) slots[warp] = value;
  __syncthreads();
  return warp_sum_to_all(lane < n_warps ? slots[lane] : 0.0f);
}
//! [block_reduce]
extern "C" __global__ void butterfly(const float *in, float *out, unsigned n) {
  const float sum = block_reduce(first_add(in, n, blockDim.x));
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

//! [masked]
// Of this warp only the first `count` lanes are there. What would come from beyond is not added.
static __device__ float some_lanes_sum(float value, unsigned count) {
  const unsigned lane = threadIdx.x % 32, mask = count < 32 ? (1u << count) - 1 : all_lanes;
  for (unsigned s = 16; s > 0; s /= 2) {
    const float other = __shfl_down_sync(mask, value, s);
    if (lane + s < count) value += other;
  }
  return value;
}

extern "C" __global__ void masked(const float *in, float *out, unsigned n) {
  __shared__ float slots[32];
  const unsigned t = threadIdx.x, warp = t / 32, n_warps = (blockDim.x + 31) / 32;
  float sum = some_lanes_sum(first_add(in, n, blockDim.x), blockDim.x - 32 * warp);
  if (t % 32 == 0) slots[warp] = sum;
  __syncthreads();
  if (t >= n_warps) return;
  sum = some_lanes_sum(slots[t], n_warps);
  if (t == 0) out[blockIdx.x] = sum;
}
//! [masked]
// The two trees once for each block size; the other kernels need not know it.
#define TREES(size)                                                                            \
  extern "C" __global__ void __launch_bounds__(size)                                           \
      unrolled_##size(const float *in, float *out, unsigned n) { unrolled<size>(in, out, n); } \
  extern "C" __global__ void __launch_bounds__(size)                                           \
      last_warp_##size(const float *in, float *out, unsigned n) { last_warp<size>(in, out, n); }
TREES(32) TREES(64) TREES(128) TREES(256) TREES(512) TREES(1024)
#define BY_SIZE(name) {name##_32, name##_64, name##_128, name##_256, name##_512, name##_1024}
static const wb_block_sum unrolled_of[] = BY_SIZE(unrolled), last_warp_of[] = BY_SIZE(last_warp);

static void sum(wb_block_sum kernel, wb_launch *l) { wb_sum_in_passes(kernel, l, 2 * l->block, 0); }
static unsigned size_index(unsigned block) { return block > 32 ? 1 + size_index(block / 2) : 0; }
static void launch_unrolled(wb_launch *l) { sum(unrolled_of[size_index(l->block)], l); }
static void launch_last_warp(wb_launch *l) { sum(last_warp_of[size_index(l->block)], l); }
static void launch_warp_first(wb_launch *l) { sum(warp_first, l); }
static void launch_butterfly(wb_launch *l) { sum(butterfly, l); }
static void launch_masked(wb_launch *l) { sum(masked, l); }
static void launch_redux(wb_launch *l) { wb_int_sum_in_passes(redux, l, 2 * l->block, 0); }
static double depth(unsigned n, unsigned block) { return wb_depth_item_passes(n, block, 2); }

static const wb_variant variants[] = {
    {.name = "unrolled", .summary = "lesson 04's last version: __syncwarp() in the last warp",
     .launch = launch_unrolled, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "last_warp", .summary = "the last warp by shuffles",
     .launch = launch_last_warp, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "warp_first", .summary = "every warp by shuffles, then one slot a warp",
     .launch = launch_warp_first, .depth = depth},
    {.name = "butterfly", .summary = "to all threads", .launch = launch_butterfly, .depth = depth},
    {.name = "masked", .summary = "blocks of any size", .launch = launch_masked, .depth = depth,
     .any_block = true},
    {.name = "redux", .summary = "warp_first with ints: one instruction for a whole warp",
     .launch = launch_redux, .input = WB_INT, .output = WB_INT},
};

static const wb_lesson lesson = {
    .name = "05_shuffle",
    .title = "values from lane to lane, without memory",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"shared words", "shared_store_words", "blocks"},
                     {"barriers", "block_barriers", "blocks"}},
};

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
