// SPDX-License-Identifier: MIT
//
// Magnitudes of doubles as shorts that cannot hold them: as in narrow_conversions.cu, where other
// conversions stand beside them. Here nothing but an absolute value tells what is converted.
#include <cmath>
#include <cstdio>

enum { N = 8 };

__global__ void magnitudes(const double *x, short *y) {
  y[threadIdx.x] = (short)fabs(x[threadIdx.x]);
}

int main() {
  const double values[N] = {100.75, -3.5, -40000.5, 40000.5, 70000.0, 3e9, -1e20, 1e20};
  double *x;
  short *y, shown[N];
  cudaMalloc(&x, sizeof values);
  cudaMalloc(&y, sizeof shown);
  cudaMemcpy(x, values, sizeof values, cudaMemcpyHostToDevice);
  magnitudes<<<1, N>>>(x, y);
  cudaMemcpy(shown, y, sizeof shown, cudaMemcpyDeviceToHost);
  for (int i = 0; i < N; i++) printf("%d%c", shown[i], i + 1 < N ? ' ' : '\n');
  cudaFree(x);
  cudaFree(y);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
