// SPDX-License-Identifier: MIT
// A structure copied to the device still holds a pointer to the host's memory.
//
// FINDS: host_pointer @store
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

struct image {
  int width;
  int *pixels;
};

__global__ void fill(const image *picture) {
  if (threadIdx.x < picture->width) picture->pixels[threadIdx.x] = 7; // @store
}

int main() {
  int *on_host = (int *)malloc(32 * sizeof(int)), *on_device = case_unwritten<int>(32);
  image picture = {32, MENDED ? on_device : on_host}, *copy = case_unwritten<image>(1);
  cudaMemcpy(copy, &picture, sizeof picture, cudaMemcpyHostToDevice);
  fill<<<1, 32>>>(copy);
  cudaDeviceSynchronize();
  free(on_host);
  return case_end(true);
}
