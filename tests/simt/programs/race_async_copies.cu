// SPDX-License-Identifier: MIT
// cp.async may store at any time between its issue and the wait: a tile is free for the next copy
// only when all threads have read it. `behind` has the barrier behind the issue, `late` has none.
// hardware: which value a thread reads depends on when the copy is made
// found: race_async_copies.cu:31
#include <cstdio>
#include <cuda_pipeline.h>

#define THREADS 64

__global__ void right(const int *in, int *out) {
  __shared__ int tile[THREADS];
  const int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  const int before = tile[THREADS - 1 - t];
  __syncthreads();
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = before + tile[THREADS - 1 - t];
}

__global__ void behind(const int *in, int *out) {
  __shared__ int tile[THREADS];
  const int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  const int before = tile[THREADS - 1 - t];
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int)); // others may not have read it yet
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = before + tile[THREADS - 1 - t];
}

static void print(const char *name, const int *out) {
  cudaDeviceSynchronize();
  printf("%s", name);
  for (int i = 0; i < THREADS; i += 21) printf(" %d", out[i]);
  printf("\n");
}

int main() {
  int *in, *out;
  cudaMallocManaged(&in, THREADS * sizeof(int));
  cudaMallocManaged(&out, THREADS * sizeof(int));
  for (int i = 0; i < THREADS; ++i) in[i] = 1000 * i;
  right<<<1, THREADS>>>(in, out);
  print("right", out);
  behind<<<1, THREADS>>>(in, out);
  print("behind", out);
  cudaFree(in);
  cudaFree(out);
}
