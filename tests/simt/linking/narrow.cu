// SPDX-License-Identifier: MIT
// Declares a variable of tables.cu with another size.
extern __constant__ float weights[2];
__global__ void first(float *out) { *out = weights[0]; }
int main() {
  first<<<1, 1>>>(nullptr);
  return cudaDeviceSynchronize() == cudaSuccess;
}
