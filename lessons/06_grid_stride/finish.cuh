// SPDX-License-Identifier: MIT
// Finishing: what becomes of the blocks' partial sums, without a second launch that waits for the
// first to end. What the device keeps between launches serves one launch at a time.
//   atomic_finish  one atomic per block, in whatever order they come
//   last_block     every block stores its sum; the one that finishes last adds them up
//   overlapped     two launches, but the second begins before the first has ended
//   adaptive       every block posts its sum; one block collects them as they come; overlapped too
#ifndef GRID_STRIDE_FINISH_CUH
#define GRID_STRIDE_FINISH_CUH

//! [atomic]
extern "C" __global__ void atomic_finish(const float *in, float *out, unsigned n) {
  const float sum = wb_block_reduce(vector_sum(in, n, grid_rank(), grid_size()));
  if (threadIdx.x == 0) atomicAdd(out, sum);
}
//! [atomic]

//! [last_block]
static __device__ unsigned n_done; // 0 between launches: atomicInc starts over

extern "C" __global__ void last_block(const float *in, float *partials, float *out, unsigned n) {
  __shared__ bool is_last;
  float sum = wb_block_reduce(vector_sum(in, n, grid_rank(), grid_size()));
  if (threadIdx.x == 0) {
    partials[blockIdx.x] = sum;
    __threadfence(); // release: a thread that sees my count also sees my partial sum
    is_last = atomicInc(&n_done, gridDim.x - 1) == gridDim.x - 1;
    __threadfence(); // acquire: having seen all counts, I see all partial sums
  }
  __syncthreads();
  if (!is_last) return;
  sum = wb_block_reduce(strided_sum(partials, gridDim.x, threadIdx.x, blockDim.x));
  if (threadIdx.x == 0) *out = sum;
}
//! [last_block]

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
// Threads and blocks of the launches' own choice, whatever --block says: one block while one is
// quickest, with 16 elements per thread, all in flight at once; then small blocks, so that every
// multiprocessor has one; and larger ones with more for each thread once the memory is busy.
static unsigned fitting_block(unsigned n) {
  if (n <= 1 << 14) return 32 * wb_blocks(n, 16 * 32);
  return n <= 1 << 19 ? 256 : n <= 1 << 25 ? 512 : 1024;
}

enum { MOST_BLOCKS = 1 << 15 };
static unsigned fitting_grid(unsigned n) {
  const unsigned each = n <= 1 << 20 ? 8 : n <= 1 << 24 ? 16 : 32; // elements per thread
  const unsigned grid = n <= 1 << 14 ? 1 : wb_blocks(n, each * fitting_block(n));
  return grid < MOST_BLOCKS ? grid : MOST_BLOCKS;
}
//! [fit]

//! [overlapped]
extern "C" __global__ void overlapped(const float *in, float *out, unsigned n) {
  wb_join_stream(); // up to here the launch before may still be running
  write_partial(vector_sum(in, n, grid_rank(), grid_size()), out);
}

static void launch_overlapped(wb_launch *l) {
  float *partials = l->scratch, *out = (float *)l->out;
  const unsigned n = l->n, grid = l->grid = fitting_grid(n);
  wb_launch_overlapped(overlapped, grid, fitting_block(n), l->in, grid > 1 ? partials : out, n);
  if (grid > 1) wb_launch_overlapped(overlapped, 1, fitting_block(grid), partials, out, grid);
}
//! [overlapped]

//! [adaptive]
// A partial sum in the lower half and a 1 in the upper half, written as one word: flag and value
// arrive together, so no fence is needed. 0 between launches: the collector clears what it reads.
static __device__ volatile unsigned long long posts[MOST_BLOCKS];
static __device__ unsigned n_begun; // 0 between launches, like n_done

// The sum of all posts, in fixed order; `own` is that of the collecting block itself.
static __device__ float collect(float own) {
  float sum = 0.0f;
  for (unsigned first = threadIdx.x; first < gridDim.x; first += 4 * blockDim.x) {
    unsigned long long post[4];
    for (unsigned j = 0, b = first; j < 4; j++, b += blockDim.x) // four loads in flight
      post[j] = b < gridDim.x && b != blockIdx.x ? posts[b] : 1ull << 32;
    for (unsigned j = 0, b = first; j < 4; j++, b += blockDim.x) {
      while (post[j] == 0) post[j] = posts[b]; // not posted yet
      if (b < gridDim.x && b != blockIdx.x) posts[b] = 0;
      sum += b == blockIdx.x ? own : __uint_as_float((unsigned)post[j]);
    }
  }
  return wb_block_reduce(sum);
}

extern "C" __global__ void adaptive(const float *in, float *out, unsigned n) {
  __shared__ bool begun_last; // this block collects: every block that it waits for has begun
  unsigned ticket = 0;
  wb_join_stream();
  if (threadIdx.x == 0) ticket = atomicInc(&n_begun, gridDim.x - 1);
  float sum = vector_sum(in, n, grid_rank(), grid_size()); // while the atomic is in flight
  if (threadIdx.x == 0) begun_last = ticket == gridDim.x - 1;
  sum = wb_block_reduce(sum);
  if (begun_last) sum = collect(sum);
  if (threadIdx.x > 0) return;
  if (begun_last) *out = sum;
  else posts[blockIdx.x] = 1ull << 32 | __float_as_uint(sum);
}

static void launch_adaptive(wb_launch *l) {
  l->grid = fitting_grid(l->n); // a single block has no other to wait for
  wb_launch_overlapped(l->grid > 1 ? adaptive : overlapped, l->grid, fitting_block(l->n), l->in,
                       (float *)l->out, l->n);
}
//! [adaptive]

// The same for both: a thread's chain, ten steps in its block, and again over the partial sums.
static double fitting_depth(unsigned n, unsigned) {
  const unsigned grid = fitting_grid(n);
  return n / (grid * fitting_block(n)) + 1 + 10 + grid / fitting_block(grid) + 1 + 10;
}

#endif
