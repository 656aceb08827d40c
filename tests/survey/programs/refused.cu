// SPDX-License-Identifier: MIT
// Uses what the software GPU does not model: the module is refused when it is loaded.
__global__ void load(unsigned *x) {
  unsigned tile;
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(tile) : "r"(x[0]));
  x[0] = tile;
}

int main() {
  unsigned *device;
  cudaMalloc(&device, sizeof *device);
  load<<<1, 1>>>(device);
  return cudaDeviceSynchronize() != cudaSuccess;
}
