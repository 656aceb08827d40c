// SPDX-License-Identifier: MIT
// Threads without an element return before the barrier, which goes on without them; the slots that
// they were to clear are read all the same.
//
// FINDS: exited_threads @barrier
// FINDS: uninitialised_shared @read
// SHOWS: lockstep reverse lane-serial random:1 random:2 random:3 delayed-stores
#include "case.h"

__global__ void reverse(const int *in, int *out, unsigned n) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  if (!MENDED && t >= n) return;
  tile[t] = t < n ? in[t] : 0;
  __syncthreads();                  // @barrier
  if (t < n) out[t] = tile[63 - t]; // @read
}

int main() {
  int *in = case_numbers<int>(50), *out = case_unwritten<int>(50);
  reverse<<<1, 64>>>(in, out, 50);
  return case_end(case_fetch(out, 50)[0] == 0 && case_fetch(out, 50)[14] == 49);
}
