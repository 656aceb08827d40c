// SPDX-License-Identifier: MIT
// Lesson 05: shuffles.
//
// Question: must two lanes of a warp go through memory to exchange a value?
//
// Idea: no. A shuffle reads a register of another lane of the same warp: no memory, no barrier.
// First the last warp alone gives up shared memory. Then every warp adds up its own values before
// anything else, and one value per warp is left to exchange. Folding down leaves the sum in lane 0,
// a butterfly leaves it in all lanes at the same price.
//
// Predict before you run: a block of 256 threads has 8 warps. How many words does each version
// write into shared memory, and how many barriers does it have?
#include "passes.h"
#include "warp.h" // WARP_SIZE, FULL_MASK

// Every kernel here: in[n] to one partial sum per block, out[gridDim.x]; two elements per thread.

template <typename number>
static __device__ number first_add(const number *in, unsigned n, unsigned block_size) {
  const unsigned i = blockIdx.x * (2 * block_size) + threadIdx.x;
  number sum = i < n ? in[i] : 0;
  if (i + block_size < n) sum += in[i + block_size];
  return sum;
}

//! [unrolled]
template <unsigned block_size>
__global__ void __launch_bounds__(block_size) unrolled(const float *in, float *out, unsigned n) {
  __shared__ float tile[block_size];
  const unsigned t = threadIdx.x;
  tile[t] = first_add(in, n, block_size);
#pragma unroll
  for (unsigned s = block_size / 2; s >= WARP_SIZE; s /= 2) { // several warps add
    __syncthreads();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t >= WARP_SIZE) return; // warp 0 is left, and synchronises with itself alone
#pragma unroll
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) {
    __syncwarp();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t == 0) out[blockIdx.x] = tile[0];
}
//! [unrolled]

//! [warp_sum]
template <typename number> static __device__ number warp_sum(number value) {
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) value += __shfl_down_sync(FULL_MASK, value, s);
  return value; // the sum in lane 0; leftovers in the others
}
//! [warp_sum]
//! [redux]
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800 // before that, ints go by shuffles as well
static __device__ int warp_sum(int value) { return __reduce_add_sync(FULL_MASK, value); }
#endif
//! [redux]
//! [last_warp]
template <unsigned block_size>
__global__ void __launch_bounds__(block_size) last_warp(const float *in, float *out, unsigned n) {
  __shared__ float tile[block_size];
  const unsigned t = threadIdx.x;
  tile[t] = first_add(in, n, block_size);
#pragma unroll
  for (unsigned s = block_size / 2; s >= WARP_SIZE; s /= 2) { // several warps add
    __syncthreads();
    if (t < s) tile[t] += tile[t + s];
  }
  if (t >= WARP_SIZE) return; // warp 0 is left, each lane with the value that it wrote itself
  const float sum = warp_sum(tile[t]);
  if (t == 0) out[blockIdx.x] = sum;
}
//! [last_warp]

//! [warp_first]
template <typename number>
static __device__ void warps_first(const number *in, number *out, unsigned n) {
  __shared__ number slots[WARP_SIZE]; // one per warp: a block has at most 32
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  number sum = warp_sum(first_add(in, n, blockDim.x)); // every warp for itself
  if (lane == 0) slots[warp] = sum;
  __syncthreads(); // every slot is written
  if (warp > 0) return;
  sum = warp_sum(lane < blockDim.x / WARP_SIZE ? slots[lane] : 0);
  if (lane == 0) out[blockIdx.x] = sum;
}
//! [warp_first]
extern "C" __global__ void warp_first(const float *in, float *out, unsigned n) {
  warps_first(in, out, n);
}
extern "C" __global__ void redux(const int *in, int *out, unsigned n) { warps_first(in, out, n); }

//! [block_reduce]
static __device__ float warp_reduce(float value) {
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) value += __shfl_xor_sync(FULL_MASK, value, s);
  return value; // the same bits in every lane
}

