// SPDX-License-Identifier: MIT
// A transposition through a tile: the thread that reads a word is not the one that stored it.
//
// FINDS: race_write_after_read @load @store
// MAY FIND: uninitialised_shared @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void transpose(const float *in, float *out) {
  __shared__ float tile[16][17];
  tile[threadIdx.y][threadIdx.x] = in[threadIdx.y * 16 + threadIdx.x]; // @store
  if (MENDED) __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y]; // @load
}

int main() {
  float *in = case_numbers<float>(256), *out = case_unwritten<float>(256);
  transpose<<<1, dim3(16, 16)>>>(in, out);
  const float *got = case_fetch(out, 256);
  bool right = true;
  for (int y = 0; y < 16; y++)
    for (int x = 0; x < 16; x++) right &= got[y * 16 + x] == x * 16 + y;
  return case_end(right);
}
