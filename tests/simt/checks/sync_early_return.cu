// SPDX-License-Identifier: MIT
// Threads without an element return before the barrier at which the others wait for them.
//
// FINDS: deadlock @barrier
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void reverse(const int *in, int *out, unsigned n) {
  __shared__ int tile[64];
  const unsigned t = threadIdx.x;
  if (!MENDED && t >= n) return;
  tile[t] = t < n ? in[t] : 0;
  __syncthreads(); // @barrier
  if (t < n) out[t] = tile[n - 1 - t];
}

int main() {
  int *in = case_numbers<int>(50), *out = case_unwritten<int>(50);
  reverse<<<1, 64>>>(in, out, 50);
  return case_end(case_fetch(out, 50)[0] == 49);
}
