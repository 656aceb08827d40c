// SPDX-License-Identifier: MIT
// Exercise 00: a maximum that many threads raise at the same time.
//
// The GPU has an atomicAdd for floats but no atomicMax. Build it from the operation that all
// others can be built from:
//
//   unsigned before = atomicCAS(unsigned *word, unsigned expected, unsigned desired);
//
// It reads *word, replaces it by `desired` if it was `expected`, and returns what it read: all in
// one step that no other thread can interrupt. If `before == expected`, your value is in. If not,
// another thread was faster, and `before` is the value to try again with. atomicCAS works on the
// bits: __float_as_uint(x) and __uint_as_float(u) change the type and leave the bits alone.
//
// What must hold after the launch of max_all:
//   - *result is the largest of in[0 .. n) and of what *result held before. The host puts
//     the identity of the maximum there first: -INFINITY, which no value is below.
//   - fmaxf's rule for NaN: a NaN never wins. -0 and +0 count as equal.
//   - A value that cannot raise the maximum costs no atomicCAS: look before you swap.
//   - There may be more threads than elements. n may be 0.
//
// `__device__` marks a function that kernels call. `extern "C"` keeps a kernel's name as it is
// written, so that the checks can find it.
#include <cuda_runtime.h>

// Raises *address to `value` if that is larger, whatever other threads do meanwhile.
__device__ void atomic_max_float(float *address, float value) {
  // BLANK: look at *address (volatile, as other threads change it); while `value` is larger than
  // BLANK: what you saw, try to swap it in with atomicCAS; stop when the swap was made, else go on
  // BLANK: with the value that atomicCAS saw
  unsigned *word = (unsigned *)address;
  unsigned seen = *(volatile unsigned *)word;
  while (value > __uint_as_float(seen)) { // false when value is a NaN
    unsigned before = atomicCAS(word, seen, __float_as_uint(value));
    if (before == seen) break;
    seen = before;
  }
  // STUB: (void)address;
  // STUB: (void)value;
  // END BLANK
}

extern "C" __global__ void max_all(const float *in, float *result, unsigned n) {
  // BLANK: one thread per element: offer in[i] to *result, if there is an element i
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomic_max_float(result, in[i]);
  // STUB: (void)in;
  // STUB: (void)result;
  // STUB: (void)n;
  // END BLANK
}
