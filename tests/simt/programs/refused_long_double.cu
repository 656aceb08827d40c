// SPDX-License-Identifier: MIT
// nvcc: skip
// refused: refused_long_double.cu:10: device code sees mixed, which holds a long double
//
// A structure with a long double, of which device code reads another member: nvcc's device code
// does not find it where the host has put it.
struct mixed {
  int first;

  long double exact;
  int last;
};
__global__ void kernel(mixed *m, int *out) { *out = m->last; }
int main() { return 0; }
