// SPDX-License-Identifier: MIT
//
// Floats that char and short cannot hold: they are converted to 32 bits, saturating, and the rest
// is cut off, as nvcc does it. C++ leaves the value open; programs that make pictures depend on it.
#include <cstdio>
#include <cstdlib>

struct narrow {
  signed char c;
  unsigned char u;
  short s;
  unsigned short w;
};

template <typename T> __global__ void convert(const T *x, narrow *y) {
  int t = threadIdx.x;
  y[t].c = (signed char)x[t];
  y[t].u = (unsigned char)x[t];
  y[t].s = (short)x[t];
  y[t].w = (unsigned short)x[t];
}

__global__ void pairs(const float2 *x, uchar2 *y) { // compilers may convert both at once
  y[threadIdx.x] = make_uchar2(x[threadIdx.x].x, x[threadIdx.x].y);
}

template <typename T> static void run(const T *values) {
  T *x;
  narrow *y, shown[8];
  cudaMalloc(&x, 8 * sizeof(T));
  cudaMalloc(&y, sizeof shown);
  cudaMemcpy(x, values, 8 * sizeof(T), cudaMemcpyHostToDevice);
  convert<<<1, 8>>>(x, y);
  cudaMemcpy(shown, y, sizeof shown, cudaMemcpyDeviceToHost);
  for (narrow n : shown) printf("%d %u %d %u\n", n.c, n.u, n.s, n.w);
  cudaFree(x);
  cudaFree(y);
}

int main() {
  const float f[8] = {100.75f, -3.5f, 300.0f, -300.0f, 70000.0f, 3e9f, -1e20f, 1e20f};
  const double d[8] = {100.75, -3.5, 300.0, -300.0, 70000.0, 3e9, -1e20, 1e20};
  run(f);
  run(d);
  float2 *x;
  uchar2 *y, shown[4];
  cudaMalloc(&x, sizeof f);
  cudaMalloc(&y, sizeof shown);
  cudaMemcpy(x, f, sizeof f, cudaMemcpyHostToDevice);
  pairs<<<1, 4>>>(x, y);
  cudaMemcpy(shown, y, sizeof shown, cudaMemcpyDeviceToHost);
  for (uchar2 p : shown) printf("%u %u\n", p.x, p.y);
  cudaFree(x);
  cudaFree(y);
  printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
