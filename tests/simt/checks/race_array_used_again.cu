// SPDX-License-Identifier: MIT
// A second reduction stores into the array of the first, whose result may not have been read yet.
//
// FINDS: race_write_after_read @read @second
// SHOWS: reverse lane-serial
#include "case.h"

__global__ void min_and_max(const int *in, int *out) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  tile[t] = in[t];
  __syncthreads();
  for (unsigned s = 32; s > 0; s /= 2) {
    if (t < s) tile[t] = min(tile[t], tile[t + s]);
    __syncthreads();
  }
  const int least = tile[0]; // @read
  if (MENDED) __syncthreads();
  tile[t] = in[t] - least + 1; // @second
  __syncthreads();
  for (unsigned s = 32; s > 0; s /= 2) {
    if (t < s) tile[t] = max(tile[t], tile[t + s]);
    __syncthreads();
  }
  out[t] = tile[0] + least;
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(64);
  min_and_max<<<1, 64>>>(in, out);
  const int *got = case_fetch(out, 64);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= got[t] == 64;
  return case_end(right);
}
