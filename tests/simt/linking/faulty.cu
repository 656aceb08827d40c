// SPDX-License-Identifier: MIT
// A kernel here and a store in another file, which has no place to store to.
__device__ void store(int *to, int value);
__global__ void start(int *to) { store(to + threadIdx.x, 1); }
int main() {
  start<<<1, 32>>>(nullptr);
  return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 0 : 1;
}
