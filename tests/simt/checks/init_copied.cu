// SPDX-License-Identifier: MIT
// What was never written stays so when it is copied from one array to another.
//
// FINDS: uninitialised_global @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

__global__ void twice(const float *in, float *out) {
  out[threadIdx.x] = 2 * in[threadIdx.x]; // @load
}

int main() {
  float *first = MENDED ? case_numbers<float>(32) : case_unwritten<float>(32);
  float *second = case_unwritten<float>(32), *out = case_unwritten<float>(32);
  cudaMemcpy(second, first, 32 * sizeof(float), cudaMemcpyDeviceToDevice);
  twice<<<1, 32>>>(second, out);
  return case_end(case_fetch(out, 32)[31] == 62);
}
