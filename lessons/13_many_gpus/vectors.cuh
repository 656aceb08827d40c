// SPDX-License-Identifier: MIT
// vectors.cuh - all-reduce: every GPU has a vector of `width` elements, and every one shall have
// their sum. As a star, as a tree, as a ring; what travels is the subject.
#ifndef MANY_GPUS_VECTORS_CUH
#define MANY_GPUS_VECTORS_CUH

#include "sums.cuh"

//! [add_other]
// out[n] = mine[n] + other[n]; `other` lies in another GPU's memory and is read through the link.
extern "C" __global__ void add_other(const float *mine, const float *other, float *out,
                                     unsigned n) {
  for (unsigned i = grid_rank(); i < n; i += grid_size()) out[i] = mine[i] + other[i];
}
//! [add_other]

// All vectors, added by one GPU.
extern "C" __global__ void add_all(pointers in, float *out, unsigned n_gpus, unsigned n) {
  for (unsigned i = grid_rank(); i < n; i += grid_size()) {
    float sum = in.of[0][i];
    for (unsigned d = 1; d < n_gpus; d++) sum += in.of[d][i];
    out[i] = sum;
  }
}

static void launch_add(const wb_launch *l, unsigned gpu, const float *mine, const float *other,
                       float *out, unsigned n) {
  use(gpu);
  if (n > 0)
    add_other<<<blocks_for(n, l->block), l->block, 0, lines[gpu].stream>>>(mine, other, out, n);
}
// To `gpu`, by its copy engine, from wherever the pointer leads. (cudaMemcpyPeerAsync would do the
// same, but cannot be captured in a graph.)
static void fetch(unsigned gpu, float *to, const float *from, unsigned n) {
  use(gpu);
  if (n > 0) WB_OK(cudaMemcpyAsync(to, from, n * sizeof *to, cudaMemcpyDefault, lines[gpu].stream));
}

//! [star]
static void launch_star(wb_launch *l) {
  const wb_shares *s = &l->shares;
  l->grid = blocks_for(s->width, l->block);
  fork(s);
  use(0);
  add_all<<<l->grid, l->block>>>(shares_of(s), s->out[0], s->devices, s->width);
  mark(0);
  for (unsigned d = 1; d < s->devices; d++) {
    wait_for(d, 0);
    fetch(d, s->out[d], s->out[0], s->width);
  }
  join(s);
}
//! [star]

//! [tree]
// Pairs, pairs of pairs, …: up to GPU 0, and down again. Any number of GPUs.
static void launch_tree(wb_launch *l) {
  const wb_shares *s = &l->shares;
  const float *have[WB_MAX_DEVICES]; // what each has added up so far
  unsigned distance = 1;
  l->grid = blocks_for(s->width, l->block);
  fork(s);
  for (unsigned d = 0; d < s->devices; d++) have[d] = s->in[d];
  for (; distance < s->devices; distance *= 2)
    for (unsigned d = 0; d + distance < s->devices; d += 2 * distance) {
      wait_for(d, d + distance);
      launch_add(l, d, have[d], have[d + distance], s->out[d], s->width);
      have[d] = s->out[d];
      mark(d);
    }
  if (s->devices == 1) fetch(0, s->out[0], s->in[0], s->width);
  while ((distance /= 2) > 0)
    for (unsigned d = 0; d + distance < s->devices; d += 2 * distance) {
      wait_for(d + distance, d);
      fetch(d + distance, s->out[d + distance], s->out[d], s->width);
      mark(d + distance);
    }
  join(s);
}
//! [tree]

//! [ring]
typedef struct piece { // as many as there are GPUs, in whole lines of 128 bytes
  unsigned first, count;
} piece;
static piece piece_of(const wb_shares *s, unsigned which) {
  const unsigned p = s->devices, each = (s->width / p + 31 + (s->width % p != 0)) / 32 * 32;
  const unsigned begin = which % p * each, first = begin < s->width ? begin : s->width;
  const unsigned left = s->width - first;
  return (piece){first, left < each ? left : each};
}

// Step by step, each GPU reads from the one on its left, and all links are busy. After p - 1 steps
// GPU d has all of piece d + 1; after p - 1 more every GPU has all pieces.
static void launch_ring(wb_launch *l) {
  const wb_shares *s = &l->shares;
  const unsigned p = s->devices;
  l->grid = blocks_for(s->width / p, l->block);
  fork(s);
  if (p == 1) fetch(0, s->out[0], s->in[0], s->width);
  for (unsigned step = 0; step < 2 * (p - 1); step++) {
    for (unsigned d = 0; d < p; d++) {
      const unsigned left = (d + p - 1) % p;
      const piece now = piece_of(s, d + 2 * p - 1 - step);
      const float *from = (step == 0 ? s->in[left] : s->out[left]) + now.first;
      wait_for(d, left);
      if (step < p - 1)
        launch_add(l, d, s->in[d] + now.first, from, s->out[d] + now.first, now.count);
      else fetch(d, s->out[d] + now.first, from, now.count);
    }
    for (unsigned d = 0; d < p; d++) mark(d); // not before all wait for the step before
  }
  join(s);
}
//! [ring]

#endif
