// SPDX-License-Identifier: MIT
// Rows: the array as a matrix with rows of 2,048 floats, and the sum of each. Many small sums in
// place of one large one: there is nothing to finish; the question is how many threads take a row.
//   block_rows  one block per row, with barriers
//   warp_rows   one warp per row, 16 bytes per load, no barrier at all
#ifndef GRID_STRIDE_ROWS_CUH
#define GRID_STRIDE_ROWS_CUH

// The last row may be short.
static __host__ __device__ unsigned n_rows(unsigned n) { return n / WB_ROW + (n % WB_ROW != 0); }

static __device__ unsigned row_length(unsigned n, unsigned row) {
  return n - row * WB_ROW < WB_ROW ? n - row * WB_ROW : WB_ROW;
}

//! [block_rows]
extern "C" __global__ void block_rows(const float *in, float *out, unsigned n) {
  const unsigned row = blockIdx.x;
  const float *first = in + (size_t)row * WB_ROW;
  const float mine = unrolled_sum<4>(first, row_length(n, row), threadIdx.x, blockDim.x);
  const float sum = wb_block_reduce(mine);
  if (threadIdx.x == 0) out[row] = sum;
}
//! [block_rows]

//! [warp_rows]
extern "C" __global__ void warp_rows(const float *in, float *out, unsigned n) {
  const unsigned lane = threadIdx.x % WARP_SIZE, row = grid_rank() / WARP_SIZE;
  if (row >= n_rows(n)) return; // the whole warp
  const float *first = in + (size_t)row * WB_ROW;
  const float sum = wb_warp_reduce(vector_sum(first, row_length(n, row), lane, WARP_SIZE));
  if (lane == 0) out[row] = sum;
}
//! [warp_rows]

static void launch_block_rows(wb_launch *l) {
  l->grid = wb_blocks(n_rows(l->n), 1);
  block_rows<<<l->grid, l->block>>>(l->in, (float *)l->out, l->n);
}

static void launch_warp_rows(wb_launch *l) {
  l->grid = wb_blocks(n_rows(l->n), l->block / WARP_SIZE);
  warp_rows<<<l->grid, l->block>>>(l->in, (float *)l->out, l->n);
}

// A thread's own chain, the sum of its vector, five steps in the warp and five in the block.
static double row_depth(unsigned, unsigned) { return WB_ROW / WARP_SIZE + 2 + 10; }

#endif
