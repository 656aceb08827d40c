// SPDX-License-Identifier: MIT
// An assertion in device code does not hold.
//
// FINDS: device_fault @assert
// SHOWS: lockstep reverse lane-serial delayed-stores
#include <cassert>

#include "case.h"

__global__ void check(const int *in, int *out, int limit) {
  assert(in[threadIdx.x] < limit); // @assert
  out[threadIdx.x] = in[threadIdx.x];
}

int main() {
  int *in = case_numbers<int>(32), *out = case_unwritten<int>(32);
  check<<<1, 32>>>(in, out, MENDED ? 32 : 31);
  return case_end(case_fetch(out, 32)[31] == 31);
}
