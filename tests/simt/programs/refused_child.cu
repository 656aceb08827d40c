// SPDX-License-Identifier: MIT
// nvcc: skip
// refused: reference to __global__ function 'child'
// refused: refused_child.cu:8: device code launches a kernel (dynamic parallelism): compile
//
// A kernel that launches a kernel needs -rdc=true, with both front ends.
__global__ void child(int *a) { a[threadIdx.x] = (int)threadIdx.x; }
__global__ void parent(int *a) { child<<<1, 32>>>(a); }
int main() {
  parent<<<1, 1>>>(nullptr);
  return 0;
}
