// SPDX-License-Identifier: MIT
// Barriers and warp-wide operations after some threads have left the kernel: nothing waits for
// them. In every kernel the threads that stay print what they computed together.
#include <cstdio>

enum { BLOCK = 128 };

// The usual `if (i >= n) return;` in front of a tree in shared memory that only uses living slots.
__global__ void sum(int n, int *out) {
  __shared__ int part[BLOCK];
  int t = threadIdx.x;
  if (t >= n) return;
  part[t] = t + 1;
  __syncthreads();
  for (int left = n; left > 1; left = (left + 1) / 2) {
    int half = (left + 1) / 2;
    if (t < left - half) part[t] += part[t + half];
    __syncthreads();
  }
  if (t == 0) *out = part[0];
}

// Threads leave one after the other, and each warp a round of the loop after the one before.
__global__ void countdown(int *out) {
  int t = threadIdx.x, rounds = 0;
  for (int warp = 0; warp < t / 32 + 1; warp++) {
    __syncthreads();
    rounds++;
  }
  out[t] = rounds;
}

// __syncthreads_count, _and, _or among those who stay.
__global__ void votes(int n, int *out) {
  int t = threadIdx.x;
  if (t >= n) return;
  int count = __syncthreads_count(t % 3 == 0);
  int all = __syncthreads_and(t < n), none = __syncthreads_or(t >= n);
  out[t] = count * 100 + all * 10 + none;
}

// A barrier for a number of threads: lanes that have left arrive with their warp.
__global__ void counted(int n, int *out) {
  __shared__ int part[BLOCK];
  int t = threadIdx.x;
  if (t % 32 >= n || t >= 64) return;
  part[t] = t;
  asm volatile("bar.sync 1, 64;" ::: "memory");
  out[t] = part[t ^ 32];
}

// The other threads wait when the last ones leave.
__global__ void late(int *out) {
  int t = threadIdx.x;
  if (t < 32) {
    __syncthreads();
    out[t] = 7;
  } else if (t >= 96) {
    volatile int wait = 0;
    while (wait < 1000) wait = wait + 1;
  }
}

// Masks that name lanes which have left.
__global__ void lanes(int n, unsigned *out) {
  __shared__ int part[32];
  int t = threadIdx.x;
  if (t >= n) return;
  part[t] = 3 * t;
  __syncwarp();
  unsigned neighbour = part[t ? t - 1 : 0];
  unsigned ballot = __ballot_sync(0xffffffffu, t & 1);
  unsigned first = __shfl_sync(0xffffffffu, t + 5, 0);
  unsigned up = __shfl_up_sync(0xffffffffu, t, 1);
  out[t] = neighbour + up + first + (ballot & 0xff) + (__all_sync(0xffffffffu, t < n) ? 1000 : 0) +
           (__any_sync(0xffffffffu, t >= n) ? 5000 : 0);
}

static int host[BLOCK];

static void show(const char *name, int *out, int first, int last, int step) {
  cudaError_t error = cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("%s: %s:", name, cudaGetErrorName(error));
  for (int i = first; i <= last; i += step) printf(" %d", host[i]);
  printf("\n");
  cudaMemset(out, 0, sizeof host);
}

int main() {
  int *out;
  cudaMalloc(&out, sizeof host);
  cudaMemset(out, 0, sizeof host);
  const int sizes[] = {1, 31, 32, 40, 100, 128};
  for (int n : sizes) {
    sum<<<1, BLOCK>>>(n, out);
    show("sum", out, 0, 0, 1);
  }
  countdown<<<1, BLOCK>>>(out);
  show("countdown", out, 0, 127, 16);
  for (int n : sizes) {
    votes<<<1, BLOCK>>>(n, out);
    show("votes", out, 0, 127, 30);
  }
  counted<<<1, BLOCK>>>(20, out);
  show("counted", out, 0, 63, 9);
  counted<<<1, 80>>>(32, out);
  show("counted", out, 0, 63, 9);
  late<<<1, BLOCK>>>(out);
  show("late", out, 0, 127, 16);
  lanes<<<1, 32>>>(20, (unsigned *)out);
  show("lanes", out, 0, 31, 3);
  lanes<<<1, 32>>>(1, (unsigned *)out);
  show("lanes", out, 0, 31, 3);
  cudaFree(out);
}
