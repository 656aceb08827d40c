// SPDX-License-Identifier: MIT
// The fastest kernel of lesson 08 in a whole program: how often each of 256 values occurs among a
// million samples, counted in eight interleaved copies per block.
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

enum { BINS = 256, COPIES = 8 };

static __device__ void clear(int *counts, unsigned n_counts) {
  for (unsigned k = threadIdx.x; k < n_counts; k += blockDim.x) counts[k] = 0;
  __syncthreads(); // every counter is 0 before the first sample is counted
}

// Adds up the copies; copy c of bin b is counts[b * bin_step + c * copy_step].
static __device__ void merge(const int *counts, unsigned copies, unsigned bin_step,
                             unsigned copy_step, int *bins) {
  __syncthreads(); // every sample is counted
  for (unsigned b = threadIdx.x; b < BINS; b += blockDim.x) {
    int count = 0;
    for (unsigned c = 0; c < copies; c++) count += counts[b * bin_step + c * copy_step];
    if (count > 0) atomicAdd(&bins[b], count);
  }
}

static __device__ void count_four(int *counts, int4 four) {
  atomicAdd(&counts[four.x * COPIES], 1);
  atomicAdd(&counts[four.y * COPIES], 1);
  atomicAdd(&counts[four.z * COPIES], 1);
  atomicAdd(&counts[four.w * COPIES], 1);
}

// Adds to bins[BINS] how often each value occurs in in[n]; values are 0 to 255.
extern "C" __global__ void vector_bins(const int *in, int *bins, unsigned n) {
  __shared__ int counts[BINS * COPIES];
  int *mine = &counts[threadIdx.x % COPIES];
  clear(counts, BINS * COPIES);
  // An int4 lies at a multiple of 16 bytes: up to three samples come before the first one, and up
  // to three after the last.
  const unsigned ahead = (unsigned)(-(size_t)in / sizeof(int) % 4);
  const unsigned head = ahead < n ? ahead : n, n_quads = (n - head) / 4;
  const int4 *quads = (const int4 *)(in + head);
  const unsigned first = blockIdx.x * blockDim.x + threadIdx.x, step = gridDim.x * blockDim.x;
  unsigned q = first;
  for (; q + 3 * step < n_quads; q += 4 * step) { // four loads in flight
    const int4 a = quads[q], b = quads[q + step], c = quads[q + 2 * step], d = quads[q + 3 * step];
    count_four(mine, a);
    count_four(mine, b);
    count_four(mine, c);
    count_four(mine, d);
  }
  for (; q < n_quads; q += step) count_four(mine, quads[q]); // the rest of the vectors
  if (first < head) atomicAdd(&mine[in[first] * COPIES], 1);
  const unsigned tail = head + 4 * n_quads + first;
  if (tail < n) atomicAdd(&mine[in[tail] * COPIES], 1);
  merge(counts, COPIES, COPIES, 1, bins);
}

int main() {
  // The input: samples of which some values are more frequent than others.
  const unsigned n = 1000003;
  int *samples = (int *)malloc(n * sizeof(int)), bins[BINS], expected[BINS] = {};
  if (!samples) return 1;
  for (unsigned i = 0; i < n; i++) {
    samples[i] = (int)(i % 1000 * (i % 1000) % BINS);
    expected[samples[i]]++;
  }

  int *in, *bins_device;
  check(cudaMalloc(&in, n * sizeof(int)), "allocating the samples");
  check(cudaMalloc(&bins_device, sizeof bins), "allocating the bins");
  check(cudaMemcpy(in, samples, n * sizeof(int), cudaMemcpyHostToDevice), "copying the samples");
  check(cudaMemset(bins_device, 0, sizeof bins), "clearing the bins");

  // Few blocks, so that each of them counts much before it adds up its copies.
  const unsigned block = 256, n_blocks = (n + 16 * block - 1) / (16 * block);
  vector_bins<<<n_blocks, block>>>(in, bins_device, n);
  check(cudaGetLastError(), "launching");
  check(cudaMemcpy(bins, bins_device, sizeof bins, cudaMemcpyDeviceToHost), "copying the bins");

  unsigned n_wrong = 0;
  for (unsigned b = 0; b < BINS; b++) n_wrong += bins[b] != expected[b];
  printf("%u samples in %d bins, %u of them wrong\n", n, BINS, n_wrong);
  check(cudaFree(in), "freeing");
  check(cudaFree(bins_device), "freeing");
  free(samples);
  return n_wrong == 0 ? 0 : 1;
}
