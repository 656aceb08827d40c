// SPDX-License-Identifier: MIT
// Finishing in one launch: what becomes of the blocks' partial sums without a second one.
//   atomic_finish  one atomic a block, in whatever order they come
//   last_block     all are stored; the block that is done last adds them up
//   adaptive       all are posted; one block collects them as they come, and the grid fits n
#ifndef GRID_STRIDE_FINISH_CUH
#define GRID_STRIDE_FINISH_CUH

//! [atomic]
extern "C" __global__ void atomic_finish(const float *in, float *out, unsigned n) {
  const float sum = wb_block_reduce(vector_sum(in, n, GRID_ID));
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
//! [atomic]

//! [last_block]
static __device__ unsigned n_done; // 0 between launches: atomicInc starts over

extern "C" __global__ void last_block(const float *in, float *partials, float *out, unsigned n) {
  __shared__ bool is_last;
  float sum = wb_block_reduce(vector_sum(in, n, GRID_ID));
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence(); // who sees my count is to see my partial sum
    is_last = atomicInc(&n_done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence(); // who saw all counts is to see all partial sums
  }
  __syncthreads();
  if (!is_last) return;
  sum = wb_block_reduce(strided_sum(partials, gridDim.x, threadIdx.x, blockDim.x));
  if (threadIdx.x == 0) *out = sum;
}
//! [last_block]

//! [adaptive]
// A partial sum in the lower half and a 1 in the upper half, written at once: no fence is needed
// where the news and the sum are one. 0 between launches: the collector empties what it has read.
enum { MOST_POSTS = 1 << 15 };
static __device__ volatile unsigned long long posts[MOST_POSTS];
static __device__ unsigned n_begun; // 0 between launches, like n_done

// The sum of all posts, in fixed order; `own` is that of the collecting block itself.
static __device__ float collect(float own) {
  float sum = 0.0f;
  for (unsigned first = threadIdx.x; first < gridDim.x; first += 4 * blockDim.x) {
    unsigned long long post[4];
    for (unsigned j = 0, b = first; j < 4; j++, b += blockDim.x) // four requests, nobody waits
      post[j] = b < gridDim.x && b != blockIdx.x ? posts[b] : 1ull << 32;
    for (unsigned j = 0, b = first; j < 4; j++, b += blockDim.x) {
      while (post[j] == 0) post[j] = posts[b]; // not there yet
      if (b < gridDim.x && b != blockIdx.x) posts[b] = 0;
      sum += b == blockIdx.x ? own : __uint_as_float((unsigned)post[j]);
    }
  }
  return wb_block_reduce(sum);
}

extern "C" __global__ void adaptive(const float *in, float *out, unsigned n) {
  __shared__ bool begun_last; // this block collects: it need not wait for any that has not begun
  unsigned ticket = 0;
  if (threadIdx.x == 0 && gridDim.x > 1) ticket = atomicInc(&n_begun, gridDim.x - 1);
  float sum = vector_sum(in, n, GRID_ID); // while the ticket is on its way
  if (threadIdx.x == 0) begun_last = ticket == gridDim.x - 1;
  sum = wb_block_reduce(sum);
  if (begun_last && gridDim.x > 1) sum = collect(sum);
  if (threadIdx.x > 0) return;
  if (begun_last) *out = sum;
  else posts[blockIdx.x] = 1ull << 32 | __float_as_uint(sum);
}
//! [adaptive]

static void launch_atomic_finish(wb_launch *l) {
  l->grid = grid_for(l->n, l->block);
  cudaMemsetAsync(l->out, 0, sizeof(float));
  atomic_finish<<<l->grid, l->block>>>(l->in, (float *)l->out, l->n);
}
static void launch_last_block(wb_launch *l) {
  l->grid = grid_for(l->n, l->block);
  last_block<<<l->grid, l->block>>>(l->in, l->scratch, (float *)l->out, l->n);
}

//! [fit]
// Blocks of its own choice, whatever --block says: one while one is quickest; then eight elements a
// thread until the device is full; and in a very large array no more than 2^17 elements a block, so
// that no multiprocessor is left with nothing to do at the end.
static unsigned adaptive_block(unsigned n) { return n <= 4096 ? 256 : n <= 16384 ? 1024 : 512; }

static unsigned adaptive_grid(unsigned n) {
  const unsigned block = adaptive_block(n), needed = wb_blocks(n, 8 * block);
  const unsigned fit = wb_multiprocessors() * (2048 / block), many = n >> 17;
  if (n <= 16384) return 1;
  return many > fit ? many : needed < fit ? needed : fit;
}

static void launch_adaptive(wb_launch *l) {
  l->grid = adaptive_grid(l->n);
  adaptive<<<l->grid, adaptive_block(l->n)>>>(l->in, (float *)l->out, l->n);
}
//! [fit]

static double adaptive_depth(unsigned n, unsigned) {
  const unsigned grid = adaptive_grid(n), block = adaptive_block(n);
  return n / (grid * block) + 1 + 10 + grid / block + 1 + 10;
}

#endif
