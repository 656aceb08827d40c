// SPDX-License-Identifier: MIT
// A bit-field is written by reading its word and putting new bits into it, which is no use of the
// other bits. To set a bit with `or` keeps whatever else was there.
//
// FINDS: uninitialised_global @load
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

struct mark {
  unsigned ready : 1, count : 7, rest : 24;
};

__global__ void set(mark *marks) {
#if MENDED
  marks[threadIdx.x].ready = 1;
  marks[threadIdx.x].count = threadIdx.x;
#else
  ((unsigned *)marks)[threadIdx.x] |= threadIdx.x << 1 | 1; // @load
#endif
}

int main() {
  mark *marks = case_unwritten<mark>(32);
  set<<<1, 32>>>(marks);
  mark last = case_fetch(marks, 32)[0];
  return case_end(last.ready == 1 && last.count == 0);
}
