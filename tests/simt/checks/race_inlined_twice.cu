// SPDX-License-Identifier: MIT
// Two inlined helpers, and a caller that forgets the barrier between them.
//
// FINDS: race_write_after_read @get @put
// MAY FIND: uninitialised_shared @get
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

static __device__ __forceinline__ void put(int *tile, unsigned place, int value) {
  tile[place] = value; // @put
}

static __device__ __forceinline__ int get(const int *tile, unsigned place) {
  return tile[place]; // @get
}

__global__ void reverse(const int *in, int *out) {
  __shared__ int tile[64];
  put(tile, threadIdx.x, in[threadIdx.x]);
  if (MENDED) __syncthreads();
  out[threadIdx.x] = get(tile, 63 - threadIdx.x);
}

int main() {
  int *in = case_numbers<int>(64), *out = case_unwritten<int>(64);
  reverse<<<1, 64>>>(in, out);
  const int *got = case_fetch(out, 64);
  bool right = true;
  for (int t = 0; t < 64; t++) right &= got[t] == 63 - t;
  return case_end(right);
}
