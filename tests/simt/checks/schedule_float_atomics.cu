// SPDX-License-Identifier: MIT
// A sum of floats by atomics: the order in which they are added, and so the rounding, is not
// defined.
//
// SCHEDULES: sweep:8
// FINDS: schedule_dependent_atomics
#include "case.h"

__global__ void sum(const float *in, float *out) {
  if (MENDED) {
    if (threadIdx.x == 0 && blockIdx.x == 0) {
      float sum = 0;
      for (unsigned i = 0; i < 128; i++) sum += 1.0f / (1.0f + in[i]);
      *out = sum;
    }
    return;
  }
  atomicAdd(out, 1.0f / (1.0f + in[blockIdx.x * blockDim.x + threadIdx.x]));
}

int main() {
  float *in = case_numbers<float>(128), *out = case_zeros<float>(1);
  sum<<<4, 32>>>(in, out);
  return case_end(*case_fetch(out, 1) > 5);
}
