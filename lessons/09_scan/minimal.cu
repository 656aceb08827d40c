// SPDX-License-Identifier: MIT
// The fastest kernel of lesson 09 in a whole program: all the running totals of a million floats,
// in three phases: scan each tile, scan the sums of the tiles, add what stands before each tile.
//
//   nvcc minimal.cu -o minimal && ./minimal                               with a GPU
//   ../../build/common/simt/simtcc minimal.cu -o minimal && ./minimal     without one
#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static void check(cudaError_t error, const char *what) {
  if (error == cudaSuccess) return;
  fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  exit(1);
}

static const unsigned WARP_SIZE = 32, FULL_MASK = 0xffffffff; // lanes; one bit for each

static __device__ unsigned padded(unsigned place) { return place + place / 32; }

template <typename T> static __device__ T scan_of_warp(T x) {
  for (unsigned d = 1; d < WARP_SIZE; d *= 2) {
    const T left = __shfl_up_sync(FULL_MASK, x, d);
    if (threadIdx.x % WARP_SIZE >= d) x += left;
  }
  return x;
}

// The sum of x over all threads of the block before this one.
template <typename T> static __device__ T sum_before(T x) {
  __shared__ T warp_sums[WARP_SIZE];
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  const unsigned n_warps = blockDim.x / WARP_SIZE;
  const T up_to_me = scan_of_warp(x);
  if (lane == WARP_SIZE - 1) warp_sums[warp] = up_to_me;
  __syncthreads(); // every warp's sum is there; the first warp scans them
  if (warp == 0) warp_sums[lane] = scan_of_warp(lane < n_warps ? warp_sums[lane] : T(0));
  __syncthreads();
  const T before = __shfl_up_sync(FULL_MASK, up_to_me, 1);
  return (warp > 0 ? warp_sums[warp - 1] : T(0)) + (lane > 0 ? before : T(0));
}

// in[n] to out[n], tile by tile, and the sum of each tile to sums[gridDim.x].
template <typename T> static __device__ void scan_fours(const T *in, T *out, T *sums, unsigned n) {
  extern __shared__ int words[]; // padded: four apart and one after eight lanes, no bank twice
  T *tile = (T *)words, x[4];
  const unsigned t = threadIdx.x, first = 4 * blockDim.x * blockIdx.x;
  for (unsigned k = 0, p = t; k < 4; k++, p += blockDim.x)
    tile[padded(p)] = first + p < n ? in[first + p] : T(0);
  __syncthreads();
  for (unsigned k = 0; k < 4; k++) x[k] = tile[padded(4 * t + k)]; // four in a row
  T sum = sum_before(x[0] + x[1] + x[2] + x[3]);
  for (unsigned k = 0; k < 4; k++) tile[padded(4 * t + k)] = sum += x[k]; // exclusive: sum first
  __syncthreads();
  for (unsigned k = 0, p = t; k < 4; k++, p += blockDim.x)
    if (first + p < n) out[first + p] = tile[padded(p)];
  if (t == blockDim.x - 1) sums[blockIdx.x] = sum;
}

extern "C" __global__ void four_each(const float *in, float *out, float *sums, unsigned n) {
  scan_fours(in, out, sums, n);
}

// Block b works on tile b + 1: there is nothing to add to tile 0.
template <typename T>
static __global__ void add_before(T *out, const T *before, unsigned n, unsigned tile) {
  const unsigned first = (blockIdx.x + 1) * tile, end = n - first < tile ? n : first + tile;
  const T sum = before[blockIdx.x];
  for (unsigned i = first + threadIdx.x; i < end; i += blockDim.x) out[i] += sum;
}

int main() {
  // The input: small whole numbers, whose sums a float holds exactly.
  const unsigned n = 1000003, n_bytes = n * sizeof(float);
  float *x = (float *)malloc(n_bytes), *totals = (float *)malloc(n_bytes), expected = 0.0f;
  if (!x || !totals) return 1;
  for (unsigned i = 0; i < n; i++) x[i] = (float)(i % 10);
  const unsigned block = 256, tile = 4 * block, n_tiles = (n + tile - 1) / tile;
  static_assert(n_tiles <= tile, "more sums than one tile: scan them in phases as well");
  const unsigned shared_bytes = (tile + tile / 32) * sizeof(float);
  float *array, *sums; // scanned in place
  check(cudaMalloc(&array, n_bytes), "allocating the array");
  check(cudaMalloc(&sums, (n_tiles + 1) * sizeof(float)), "allocating the sums");
  check(cudaMemcpy(array, x, n_bytes, cudaMemcpyHostToDevice), "copying the input");

  four_each<<<n_tiles, block, shared_bytes>>>(array, array, sums, n);
  four_each<<<1, block, shared_bytes>>>(sums, sums, sums + n_tiles, n_tiles);
  add_before<<<n_tiles - 1, block>>>(array, sums, n, tile);
  check(cudaGetLastError(), "launching");
  check(cudaMemcpy(totals, array, n_bytes, cudaMemcpyDeviceToHost), "copying the totals");

  unsigned n_wrong = 0;
  for (unsigned i = 0; i < n; i++) n_wrong += totals[i] != (expected += x[i]);
  printf("%u running totals, %u of them wrong\n", n, n_wrong);
  check(cudaFree(array), "freeing");
  check(cudaFree(sums), "freeing");
  free(x);
  free(totals);
  return n_wrong == 0 ? 0 : 1;
}
