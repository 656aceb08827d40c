// SPDX-License-Identifier: MIT
// Exercise 13: all-reduce as a butterfly. Lesson 05's butterfly, with GPUs for lanes.
//
// 2^levels GPUs have a vector of n floats each, and every one is to have the sum of all. It takes
// 2 * levels steps. In each step the kernel runs once on every GPU: `rank` is its number, `mine`
// its own vector, and `other` the vector of its partner, which lies in the partner's memory: every
// element read from there crosses a link.
//
//   step 0 … levels - 1: halving number k = step; the partner is rank ^ (1 << k).
//     Both hold the same part of the vector, at first all of it. They cut it in two, and each keeps
//     one half: it adds the partner's elements of that half to its own. The other half is not its
//     business any more.
//   step levels … 2 * levels - 1: the halvings backwards, k = 2 * levels - 1 - step; the partner is
//     rank ^ (1 << k). Each copies what the partner has: the half that it gave away in halving k.
//
// A part [first, end) is cut at first + (end - first) / 2. In halving k a GPU keeps the lower half
// if bit k of its rank is 0, and the upper one if it is 1.
//
// What must hold:
//   - In each step exactly the elements that are its subject are read from `other` and written to
//     `mine`, once each; nothing else is. `other` is not written.
//   - Any grid, blocks of 32, 64, 96 … 1024 threads; n from 0 to 2^20, not only powers of two;
//     levels from 1 to 3.
//   - Neighbouring threads take neighbouring elements.
#include <cuda_runtime.h>

struct part {
  unsigned first, end; // elements first … end - 1
};

// What GPU `rank` still holds after so many halvings of n elements.
static __device__ part part_of(unsigned rank, unsigned halvings, unsigned n) {
  part now = {0, n};
  // BLANK: halve the part, for k = 0 … halvings - 1; bit k of the rank says which half stays
  for (unsigned k = 0; k < halvings; k++) {
    const unsigned middle = now.first + (now.end - now.first) / 2;
    if (rank >> k & 1) now.first = middle;
    else now.end = middle;
  }
  // STUB: (void)rank;
  // STUB: (void)halvings;
  // END BLANK
  return now;
}

extern "C" __global__ void butterfly_step(float *mine, const float *other, unsigned n,
                                          unsigned rank, unsigned levels, unsigned step) {
  // BLANK: which halving is it, forwards or backwards? Whose part after it is this step's subject,
  // BLANK: mine or the partner's?
  const bool halving = step < levels;
  const unsigned k = halving ? step : 2 * levels - 1 - step;
  const part now = part_of(halving ? rank : rank ^ 1u << k, k + 1, n);
  // STUB: (void)part_of;
  // END BLANK
  // BLANK: the grid's threads walk over that part: add up, or copy
  const unsigned me = blockIdx.x * blockDim.x + threadIdx.x, all = gridDim.x * blockDim.x;
  for (unsigned i = now.first + me; i < now.end; i += all)
    mine[i] = halving ? mine[i] + other[i] : other[i];
  // STUB: (void)mine;
  // STUB: (void)other;
  // STUB: (void)n;
  // STUB: (void)rank;
  // STUB: (void)levels;
  // STUB: (void)step;
  // END BLANK
}
