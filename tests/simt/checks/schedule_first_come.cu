// SPDX-License-Identifier: MIT
// No two accesses race - all are volatile - but what a block sees depends on which came first.
//
// SCHEDULES: sweep:8
// FINDS: schedule_dependent
#include "case.h"

__global__ void who_was_here(volatile int *visits, int *out) {
  if (MENDED) {
    visits[blockIdx.x] = 1;
    out[blockIdx.x] = 1;
    return;
  }
  int seen = 0;
  for (unsigned b = 0; b < gridDim.x; b++) seen += visits[b];
  visits[blockIdx.x] = 1;
  out[blockIdx.x] = seen;
}

int main() {
  int *visits = case_zeros<int>(8), *out = case_unwritten<int>(8);
  who_was_here<<<8, 1>>>((volatile int *)visits, out);
  return case_end(case_fetch(out, 8)[0] >= 0);
}
