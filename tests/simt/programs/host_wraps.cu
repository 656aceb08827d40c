// SPDX-License-Identifier: MIT
// Host code that counts on sums that wrap around, as nvcc's host compiler leaves them.
#include <cstdio>

__global__ void square(int *x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = (int)((unsigned)i * (unsigned)i);
}

static int first_wrong(const int *x, int n) {
  for (int i = 0; i < n; i++)
    if (x[i] != i * i) return i; // beyond 46,340 the product does not fit
  return -1;
}

int main() {
  enum { N = 70000 };
  static int x[N];
  int *d;
  cudaMalloc(&d, sizeof x);
  square<<<(N + 255) / 256, 256>>>(d, N);
  cudaMemcpy(x, d, sizeof x, cudaMemcpyDeviceToHost);
  printf("first wrong: %d\n", first_wrong(x, N));
  cudaFree(d);
  return 0;
}
