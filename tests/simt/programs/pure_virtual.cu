// SPDX-License-Identifier: MIT
// An abstract class in device code, whose pure virtual functions the compiler names in its table.
#include <cstdio>

struct shape {
  __device__ virtual ~shape() {}
  __device__ virtual float area() const = 0;
};
struct square : shape {
  float side;
  __device__ explicit square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct strip : shape {
  float length;
  __device__ explicit strip(float l) : length(l) {}
  __device__ float area() const override { return 0.5f * length; }
};

__global__ void areas(float *out) {
  const int t = threadIdx.x;
  shape *s = t & 1 ? (shape *)new square((float)t) : (shape *)new strip((float)t);
  out[t] = s->area();
  delete s;
}

int main() {
  float *out, h[8];
  cudaMalloc(&out, sizeof h);
  areas<<<1, 8>>>(out);
  cudaMemcpy(h, out, sizeof h, cudaMemcpyDeviceToHost);
  for (float area : h) printf("%g ", area);
  printf("\n");
  cudaFree(out);
  return 0;
}
