// SPDX-License-Identifier: MIT
// nvcc: skip
// refused: reference to __global__ function 'child'
// refused: refused_child.cu:9: device code launches a kernel (dynamic parallelism)
// refused: build the program with simt-nvcc -rdc=true
//
// A kernel that launches a kernel is refused when clang compiles it; nvcc's front end takes it.
__global__ void child(int *a) { a[threadIdx.x] = (int)threadIdx.x; }
__global__ void parent(int *a) { child<<<1, 32>>>(a); }
int main() {
  parent<<<1, 1>>>(nullptr);
  return 0;
}
