// SPDX-License-Identifier: MIT
// nvcc: skip
// refused: device code computes with long double
//
// nvcc takes a long double in device code for a double; the host's has other bits.
__global__ void kernel(long double *x) { *x *= 2; }
int main() { return 0; }
