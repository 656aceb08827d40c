// SPDX-License-Identifier: MIT
// __activemask() says which lanes happen to be here now, not which lanes took this branch.
//
// SCHEDULES: sweep:8
// FINDS: schedule_dependent
#include "case.h"

__global__ void group_sizes(const int *in, int *out) {
  const unsigned t = threadIdx.x;
  const unsigned odd = __ballot_sync(0xffffffffu, in[t] % 2);
  if (in[t] % 2) out[t] = __popc(MENDED ? odd : __activemask());
}

int main() {
  int *in = case_numbers<int>(32), *out = case_zeros<int>(32);
  group_sizes<<<1, 32>>>(in, out);
  return case_end(case_fetch(out, 32)[1] == 16);
}
