// SPDX-License-Identifier: MIT
// checked: simtcc and nvcc
// found: race: atomic and plain access
// found: in kernel own_mark
// found: in kernel other_value
// found: in kernel without_mark
// found: in kernel wrong_direction
// found: in kernel after_result
// found: in kernel elsewhere
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
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
