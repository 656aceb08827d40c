// SPDX-License-Identifier: MIT
// checked: simtcc and nvcc
// found: race: atomic and plain access
// found: in kernel own_mark
// found: in kernel other_value
// found: in kernel without_mark
// found: in kernel wrong_direction
// found: in kernel after_result
// found: in kernel elsewhere
// found: in kernel level_kept
// found: in kernel level_reached
// found: in kernel level_above
// found: in kernel level_met
// found: in kernel level_two
//
// Marks beside an attempt that are not left by all that change the word, or that say who did it.
// marked_attempts.cu has them right.
#include <cstdio>

__device__ int me() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void own_mark(int *most, int *mark) { // one for each thread
  if (me() > *most) {
    atomicMax(most, me());
    mark[me()] = 1;
  }
}

__global__ void other_value(int *most, int *mark) { // another value for each thread
  if (me() > *most) {
    atomicMax(most, me());
    *mark = me();
  }
}

__global__ void without_mark(int *most, int *mark) { // some that change it leave none
  if (me() > *most) {
    atomicMax(most, me());
    *mark = 1;
  }
  if (me() == 5) atomicMax(most, 50);
}

__global__ void wrong_direction(int *most, int *mark) {
  if (me() < *most) {
    atomicMax(most, me());
    *mark = 1;
  }
}

__global__ void after_result(int *top, int *mark) {
  if (*top >= 0) {
    const int i = atomicAdd(top, -1);
    *mark = 1;
    if (i >= 0) mark[1 + i] = 2;
  }
}

__global__ void elsewhere(int *most, int *mark) { // another place, which may be the same word
  if (me() > *most) {
    atomicMax(most, me());
    *mark = 1;
  }
  atomicMax(&most[me() % 2], me() + 20);
}

__global__ void level_kept(int *level, int *mark) { // what was read is stored
  const int depth = 40, own = level[me() % 2];
  if (own == depth) atomicCAS(&level[1], 40, 41);
  mark[me()] = own;
}

__global__ void level_reached(int *level, int *mark) { // the swap gives what is compared with
  if (level[me() % 2] == (int)blockDim.x) mark[me()] = 1;
  atomicCAS(&level[1], 40, 32);
}

__global__ void level_above(int *level, int depth, int *mark) { // not only for equality
  if (level[me() % 2] < depth) mark[me()] = 1;
  atomicCAS(&level[1], -1, depth + 1);
}

__global__ void level_met(int *level, int depth, int *mark) { // the swap gives the very depth
  if (level[me() % 2] == depth) mark[me()] = 1;
  atomicCAS(&level[1], -1, depth);
}

__global__ void level_two(int *level, int depth, int *mark) { // one of two swaps
  if (level[me() % 2] == depth) mark[me()] = 1;
  atomicCAS(&level[1], -1, depth + 1);
  atomicCAS(&level[1], depth, -1);
}

static void run(void (*kernel)(int *, int *), int *most, int *mark) {
  const int start[2] = {40, 40};
  cudaMemcpy(most, start, sizeof start, cudaMemcpyHostToDevice);
  kernel<<<2, 32>>>(most, mark);
}

int main() {
  int *most, *mark;
  cudaMalloc(&most, 2 * sizeof *most);
  cudaMalloc(&mark, 128 * sizeof *mark);
  cudaMemset(mark, 0, 128 * sizeof *mark);
  run(own_mark, most, mark);
  run(other_value, most, mark);
  run(without_mark, most, mark);
  run(wrong_direction, most, mark);
  run(after_result, most, mark);
  run(elsewhere, most, mark);
  run(level_kept, most, mark);
  run(level_reached, most, mark);
  const int start[2] = {0, -1};
  cudaMemcpy(most, start, sizeof start, cudaMemcpyHostToDevice);
  level_above<<<2, 32>>>(most, 3, mark);
  cudaMemcpy(most, start, sizeof start, cudaMemcpyHostToDevice);
  level_met<<<2, 32>>>(most, 3, mark);
  cudaMemcpy(most, start, sizeof start, cudaMemcpyHostToDevice);
  level_two<<<2, 32>>>(most, 3, mark);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
