// SPDX-License-Identifier: MIT
// Lesson 02: bank conflicts, and two cures.
//
// Question: the strided tree of lesson 01 hardly diverges. What holds it back?
//
// Idea: shared memory has 32 banks; word w lies in bank w % 32. In one pass every bank serves one
// word. So a warp's request takes as many passes ("wavefronts") as its busiest bank has
// different words to serve. Lanes that are 2s words apart share banks: a full warp asks 2 words of
// a bank at s = 1, 4 at s = 2, 8 at s = 4 ... (later steps have fewer active lanes).
//
//   strided     lesson 01's last version, unchanged
//   sequential  let the lanes work side by side: thread t < s adds place t + s to place t, s
//               falling from half the block to 1. Neighbouring lanes, neighbouring banks.
//   padded      keep the strided places, but leave one word free after every 32, so that places
//               32 apart lie in different banks. The cure where the access pattern must stay.
//
// Predict before you run: how many wavefronts does a request of each version take on average? Which
// of the two cures is the faster one, and what does the other one cost?
#include "passes.h"

// Every kernel here: in[n] to one partial sum per block, out[gridDim.x]; blockDim.x is a power of
// two. Shared memory: one float per thread; padded_tree: one more for every 32.

//! [strided]
extern "C" __global__ void strided_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0.0f; // load: beyond the end of the array zeros
  __syncthreads();                // the tile is complete
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned place = 2 * s * t;
    if (place < blockDim.x) tile[place] += tile[place + s];
    __syncthreads(); // what this step wrote is there before the next one reads it
  }
  if (t == 0) out[blockIdx.x] = tile[0]; // the partial sum of the block
}
//! [strided]

//! [sequential]
extern "C" __global__ void sequential_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  tile[t] = i < n ? in[i] : 0.0f; // load: beyond the end of the array zeros
  __syncthreads();                // the tile is complete
  for (unsigned s = blockDim.x / 2; s > 0; s /= 2) {
    if (t < s) tile[t] += tile[t + s];
    __syncthreads(); // what this step wrote is there before the next one reads it
  }
  if (t == 0) out[blockIdx.x] = tile[0]; // the partial sum of the block
}
//! [sequential]

//! [padded]
static __device__ unsigned padded(unsigned place) { return place + place / 32; }

extern "C" __global__ void padded_tree(const float *in, float *out, unsigned n) {
  extern __shared__ float tile[];
  const unsigned t = threadIdx.x;
  const unsigned i = blockIdx.x * blockDim.x + t;
  tile[padded(t)] = i < n ? in[i] : 0.0f; // load: beyond the end of the array zeros
  __syncthreads();                        // the tile is complete
  for (unsigned s = 1; s < blockDim.x; s *= 2) {
    const unsigned place = 2 * s * t;
    if (place < blockDim.x) tile[padded(place)] += tile[padded(place + s)];
    __syncthreads(); // what this step wrote is there before the next one reads it
  }
  if (t == 0) out[blockIdx.x] = tile[0]; // the partial sum of the block
}
//! [padded]

// As in lesson 01, pass after pass until one block is enough; passes.h has that loop from here on.
static void launch_strided(wb_launch *l) { wb_sum_in_passes(strided_tree, l, l->block, l->block); }
static void launch_sequential(wb_launch *l) {
  wb_sum_in_passes(sequential_tree, l, l->block, l->block);
}
static void launch_padded(wb_launch *l) {
  wb_sum_in_passes(padded_tree, l, l->block, l->block + l->block / 32);
}

// clang-format off
static const wb_variant variants[] = {
    {.name = "strided", .summary = "lesson 01's last version: lanes 2s words apart",
     .launch = launch_strided, .depth = wb_depth_passes, .refuse = wb_needs_power_of_two},
    {.name = "sequential", .summary = "thread t adds place t + s: lanes side by side",
     .launch = launch_sequential, .depth = wb_depth_passes, .refuse = wb_needs_power_of_two},
    {.name = "padded", .summary = "strided, with one free word after every 32",
     .launch = launch_padded, .depth = wb_depth_passes, .refuse = wb_needs_power_of_two},
};

static const wb_lesson lesson = {
    .name = "02_bank_conflicts",
    .title = "bank conflicts in shared memory, and two cures",
    .taught = "Neighbouring lanes, neighbouring banks.",
    .variants = variants,
    .n_variants = WB_COUNT(variants),
    .explanations = {{"wavefr/req", "shared_load_wavefronts+shared_store_wavefronts",
                      "shared_load_requests+shared_store_requests"},
                     {"divergent", "divergent_branches", nullptr}},
};
// clang-format on

int main(int argc, char **argv) { return wb_lesson_main(argc, argv, &lesson); }
