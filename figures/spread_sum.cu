// SPDX-License-Identifier: MIT
// The kernel `columns` of lesson 11 on a few floats whose exponents are far apart, for the picture
// "accumulator" of that chapter: an ordinary input has them all in two or three groups.
//
//   spread_sum ...      prints {"sum": the correctly rounded sum}
#include "../lessons/11_exact_sum/plain.cuh"

#include <cuda_runtime.h>
#include <math.h>
#include <stdio.h>

enum { N = 96, BLOCK = 32, LOWEST = -40, EXPONENTS = 85 };

int main(void) {
  float numbers[N], sum = 0, *in, *out;
  unsigned long long *sums;
  exact_state<float> *state;
  for (int i = 0; i < N; i++) {
    const float significand = (float)(i % 2 ? -1 : 1) * (1 + (float)(i * 37 % 101) / 101);
    numbers[i] = ldexpf(significand, LOWEST + i * i * 11 % EXPONENTS);
  }
  const size_t sums_bytes = (2 * GROUPS + 1) * sizeof *sums;
  cudaMalloc(&in, sizeof numbers);
  cudaMalloc(&out, sizeof *out);
  cudaMalloc(&sums, sums_bytes);
  cudaMalloc(&state, sizeof *state);
  cudaMemset(sums, 0, sums_bytes);
  cudaMemset(state, 0, sizeof *state);
  cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  columns<<<1, BLOCK, BLOCK * GROUPS * sizeof(double)>>>(in, sums, N);
  round_sums<<<1, BLOCK>>>(sums, out, state, N);
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  const cudaError_t error = cudaGetLastError();
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  printf("{\"sum\": %.9g}\n", sum);
  cudaFree(in);
  cudaFree(out);
  cudaFree(sums);
  cudaFree(state);
  return error != cudaSuccess;
}
