// SPDX-License-Identifier: MIT
// sums.cuh - one number from the shares of all GPUs: each adds up what it has, and what is left to
// send is a partial sum per block.
#ifndef MANY_GPUS_SUMS_CUH
#define MANY_GPUS_SUMS_CUH

#include "block_reduce.h"
#include "passes.h"
#include "streams.cuh"

enum { MOST_BLOCKS = 528 }; // of one GPU: four for each multiprocessor of an H200

// A pointer for each GPU, handed to a kernel by value.
// A pointer in a structure that a kernel gets: 8 bytes on the host, too, also where its own have 4,
// as in a page of the book.
template <typename T> struct device_pointer {
  unsigned long long bits;
  device_pointer() = default;
  device_pointer(T *p) : bits((unsigned long long)(size_t)p) {}
  __host__ __device__ operator T *() const { return (T *)(size_t)bits; }
  __host__ __device__ T *operator->() const { return *this; }
};
typedef struct pointers {
  device_pointer<const float> of[WB_MAX_DEVICES];
} pointers;

static __device__ unsigned grid_rank() { return blockIdx.x * blockDim.x + threadIdx.x; }
static __device__ unsigned grid_size() { return gridDim.x * blockDim.x; }

//! [share]
// in[n] to one partial sum per block; in[] is this GPU's own memory.
extern "C" __global__ void sum_share(const float *in, float *partials, unsigned n) {
  const float sum = wb_block_reduce(wb_unrolled_sum(in, n, grid_rank(), grid_size()));
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
//! [share]

//! [one_gpu]
// One GPU reads all shares, wherever they lie.
extern "C" __global__ void sum_of_all(pointers in, float *partials, unsigned n_gpus, unsigned n) {
  float sum = 0.0f;
  for (unsigned d = 0; d < n_gpus; d++)
    sum += wb_unrolled_sum((const float *)in.of[d], n, grid_rank(), grid_size());
  sum = wb_block_reduce(sum);
  if (threadIdx.x == 0) partials[blockIdx.x] = sum;
}
//! [one_gpu]

//! [peer_reads]
// One block: the partial sums of all GPUs, read where they were left.
extern "C" __global__ void add_partials(pointers partials, float *out, unsigned n_gpus,
                                        unsigned n) {
  float sum = 0.0f;
  for (unsigned d = 0; d < n_gpus; d++)
    for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += partials.of[d][i];
  sum = wb_block_reduce(sum);
  if (threadIdx.x == 0) *out = sum;
}
//! [peer_reads]

// --- launches -------------------------------------------------------------------------------

static unsigned blocks_for(unsigned n, unsigned block) {
  const unsigned wanted = wb_blocks(n, 8 * block);
  return wanted < MOST_BLOCKS ? wanted : MOST_BLOCKS;
}
static double depth_of_all(unsigned n, unsigned block) { // one chain of additions
  const double threads = (double)blocks_for(n / wb_devices_used(), block) * block;
  return n / threads + wb_devices_used() * (MOST_BLOCKS / 32.0 + 1) + 8 + 2 * 10;
}

static pointers rooms_of(const wb_shares *s) {
  pointers all = {};
  for (unsigned d = 0; d < s->devices; d++) all.of[d] = s->room[d];
  return all;
}
static pointers shares_of(const wb_shares *s) {
  pointers all = {};
  for (unsigned d = 0; d < s->devices; d++) all.of[d] = s->in[d];
  return all;
}

// Every GPU adds its own share up, all at the same time; the partial sums are in its room.
static void sum_shares(wb_launch *l) {
  const wb_shares *s = &l->shares;
  l->grid = blocks_for(s->width, l->block);
  fork(s);
  for (unsigned d = 0; d < s->devices; d++) {
    use(d);
    sum_share<<<l->grid, l->block, 0, lines[d].stream>>>(s->in[d], s->room[d], s->width);
  }
}

static void launch_one_gpu(wb_launch *l) {
  const wb_shares *s = &l->shares;
  l->grid = blocks_for(s->width, l->block);
  sum_of_all<<<l->grid, l->block>>>(shares_of(s), s->room[0], s->devices, s->width);
  add_partials<<<1, l->block>>>(rooms_of(s), (float *)l->out, 1, l->grid);
}

//! [host_adds]
typedef struct host_sums { // in page-locked memory: else a copy keeps the host waiting
  float sum, of[WB_MAX_DEVICES];
  unsigned n_gpus;
} host_sums;

static void add_on_host(void *data) { // called by CUDA when all copies are there
  host_sums *h = (host_sums *)data;
  h->sum = 0.0f;
  for (unsigned d = 0; d < h->n_gpus; d++) h->sum += h->of[d];
}

static void launch_host_adds(wb_launch *l) {
  const wb_shares *s = &l->shares;
  host_sums *h = (host_sums *)s->host;
  h->n_gpus = s->devices;
  sum_shares(l);
  for (unsigned d = 0; d < s->devices; d++) {
    float *total = s->room[d] + l->grid;
    const pointers mine = {.of = {s->room[d]}};
    use(d);
    add_partials<<<1, l->block, 0, lines[d].stream>>>(mine, total, 1, l->grid);
    WB_OK(
        cudaMemcpyAsync(&h->of[d], total, sizeof(float), cudaMemcpyDeviceToHost, lines[d].stream));
  }
  join(s);
  WB_OK(cudaLaunchHostFunc(lines[0].stream, add_on_host, h));
  WB_OK(cudaMemcpyAsync(l->out, &h->sum, sizeof(float), cudaMemcpyHostToDevice, lines[0].stream));
}
//! [host_adds]

// The partial sums come to GPU 0, which adds them up.
static void launch_peer_copies(wb_launch *l) {
  const wb_shares *s = &l->shares;
  float *all = s->room[0];
  sum_shares(l);
  for (unsigned d = 1; d < s->devices; d++) {
    use(d);
    WB_OK(cudaMemcpyAsync(all + d * l->grid, s->room[d], l->grid * sizeof(float), cudaMemcpyDefault,
                          lines[d].stream));
  }
  join(s);
  const pointers in_one = {{all}};
  add_partials<<<1, l->block>>>(in_one, (float *)l->out, 1, s->devices * l->grid);
}

static void launch_peer_reads(wb_launch *l) {
  const wb_shares *s = &l->shares;
  sum_shares(l);
  join(s);
  add_partials<<<1, l->block>>>(rooms_of(s), (float *)l->out, s->devices, l->grid);
}

#endif
