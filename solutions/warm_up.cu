// SPDX-License-Identifier: MIT
// Warm-up: three kernels of five minutes each, before the first lesson's exercise.
//
// A kernel is run by many threads at the same time, and each does its own small part. It finds out
// which by the numbers that it is given:
//
//   threadIdx.x   its place in its block: 0, 1 ... blockDim.x - 1
//   blockDim.x    how many threads a block has
//   blockIdx.x    which block it is in: 0, 1 ...
//
// Nothing is returned: a kernel writes to the arrays it gets. Fill in the blanks one after another
// and save; each has a check of its own.
#include <cuda_runtime.h>

// One block, and as many threads as `out` has elements: every thread writes `value` to its own.
extern "C" __global__ void fill(float *out, float value) {
  // BLANK: write `value` to the element whose index is this thread's place in its block
  out[threadIdx.x] = value;
  // STUB: (void)out;
  // STUB: (void)value;
  // END BLANK
}

// Several blocks, and again as many threads as elements: element i becomes i.
extern "C" __global__ void indices(unsigned *out) {
  // BLANK: what is this thread's number in the whole grid? The threads of the blocks before its own
  // BLANK: come first. Write that number to the element that has it
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  out[i] = i;
  // STUB: (void)out;
  // END BLANK
}

// n elements, and blocks that need not fit them: some threads of the last block may be too many.
extern "C" __global__ void guard(const float *in, float *out, unsigned n) {
  // BLANK: write 2 * in[i] to out[i], for the i of this thread, if there is such an element
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 2 * in[i];
  // STUB: (void)in;
  // STUB: (void)out;
  // STUB: (void)n;
  // END BLANK
}
