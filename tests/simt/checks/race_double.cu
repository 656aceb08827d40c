// SPDX-License-Identifier: MIT
// Doubles, and a stencil that reads its neighbours' words without waiting.
//
// FINDS: race_write_after_read @stencil @store
// MAY FIND: race_read_after_write @store @stencil
// MAY FIND: uninitialised_shared @stencil
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void smooth(const double *in, double *out) {
  __shared__ double tile[96];
  const unsigned t = threadIdx.x;
  tile[t] = in[t]; // @store
  if (MENDED) __syncthreads();
  if (t > 0 && t < 95) out[t] = tile[t - 1] + tile[t] + tile[t + 1]; // @stencil
}

int main() {
  double *in = case_numbers<double>(96), *out = case_zeros<double>(96);
  smooth<<<1, 96>>>(in, out);
  const double *got = case_fetch(out, 96);
  bool right = true;
  for (int t = 1; t < 95; t++) right &= got[t] == 3.0 * t;
  return case_end(right);
}
