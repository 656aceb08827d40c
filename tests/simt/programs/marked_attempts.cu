// SPDX-License-Identifier: MIT
// checked: none of them is a race, in the code of either compiler
//
// Plain reads that decide whether an atomic on the same word is tried, and whether a mark is left
// that something has changed: the thread that changed the word has left the mark, too. As in
// shortest paths and labels that spread. race_marked_attempts.cu has what is wrong.
#include <cstdio>
#include <cstring>

enum { N = 64, BLOCK = 32 };

// Edges of a ring with chords: from i to i + 1 (length 2) and to 3 i (length 7).
__global__ void relax(int *distance, int *changed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, from = i / 2;
  const int to = i % 2 ? (from + 1) % N : from * 3 % N, length = i % 2 ? 2 : 7;
  const int known = *(volatile int *)&distance[from];
  if (known + length < distance[to]) {
    atomicMin(&distance[to], known + length);
    *changed = 1;
  }
}

struct state {
  unsigned label[N];
  int rounds, more;
};

__global__ void spread(state *s) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, other = (i * 5 + 1) % N;
  const unsigned label = *(volatile unsigned *)&s->label[i];
  if (s->label[other] < label) {
    s->more = 1;
    atomicMax(&s->label[other], label);
  }
}

__device__ int any_found;
__global__ void find(const int *numbers, int *found) {
  if (numbers[blockIdx.x * blockDim.x + threadIdx.x] % 7 == 3 && *found == 0) {
    any_found = 5;
    atomicExch(found, 1);
  }
}

// Breadth first: levels are only compared with the depth, beside swaps that move others past it.
__global__ void search(int *level, int depth, int *more) {
  const int from = blockIdx.x * blockDim.x + threadIdx.x;
  if (level[from] != depth) return;
  for (int k = 1; k <= 2; k++)
    if (atomicCAS(&level[(from * 2 + k) % N], -1, depth + 1) == -1) *more = 1;
}

static int *zeros(size_t bytes) {
  int *at;
  cudaMallocManaged(&at, bytes);
  memset(at, 0, bytes);
  return at;
}

int main() {
  int *distance = zeros(N * sizeof(int)), *changed = zeros(sizeof(int));
  for (int i = 1; i < N; i++) distance[i] = 1000;
  do {
    *changed = 0;
    relax<<<2 * N / BLOCK, BLOCK>>>(distance, changed);
    cudaDeviceSynchronize();
  } while (*changed);
  int sum = 0, most = 0;
  for (int i = 0; i < N; i++) sum += distance[i], most = distance[i] > most ? distance[i] : most;
  printf("%d %d\n", sum, most);

  state *s = (state *)zeros(sizeof *s);
  for (int i = 0; i < N; i++) s->label[i] = i;
  do {
    s->more = 0;
    spread<<<N / BLOCK, BLOCK>>>(s);
    cudaDeviceSynchronize();
  } while (s->more);
  unsigned labels = 0;
  for (int i = 0; i < N; i++) labels += s->label[i];
  printf("%u\n", labels);

  for (int i = 0; i < N; i++) distance[i] = i ? -1 : 0;
  int depth = 0;
  do {
    *changed = 0;
    search<<<N / BLOCK, BLOCK>>>(distance, depth++, changed);
    cudaDeviceSynchronize();
  } while (*changed);
  int levels = 0;
  for (int i = 0; i < N; i++) levels += distance[i];
  printf("%d levels, %d\n", depth, levels);

  for (int i = 0; i < N; i++) distance[i] = i;
  *changed = 0;
  find<<<N / BLOCK, BLOCK>>>(distance, changed);
  int found = 0;
  cudaMemcpyFromSymbol(&found, any_found, sizeof found);
  printf("%d %d\n", *changed, found);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
