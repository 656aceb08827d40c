// SPDX-License-Identifier: MIT
// Two launches merged into one: the second half reads what other blocks store in the first.
//
// FINDS: race_write_after_read @second @first
// MAY FIND: race_read_after_write @first @second
// MAY FIND: uninitialised_global @second
// SHOWS: lockstep reverse lane-serial delayed-stores
#include "case.h"

static __device__ void square(const int *in, int *squares, unsigned i) {
  squares[i] = in[i] * in[i]; // @first
}

static __device__ void differences(const int *squares, int *out, unsigned i, unsigned n) {
  out[i] = squares[(i + 32) % n] - squares[i]; // @second
}

__global__ void both(const int *in, int *squares, int *out, unsigned n) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  square(in, squares, i);
  differences(squares, out, i, n);
}

__global__ void only_square(const int *in, int *squares) {
  square(in, squares, blockIdx.x * blockDim.x + threadIdx.x);
}

__global__ void only_differences(const int *squares, int *out, unsigned n) {
  differences(squares, out, blockIdx.x * blockDim.x + threadIdx.x, n);
}

int main() {
  int *in = case_numbers<int>(96), *squares = case_unwritten<int>(96),
      *out = case_unwritten<int>(96);
  if (MENDED) {
    only_square<<<3, 32>>>(in, squares);
    only_differences<<<3, 32>>>(squares, out, 96);
  } else {
    both<<<3, 32>>>(in, squares, out, 96);
  }
  const int *got = case_fetch(out, 96);
  bool right = true;
  for (int i = 0; i < 96; i++) right &= got[i] == ((i + 32) % 96) * ((i + 32) % 96) - i * i;
  return case_end(right);
}
