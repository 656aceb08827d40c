// SPDX-License-Identifier: MIT
//
// Plain reads that only decide whether an atomic on the same word is tried: the atomic finds out,
// so that a value from before does no harm. race_attempts.cu has what is missing where it does.
// checked: none of them is a race, in the code of either compiler
#include <climits>
#include <cstdio>

enum { N = 4096, THREADS = 128, BLOCKS = 4, ROOM = 100 };

struct results {
  int most, least, most_shared, first, last, most_of[4];
  unsigned long long best;
  float most_float;
  double most_double;
  unsigned bits[2];
  int found, count, top, taken, done, winners, next, squares, seen[8], n_seen;
};

__device__ int value_at(int i) { return (int)((unsigned)i * 2654435761u >> 12) % 100003 - 5000; }

// ---- maxima and minima --------------------------------------------------------------------------

__global__ void extremes(results *r) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    const int x = value_at(i);
    if (x > r->most) atomicMax(&r->most, x);
    if (x >= r->least) continue;
    atomicMin(&r->least, x);
  }
}

__global__ void extremes_in_block(results *r) {
  __shared__ int most, of[4];
  if (threadIdx.x == 0) most = INT_MIN;
  if (threadIdx.x < 4) of[threadIdx.x] = INT_MIN;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += gridDim.x * blockDim.x) {
    const int x = value_at(i);
    if (x > most && x < 90000) atomicMax(&most, x);
    if (x + 1 > of[x & 3]) atomicMax(&of[x & 3], x + 1);
  }
  __syncthreads();
  if (threadIdx.x == 0 && most > r->most_shared) atomicMax(&r->most_shared, most);
  if (threadIdx.x < 4 && r->most_of[threadIdx.x] < of[threadIdx.x])
    atomicMax(&r->most_of[threadIdx.x], of[threadIdx.x]);
}

__device__ void keep_most(float *most, float x) {
  if (x <= *most) return;
  if (x >= 0) atomicMax((int *)most, __float_as_int(x));
  else atomicMin((unsigned *)most, __float_as_uint(x));
}

__global__ void wide(results *r) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, x = value_at(i);
  const unsigned long long key = (unsigned long long)(x + 5000) << 32 | (unsigned)i;
  if (key > r->best) atomicMax(&r->best, key);
  keep_most(&r->most_float, x / 4.0f);
  const double d = x < 0 ? 0 : x / 8.0;
  if (d > r->most_double) atomicMax((long long *)&r->most_double, __double_as_longlong(d));
}

// Ends when nothing better can come.
__global__ void ends(results *r) {
  const int step = gridDim.x * blockDim.x;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < N; i += step) {
    if (i >= r->first) break;
    if (value_at(i) > 80000) atomicMin(&r->first, i);
  }
  for (int i = N - 1 - (blockIdx.x * blockDim.x + threadIdx.x); i >= 0; i -= step) {
    if (i <= r->last) return;
    if (value_at(i) > 80000) atomicMax(&r->last, i);
  }
}

// ---- what is the same when it is done twice -----------------------------------------------------

__global__ void flags(results *r) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned bit = 1u << (value_at(i) & 15);
  if (!(r->bits[i & 1] & bit)) atomicOr(&r->bits[i & 1], bit);
  if (i % 100 == 7 && r->found == 0) atomicExch(&r->found, 1);
}

// ---- what the atomic returns decides ------------------------------------------------------------

__device__ int take(int *top) {
  if (*top < 0) return -1;
  return atomicAdd(top, -1);
}

__device__ bool is_first(int *done) { return !*done && atomicExch(done, 1) == 0; }

__global__ void returned(results *r, int *kept, const int *pool) {
  __shared__ bool mine;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (r->count < ROOM) {
    const int place = atomicAdd(&r->count, 1);
    if (place < ROOM) kept[place] = 1;
  }
  const int taken = take(&r->top);
  if (taken >= 0) atomicAdd(&r->taken, pool[taken] + 1);
  if (threadIdx.x == 0) mine = is_first(&r->done);
  __syncthreads();
  if (mine) atomicAdd(&r->winners, 1);
  if (!r->seen[i & 7]) {
    if (atomicExch(&r->seen[i & 7], 1)) return;
    atomicAdd(&r->n_seen, 1);
  }
}

__global__ void tickets(results *r, int n) {
  int sum = 0;
  while (r->next < n) {
    const int i = atomicAdd(&r->next, 1);
    if (i >= n) break;
    sum += i * i;
  }
  atomicAdd(&r->squares, sum);
}

int main() {
  results *r, host = {};
  int *kept, *pool, places[ROOM], sum = 0;
  host.most = host.most_shared = host.last = INT_MIN;
  host.least = host.first = INT_MAX;
  for (int &most : host.most_of) most = INT_MIN;
  host.most_float = -1e9f;
  host.top = 49;
  cudaMalloc(&r, sizeof *r);
  cudaMalloc(&kept, sizeof places);
  cudaMalloc(&pool, 50 * sizeof *pool);
  cudaMemcpy(r, &host, sizeof *r, cudaMemcpyHostToDevice);
  cudaMemset(kept, 0, sizeof places);
  cudaMemset(pool, 0, 50 * sizeof *pool);
  extremes<<<BLOCKS, THREADS>>>(r);
  extremes_in_block<<<BLOCKS, THREADS>>>(r);
  wide<<<BLOCKS, THREADS>>>(r);
  ends<<<BLOCKS, THREADS>>>(r);
  flags<<<BLOCKS, THREADS>>>(r);
  returned<<<BLOCKS, THREADS>>>(r, kept, pool);
  tickets<<<BLOCKS, THREADS>>>(r, 300);
  cudaMemcpy(&host, r, sizeof *r, cudaMemcpyDeviceToHost);
  cudaMemcpy(places, kept, sizeof places, cudaMemcpyDeviceToHost);
  for (int place : places) sum += place;
  printf("%d %d %d, %d %d %d %d, %d %d\n", host.most, host.least, host.most_shared, host.most_of[0],
         host.most_of[1], host.most_of[2], host.most_of[3], host.first, host.last);
  printf("%llx %g %g\n", host.best, host.most_float, host.most_double);
  printf("%x %x %d\n", host.bits[0], host.bits[1], host.found);
  printf("%d %d %d %d %d %d\n", sum, host.taken, host.done, host.winners, host.n_seen,
         host.squares);
  cudaFree(r);
  cudaFree(kept);
  cudaFree(pool);
}
