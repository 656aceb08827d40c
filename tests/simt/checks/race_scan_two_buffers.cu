// SPDX-License-Identifier: MIT
// A scan with two buffers, read from one and write to the other, and no barrier between two rounds.
//
// FINDS: race_write_after_read @sum @sum
// MAY FIND: race_read_after_write @sum @sum
// MAY FIND: uninitialised_shared @sum
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void scan(int *data) {
  __shared__ int buffer[2][128];
  const unsigned t = threadIdx.x;
  unsigned from = 0;
  buffer[0][t] = data[t];
  __syncthreads();
  for (unsigned d = 1; d < 128; d *= 2) {
    buffer[1 - from][t] = buffer[from][t] + (t >= d ? buffer[from][t - d] : 0); // @sum
    from = 1 - from;
    if (MENDED) __syncthreads();
  }
  data[t] = buffer[from][t];
}

int main() {
  int *data = case_numbers<int>(128);
  scan<<<1, 128>>>(data);
  const int *got = case_fetch(data, 128);
  bool right = true;
  for (int t = 0; t < 128; t++) right &= got[t] == t * (t + 1) / 2;
  return case_end(right);
}
