// SPDX-License-Identifier: MIT
// Device code of another file is refused when it is compiled, by name.
// nvcc: skip
// flags: -rdc=true
// refused: device code uses 'table', which another file defines
// refused: include the definition (a header will do)
extern __device__ int table;
__global__ void read(int *out) { *out = table; }
int main() { return 0; }
