// SPDX-License-Identifier: MIT
// The kernel of exercise 12 on samples of which the last one makes a counter overflow whose
// neighbour is full, for the picture "carry" of that chapter.
//
//   carry ...      prints {"bins": [all counts]}
#include "../solutions/12_many_bins.cu"

#include <stdio.h>

enum { N_BINS = 16, FIRST = 8, WARPS = 17, N = 32 * WARPS + 1 };

int main(void) {
  static const unsigned counts[4] = {255, 255, 17, 3}; // of bins FIRST to FIRST + 3
  unsigned samples[N], bins[N_BINS] = {0}, n = 0, *in, *bins_device;
  for (unsigned k = 0; k < 4; k++)
    for (unsigned i = 0; i < counts[k]; i++) samples[n++] = FIRST + k;
  while (n < N - 1) samples[n++] = 0; // so that the last sample is alone in its warp
  samples[n] = FIRST;
  cudaMalloc(&in, sizeof samples);
  cudaMalloc(&bins_device, sizeof bins);
  cudaMemcpy(in, samples, sizeof samples, cudaMemcpyHostToDevice);
  cudaMemset(bins_device, 0, sizeof bins);
  narrow_bins<<<1, 32, N_BINS>>>(in, bins_device, N_BINS, N);
  cudaMemcpy(bins, bins_device, sizeof bins, cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  printf("{\"bins\": [%u", bins[0]);
  for (unsigned v = 1; v < N_BINS; v++) printf(", %u", bins[v]);
  printf("]}\n");
  cudaFree(in);
  cudaFree(bins_device);
  return error != cudaSuccess;
}
