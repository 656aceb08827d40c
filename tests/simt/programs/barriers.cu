// SPDX-License-Identifier: MIT
// barriers.cu - what other threads wrote is read again after a barrier, also from static shared
// variables, whose loads a compiler may believe it can keep.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void broadcast(int *out) {
  __shared__ int word;
  int sum = 0;
  for (int round = 0; round < 3; round++) {
    if (threadIdx.x == round) word = 10 + round;
    __syncthreads();
    sum += word * (round + 1);
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

__global__ void neighbour(int *out) {
  __shared__ int place[65];
  const int t = threadIdx.x;
  place[t] = t;
  if (t == 0) place[64] = 0;
  __syncthreads();
  const int before = place[t + 1];
  __syncthreads();
  place[t] = before + 100;
  __syncthreads();
  out[t] = place[t + 1];
}

__global__ void in_a_warp(int *out) {
  __shared__ int place[33];
  const int t = threadIdx.x;
  place[t] = t;
  if (t == 0) place[32] = 0;
  __syncwarp();
  const int before = place[t + 1];
  __syncwarp();
  place[t] = before + 100;
  __syncwarp();
  out[t] = place[t + 1];
}

static void print(const char *name, void (*kernel)(int *), int threads) {
  static int *out;
  if (!out) cudaMallocManaged(&out, 64 * sizeof(int));
  kernel<<<1, threads>>>(out);
  printf("%s: %s", name, cudaGetErrorString(cudaDeviceSynchronize()));
  printf(", thread 0: %d, 1: %d, 30: %d, 31: %d\n", out[0], out[1], out[30], out[31]);
}

int main() {
  print("broadcast", broadcast, 64);
  print("neighbour", neighbour, 64);
  print("in_a_warp", in_a_warp, 32);
  return 0;
}
