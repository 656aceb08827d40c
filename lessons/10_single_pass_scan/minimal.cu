// SPDX-License-Identifier: MIT
// Lesson 10's short kernel in a whole program: all the running totals of a million floats in one
// pass over them, by decoupled look-back.
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
typedef unsigned long long status_word; // value, status; state[0] counts the tickets
enum { INVALID, AGGREGATE, INCLUSIVE_PREFIX, FIRST_TILE = 16 };

static __device__ unsigned bits_of(float x) { return __float_as_uint(x); }
static __device__ void from_bits(float *x, unsigned bits) { *x = __uint_as_float(bits); }

// Value and status travel in one word: a thread that reads it gets both of the same moment.
template <typename T> static __device__ void publish(status_word *word, unsigned status, T value) {
  const status_word w = (status_word)bits_of(value) << 32 | status;
  if (threadIdx.x == 0) *(volatile status_word *)word = w;
}
template <typename T> static __device__ unsigned read_status(const status_word *word, T *value) {
  const status_word w = *(const volatile status_word *)word;
  from_bits(value, (unsigned)(w >> 32));
  return (unsigned)w;
}

template <typename T> static __device__ T scan_of_warp(T x) {
  for (unsigned d = 1; d < WARP_SIZE; d *= 2) {
    const T left = __shfl_up_sync(FULL_MASK, x, d);
    if (threadIdx.x % WARP_SIZE >= d) x += left;
  }
  return x;
}

extern "C" __global__ void plain(const float *in, float *out, status_word *state, unsigned n) {
  __shared__ unsigned tile;
  __shared__ float warps[WARP_SIZE]; // sums of the warps; then what stands before each
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  if (threadIdx.x == 0) tile = (unsigned)atomicAdd(state, 1ull); // the blocks before have begun
  __syncthreads();
  const unsigned first = 4 * (tile * blockDim.x + threadIdx.x);
  float x[4], sum = 0.0f;
  for (unsigned k = 0; k < 4; k++) x[k] = sum += first + k < n ? in[first + k] : 0.0f;
  const float up_to_me = scan_of_warp(sum), left = __shfl_up_sync(FULL_MASK, up_to_me, 1);
  if (lane == WARP_SIZE - 1) warps[warp] = up_to_me;
  __syncthreads(); // the sum of every warp is there
  if (warp == 0) {
    const float sums = scan_of_warp(lane < blockDim.x / WARP_SIZE ? warps[lane] : 0.0f);
    const float aggregate = __shfl_sync(FULL_MASK, sums, WARP_SIZE - 1);
    status_word *const tiles = state + FIRST_TILE;
    publish(&tiles[tile], AGGREGATE, aggregate);
    float prefix = 0.0f, theirs = 0.0f; // exclusive prefix: what stands before the tile
    for (unsigned t = tile, status = INVALID; t > 0 && status != INCLUSIVE_PREFIX; t--) {
      while ((status = read_status(&tiles[t - 1], &theirs)) == INVALID) {}
      prefix = theirs + prefix;
    }
    publish(&tiles[tile], INCLUSIVE_PREFIX, prefix + aggregate);
    const float before = __shfl_up_sync(FULL_MASK, sums, 1);
    warps[lane] = prefix + (lane > 0 ? before : 0.0f);
  }
  __syncthreads(); // what stands before every warp is there
  const float before_me = warps[warp] + (lane > 0 ? left : 0.0f);
  for (unsigned k = 0; k < 4; k++)
    if (first + k < n) out[first + k] = before_me + x[k];
}

int main() {
  // The input: small whole numbers, whose sums a float holds exactly.
  const unsigned n = 1000003, n_bytes = n * sizeof(float);
  float *x = (float *)malloc(n_bytes), expected = 0.0f;
  if (!x) return 1;
  for (unsigned i = 0; i < n; i++) x[i] = (float)(i % 10);
  const unsigned block = 256, n_tiles = (n + 4 * block - 1) / (4 * block);
  float *array;       // scanned in place
  status_word *state; // the tickets and the status words; zero: none drawn, all invalid
  const size_t state_bytes = (FIRST_TILE + n_tiles) * sizeof *state;
  check(cudaMalloc(&array, n_bytes), "allocating the array");
  check(cudaMalloc(&state, state_bytes), "allocating the status words");
  check(cudaMemcpy(array, x, n_bytes, cudaMemcpyHostToDevice), "copying the input");
  check(cudaMemset(state, 0, state_bytes), "clearing the status words");

  plain<<<n_tiles, block>>>(array, array, state, n);
  check(cudaGetLastError(), "launching");
  check(cudaMemcpy(x, array, n_bytes, cudaMemcpyDeviceToHost), "copying the totals");
  unsigned n_wrong = 0;
  for (unsigned i = 0; i < n; i++) n_wrong += x[i] != (expected += (float)(i % 10));
  printf("%u running totals, %u of them wrong\n", n, n_wrong);
  check(cudaFree(array), "freeing");
  check(cudaFree(state), "freeing");
  free(x);
  return n_wrong == 0 ? 0 : 1;
}
