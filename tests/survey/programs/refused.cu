// SPDX-License-Identifier: MIT
// Uses what the software GPU does not model: the module is refused when it is loaded.
__global__ void rank(unsigned *x) {
  unsigned mapped;
  asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(mapped) : "r"(x[0]));
  x[0] = mapped;
}

int main() {
  unsigned *device;
  cudaMalloc(&device, sizeof *device);
  rank<<<1, 1>>>(device);
  return cudaDeviceSynchronize() != cudaSuccess;
}
