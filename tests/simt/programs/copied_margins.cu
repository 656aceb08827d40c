// SPDX-License-Identifier: MIT
// A stencil that leaves the margins of its output alone. The host copies the whole array and looks
// at the rest: with all checkers on that is a note, and no error.
#include <cstdio>

const int N = 256, RADIUS = 3;

__global__ void stencil(const int *in, int *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < RADIUS || i >= N - RADIUS) return;
  int sum = 0;
  for (int k = -RADIUS; k <= RADIUS; k++) sum += in[i + k];
  out[i] = sum;
}

int main() {
  int numbers[N], sums[N], *in, *out, wrong = 0;
  for (int i = 0; i < N; i++) numbers[i] = i * i % 101;
  cudaMalloc(&in, sizeof numbers);
  cudaMalloc(&out, sizeof sums);
  cudaMemcpy(in, numbers, sizeof numbers, cudaMemcpyHostToDevice);
  stencil<<<N / 64, 64>>>(in, out);
  cudaMemcpy(sums, out, sizeof sums, cudaMemcpyDeviceToHost);
  for (int i = RADIUS; i < N - RADIUS; i++) {
    int sum = 0;
    for (int k = -RADIUS; k <= RADIUS; k++) sum += numbers[i + k];
    wrong += sums[i] != sum;
  }
  printf("%d wrong, %s\n", wrong, cudaGetErrorString(cudaGetLastError()));
  cudaFree(in);
  cudaFree(out);
}
