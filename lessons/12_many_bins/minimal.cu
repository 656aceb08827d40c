// SPDX-License-Identifier: MIT
// The kernel plain_halves of lesson 12 in a whole program: how often each of 100,000 values occurs
// among a million samples, with counters of 16 bits in 200,000 bytes of shared memory.
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

// The counter of bin v overflowed, 65,535 to 0, and `old` is what its word was. The lower one has
// carried 1 into the upper one, which may have overflowed with that.
static __device__ void settle_half(unsigned old, unsigned v, unsigned *bins, unsigned n_bins) {
  atomicAdd(&bins[v], 65536u);
  if (v % 2 == 0 && v + 1 < n_bins) atomicAdd(&bins[v + 1], old >> 16 == 65535 ? 65535u : 0u - 1);
}

// Adds to bins[n_bins] how often each value occurs in in[n]; all values are below n_bins.
extern "C" __global__ void plain_halves(const unsigned *in, unsigned *bins, unsigned n_bins,
                                        unsigned n) {
  extern __shared__ unsigned halves[]; // [(n_bins + 1) / 2]: bin 2 w in the low half of word w
  for (unsigned w = threadIdx.x; w < (n_bins + 1) / 2; w += blockDim.x) halves[w] = 0;
  __syncthreads(); // every counter is 0 before the first sample is counted
  for (unsigned i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    const unsigned v = in[i], shift = v % 2 * 16, old = atomicAdd(&halves[v / 2], 1u << shift);
    if ((old >> shift & 65535) == 65535) settle_half(old, v, bins, n_bins);
  }
  __syncthreads(); // every sample is counted
  for (unsigned v = threadIdx.x; v < n_bins; v += blockDim.x) {
    const unsigned count = halves[v / 2] >> v % 2 * 16 & 65535;
    if (count > 0) atomicAdd(&bins[v], count);
  }
}

int main() {
  // The input: every third sample is 7, more often than a counter of 16 bits can hold.
  const unsigned n = 1000003, n_bins = 100000;
  unsigned *samples = (unsigned *)malloc(n * sizeof *samples);
  unsigned *bins = (unsigned *)calloc(n_bins, sizeof *bins);
  unsigned *expected = (unsigned *)calloc(n_bins, sizeof *expected);
  if (!samples || !bins || !expected) return 1;
  for (unsigned i = 0; i < n; i++) {
    samples[i] = i % 3 == 0 ? 7 : i * 2654435761u % n_bins;
    expected[samples[i]]++;
  }

  unsigned *in, *bins_device;
  const size_t samples_bytes = n * sizeof *samples, bins_bytes = n_bins * sizeof *bins;
  check(cudaMalloc(&in, samples_bytes), "allocating the samples");
  check(cudaMalloc(&bins_device, bins_bytes), "allocating the bins");
  check(cudaMemcpy(in, samples, samples_bytes, cudaMemcpyHostToDevice), "copying the samples");
  check(cudaMemset(bins_device, 0, bins_bytes), "clearing the bins");

  // More than 48 KiB of shared memory must be asked for. Few blocks: each adds all bins at the end.
  const unsigned shared_bytes = (n_bins + 1) / 2 * sizeof(unsigned), n_blocks = 4;
  check(cudaFuncSetAttribute(plain_halves, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             (int)shared_bytes),
        "asking for shared memory");
  plain_halves<<<n_blocks, 1024, shared_bytes>>>(in, bins_device, n_bins, n);
  check(cudaGetLastError(), "launching");
  check(cudaMemcpy(bins, bins_device, bins_bytes, cudaMemcpyDeviceToHost), "copying the bins");

  unsigned n_wrong = 0;
  for (unsigned v = 0; v < n_bins; v++) n_wrong += bins[v] != expected[v];
  printf("%u samples in %u bins, %u of them wrong; the most frequent value occurs %u times\n", n,
         n_bins, n_wrong, bins[7]);
  check(cudaFree(in), "freeing");
  check(cudaFree(bins_device), "freeing");
  free(samples), free(bins), free(expected);
  return n_wrong == 0 ? 0 : 1;
}
