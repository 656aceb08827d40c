// SPDX-License-Identifier: MIT
// Device code of another file is refused when it is compiled without -rdc=true, by name.
// nvcc: skip
// refused: device code uses 'table', which another file defines
// refused: compile with -rdc=true
extern __device__ int table;
__global__ void read(int *out) { *out = table; }
int main() { return 0; }