// The sum over the block, to every thread of it. All threads must call it, as often as they like.
static __device__ float block_reduce(float value) {
  __shared__ float slots[WARP_SIZE]; // one per warp: a block has at most 32
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  value = warp_reduce(value);
  __syncthreads(); // threads may still be reading the slots, from the call before
  if (lane == 0) slots[warp] = value;
  __syncthreads(); // every slot is written
  return warp_reduce(lane < blockDim.x / WARP_SIZE ? slots[lane] : 0.0f);
}
//! [block_reduce]
extern "C" __global__ void butterfly(const float *in, float *out, unsigned n) {
  const float sum = block_reduce(first_add(in, n, blockDim.x));
  if (threadIdx.x == 0) out[blockIdx.x] = sum;
}

//! [masked]
// Only the first `count` lanes of this warp exist. What would come from beyond is not added.
static __device__ float some_lanes_sum(float value, unsigned count) {
  const unsigned lane = threadIdx.x % WARP_SIZE;
  const unsigned mask = count < WARP_SIZE ? (1u << count) - 1 : FULL_MASK;
  for (unsigned s = WARP_SIZE / 2; s > 0; s /= 2) {
    const float other = __shfl_down_sync(mask, value, s);
    if (lane + s < count) value += other;
  }
  return value;
}

extern "C" __global__ void masked(const float *in, float *out, unsigned n) {
  __shared__ float slots[WARP_SIZE];
  const unsigned t = threadIdx.x, warp = t / WARP_SIZE;
  const unsigned n_warps = (blockDim.x + WARP_SIZE - 1) / WARP_SIZE; // the last may not be full
  float sum = some_lanes_sum(first_add(in, n, blockDim.x), blockDim.x - WARP_SIZE * warp);
  if (t % WARP_SIZE == 0) slots[warp] = sum;
  __syncthreads(); // every slot is written
  if (t >= n_warps) return;
  sum = some_lanes_sum(slots[t], n_warps);
  if (t == 0) out[blockIdx.x] = sum;
}
//! [masked]

// The two trees, once for each block size.
static const wb_block_sum unrolled_of[] = {unrolled<32>,  unrolled<64>,  unrolled<128>,
                                           unrolled<256>, unrolled<512>, unrolled<1024>};
static const wb_block_sum last_warp_of[] = {last_warp<32>,  last_warp<64>,  last_warp<128>,
                                            last_warp<256>, last_warp<512>, last_warp<1024>};
static void sum(wb_block_sum kernel, wb_launch *l) { wb_sum_in_passes(kernel, l, 2 * l->block, 0); }
static unsigned size_index(unsigned block) { return block > 32 ? 1 + size_index(block / 2) : 0; }
static void launch_unrolled(wb_launch *l) { sum(unrolled_of[size_index(l->block)], l); }
static void launch_last_warp(wb_launch *l) { sum(last_warp_of[size_index(l->block)], l); }
static void launch_warp_first(wb_launch *l) { sum(warp_first, l); }
static void launch_butterfly(wb_launch *l) { sum(butterfly, l); }
static void launch_masked(wb_launch *l) { sum(masked, l); }
static void launch_redux(wb_launch *l) { wb_int_sum_in_passes(redux, l, 2 * l->block, 0); }
static double depth(unsigned n, unsigned block) { return wb_depth_item_passes(n, block, 2); }

// clang-format off
static const wb_variant variants[] = {
    {.name = "unrolled", .summary = "lesson 04's last version: __syncwarp() in the last warp",
     .launch = launch_unrolled, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "last_warp", .summary = "the last warp by shuffles",
     .launch = launch_last_warp, .depth = depth, .refuse = wb_needs_power_of_two},
    {.name = "warp_first", .summary = "every warp by shuffles, then one slot per warp",
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
    .taught = "Shuffles move values between registers.",
    .variants = variants, .n_variants = WB_COUNT(variants),
    .explanations = {{"shared words", "shared_store_words", "blocks"},
                     {"barriers", "block_barriers", "blocks"}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
