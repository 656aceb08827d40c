// SPDX-License-Identifier: MIT
// A buffer that takes what comes first. A plain read of its count that only spares the atomicAdd
// once it is full is no race, while what the atomic returns decides who has a place. The wrong one
// takes the read for the answer.
//
// FINDS: race_atomic @add @read
#include "case.h"

enum { ROOM = 16, THREADS = 256 };

__global__ void keep(int *count, int *kept) {
  if (*count < ROOM) {                     // @read
    const int place = atomicAdd(count, 1); // @add
    if (!MENDED || place < ROOM) kept[place] = 1;
  }
}

int main() {
  int *count = case_zeros<int>(1), *kept = case_zeros<int>(THREADS);
  keep<<<4, 64>>>(count, kept);
  const int *have = case_fetch(kept, THREADS);
  int sum = 0;
  for (int i = 0; i < THREADS; i++) sum += have[i];
  return case_end(sum == ROOM);
}
