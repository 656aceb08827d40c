// SPDX-License-Identifier: MIT
// Blocks of one ordinary launch that wait for each other while all are resident: each for the one
// before it, each for the one after it, all for all, and two that play a game of turns.
#include <cstdio>

__device__ volatile int raised[64];
__device__ int total;

__global__ void lower_row() {
  for (int i = threadIdx.x; i < 64; i += blockDim.x) raised[i] = 0;
  total = 0;
}

__device__ void await(int block) {
  if (threadIdx.x == 0)
    while (!raised[block]) {}
  __syncthreads();
  __threadfence();
}

__device__ void raise(int block) {
  __syncthreads();
  __threadfence();
  if (threadIdx.x == 0) raised[block] = 1;
}

__global__ void upwards(int *out) {
  int b = blockIdx.x;
  if (b > 0) await(b - 1);
  if (threadIdx.x == 0) out[b] = (b > 0 ? out[b - 1] : 0) + b;
  raise(b);
}

__global__ void downwards(int *out) {
  int b = blockIdx.x, last = gridDim.x - 1;
  if (b < last) await(b + 1);
  if (threadIdx.x == 0) out[b] = (b < last ? out[b + 1] : 0) + b;
  raise(b);
}

// A barrier of the whole grid, made of a counter.
__global__ void together(int *out) {
  int b = blockIdx.x, n = gridDim.x;
  if (threadIdx.x == 0) {
    out[b] = b + 1;
    __threadfence();
    atomicAdd(&total, 1);
    while (atomicAdd(&total, 0) < n) {}
    __threadfence();
    int sum = 0;
    for (int i = 0; i < n; i++) sum += *(volatile int *)&out[i];
    out[n + b] = sum;
  }
}

// Two blocks in turn, through one word; the one whose turn it is not counts how often it looked.
__global__ void turns(int *out, int n) {
  if (threadIdx.x) return;
  volatile int *turn = raised;
  int looks = 0;
  for (int i = blockIdx.x; i < n; i += 2) {
    while (*turn != i) looks++;
    out[i] = (int)blockIdx.x + 10 * i;
    __threadfence();
    *turn = i + 1;
  }
  out[n + blockIdx.x] = looks >= 0;
}

static int host[64];

static void show(const char *name, int *out) {
  cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s: %s:", name, cudaGetErrorName(error));
  for (int i = 0; i < 24; i += 3) printf(" %d", host[i]);
  printf("\n");
  lower_row<<<1, 32>>>();
}

int main() {
  int *out;
  cudaMalloc(&out, sizeof host);
  cudaMemset(out, 0, sizeof host);
  lower_row<<<1, 32>>>();
  upwards<<<24, 64>>>(out);
  show("upwards", out);
  downwards<<<24, 64>>>(out);
  show("downwards", out);
  together<<<16, 32>>>(out);
  show("together", out);
  turns<<<2, 32>>>(out, 22);
  show("turns", out);
  cudaFree(out);
}
