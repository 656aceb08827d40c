// SPDX-License-Identifier: MIT
// checked: simtcc and nvcc
// found: race: atomic and plain access
// found: in kernel other_direction
// found: in kernel other_atomic
// found: in kernel other_operand
// found: in kernel other_limit
// found: in kernel also_exchanged
// found: in kernel beside
// found: in kernel otherwise
// found: in kernel counted
// found: in kernel returned_unread
// found: in kernel padded
// found: in kernel stored
// found: in kernel waits
// found: in kernel ends_too_soon
//
// Plain reads in front of an atomic on the same word which decide more than whether it is tried, or
// from which a value of before keeps something else from happening. attempts.cu has them right.
#include <cstdio>

enum { N = 16 };

__device__ int me() { return (int)(blockIdx.x * blockDim.x + threadIdx.x); }

__global__ void other_direction(int *most) {
  if (me() < *most) atomicMax(most, me());
}

__global__ void other_atomic(int *most) {
  if (me() > *most) atomicMin(most, me());
}

__global__ void other_operand(int *most) {
  if (me() > *most) atomicMax(most, me() + 2);
}

__global__ void other_limit(int *most) {
  if (*most < 100) atomicMax(most, me());
}

__global__ void also_exchanged(int *most) {
  if (me() > *most) atomicMax(most, me());
  if (me() == 3) atomicExch(most, 0);
}

__global__ void beside(int *most, int *out) {
  if (me() > *most) {
    atomicMax(most, me());
    out[me()] = 1;
  }
}

__global__ void otherwise(int *most, int *out) {
  if (me() > *most) atomicMax(most, me());
  else out[me()] = 1;
}

__global__ void counted(int *most, int *out) {
  int n = 0;
  for (int i = me(); i < 1000; i += 64)
    if (i > *most) {
      atomicMax(most, i);
      n++;
    }
  out[me()] = n;
}

__global__ void returned_unread(int *count) {
  if (*count < N) atomicAdd(count, 1);
}

__global__ void padded(int *count, int *out) {
  int place = N;
  if (*count < N) place = atomicAdd(count, 1);
  out[place] = 1;
}

__global__ void stored(int *most, int *out) {
  const int seen = *most;
  if (me() > seen) atomicMax(most, me());
  out[me()] = seen;
}

__global__ void waits(int *flag, int *out) {
  if (me() == 0) atomicExch(flag, 1);
  else if (*flag) out[me()] = 1;
}

__global__ void ends_too_soon(int *most) {
  for (int i = me(); i < 1000; i += 64) {
    const int x = i * 37 % 1009;
    if (x <= *most) break;
    atomicMax(most, x);
  }
}

int main() {
  int *words, *out;
  cudaMalloc(&words, 13 * sizeof *words);
  cudaMalloc(&out, 256 * sizeof *out);
  cudaMemset(words, 0, 13 * sizeof *words);
  cudaMemset(words, 1, sizeof *words); // greater than all
  other_direction<<<2, 32>>>(words);
  other_atomic<<<2, 32>>>(words + 1);
  other_operand<<<2, 32>>>(words + 2);
  other_limit<<<2, 32>>>(words + 3);
  also_exchanged<<<2, 32>>>(words + 4);
  beside<<<2, 32>>>(words + 5, out);
  otherwise<<<2, 32>>>(words + 6, out);
  counted<<<2, 32>>>(words + 7, out);
  returned_unread<<<2, 32>>>(words + 8);
  padded<<<2, 32>>>(words + 9, out);
  stored<<<2, 32>>>(words + 10, out);
  waits<<<2, 32>>>(words + 11, out);
  ends_too_soon<<<2, 32>>>(words + 12);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(words);
  cudaFree(out);
}
