// SPDX-License-Identifier: MIT
// What is stored through a pointer of one type is read through one of another: nvcc's device code
// knows no strict aliasing.
#include <cstdio>

__global__ void pun(int *whole, float *real, short *half, double *wide) {
  *whole = 1;
  *real = 2.5f;
  const int first = *whole; // 2.5f's bits
  *half = 7;
  const float second = *real; // with other low bits
  *wide = -1.0;
  printf("%08x %08x %08x\n", first, __float_as_uint(second), *whole);
}

// A product that would be made once if stores of integers could not change floats.
__global__ void twice(const float *in, unsigned *out) {
  const float d = in[1] * in[1] - 4.0f * in[0] * in[2];
  out[0] = __float_as_uint(d);
  float sum = 0, squares = 0;
  for (int k = 0; k < 4; k++) sum += in[k], squares += in[k] * in[k];
  out[1] = __float_as_uint(squares / 4 - (sum / 4) * (sum / 4));
}

int main() {
  const float in[4] = {1.1f, 2.3f, 0.7f, 1.9f};
  unsigned results[2], *out;
  double *memory;
  float *device;
  cudaMalloc(&memory, sizeof *memory);
  cudaMalloc(&device, sizeof in);
  cudaMalloc(&out, sizeof results);
  pun<<<1, 1>>>((int *)memory, (float *)memory, (short *)memory, memory);
  cudaMemcpy(device, in, sizeof in, cudaMemcpyHostToDevice);
  twice<<<1, 1>>>(device, out);
  cudaMemcpy(results, out, sizeof results, cudaMemcpyDeviceToHost);
  printf("%08x %08x\n", results[0], results[1]);
  cudaFree(memory);
  cudaFree(device);
  cudaFree(out);
  return 0;
}
