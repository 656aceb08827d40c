// SPDX-License-Identifier: MIT
// chunks.cuh - numbers that lie in the host's memory, and need not fit into a GPU's: they come in
// chunks, and while one is added up the next is on its way.
#ifndef MANY_GPUS_CHUNKS_CUH
#define MANY_GPUS_CHUNKS_CUH

#include "sums.cuh"

enum { CHUNK = 1 << 20 }; // elements: four megabytes

//! [sum_chunk]
// Adds in[n] to the partial sums of the chunks before; the first one begins them.
extern "C" __global__ void sum_chunk(const float *in, float *partials, unsigned n,
                                     unsigned is_first) {
  const float sum = wb_block_reduce(wb_unrolled_sum(in, n, grid_rank(), grid_size()));
  if (threadIdx.x == 0) partials[blockIdx.x] = is_first ? sum : partials[blockIdx.x] + sum;
}
//! [sum_chunk]

// A second stream for each GPU, and of each of its two buffers: it is full, it may be filled again.
typedef struct copy_line {
  cudaStream_t stream;
  cudaEvent_t full[2], used[2];
} copy_line;
static copy_line copy_lines[WB_MAX_DEVICES];

static void open_copies(unsigned gpu) {
  copy_line *line = &copy_lines[gpu];
  if (line->stream != nullptr) return;
  use(gpu);
  WB_OK(cudaStreamCreateWithFlags(&line->stream, cudaStreamNonBlocking));
  for (unsigned b = 0; b < 2; b++) {
    WB_OK(cudaEventCreateWithFlags(&line->full[b], cudaEventDisableTiming));
    WB_OK(cudaEventCreateWithFlags(&line->used[b], cudaEventDisableTiming));
  }
}

//! [chunks]
// One GPU's share of the host's numbers, through two buffers of a chunk each.
static void sum_by_chunks(wb_launch *l, unsigned gpu, float *buffers) {
  const wb_shares *s = &l->shares;
  const float *from = s->in_host + (size_t)gpu * s->width;
  copy_line *copies = &copy_lines[gpu];
  WB_OK(cudaStreamWaitEvent(copies->stream, lines[gpu].done, 0)); // not before the whole begins
  for (unsigned first = 0, b = 0; first == 0 || first < s->width; first += CHUNK, b ^= 1) {
    const unsigned n = s->width - first < CHUNK ? s->width - first : CHUNK;
    float *buffer = buffers + b * (size_t)CHUNK;
    if (first >= 2 * CHUNK) WB_OK(cudaStreamWaitEvent(copies->stream, copies->used[b], 0));
    WB_OK(cudaMemcpyAsync(buffer, from + first, n * sizeof *buffer, cudaMemcpyHostToDevice,
                          copies->stream));
    WB_OK(cudaEventRecord(copies->full[b], copies->stream));
    WB_OK(cudaStreamWaitEvent(lines[gpu].stream, copies->full[b], 0));
    sum_chunk<<<l->grid, l->block, 0, lines[gpu].stream>>>(buffer, s->room[gpu], n, first == 0);
    WB_OK(cudaEventRecord(copies->used[b], lines[gpu].stream));
  }
}
//! [chunks]

// Where the numbers go: the vectors of the harness, which have room for two chunks or the share.
static void launch_from_host(wb_launch *l, bool by_chunks) {
  const wb_shares *s = &l->shares;
  l->grid = blocks_for(s->width < CHUNK ? s->width : CHUNK, l->block);
  fork(s);
  for (unsigned d = 0; d < s->devices; d++) {
    use(d);
    if (by_chunks) {
      open_copies(d);
      sum_by_chunks(l, d, s->out[d]);
      continue;
    }
    WB_OK(cudaMemcpyAsync(s->out[d], s->in_host + (size_t)d * s->width, s->width * sizeof(float),
                          cudaMemcpyHostToDevice, lines[d].stream));
    sum_share<<<l->grid, l->block, 0, lines[d].stream>>>(s->out[d], s->room[d], s->width);
  }
  join(s);
  add_partials<<<1, l->block>>>(rooms_of(s), (float *)l->out, s->devices, l->grid);
}
static void launch_whole(wb_launch *l) { launch_from_host(l, false); }
static void launch_chunks(wb_launch *l) { launch_from_host(l, true); }

#endif
