// SPDX-License-Identifier: MIT
// nvcc: skip
// refused: reference to __global__ function 'child'
// refused: dynamic parallelism is not modelled; launch it from the host
//
// A kernel that launches a kernel is refused when it is compiled.
__global__ void child(int *a) { a[threadIdx.x] = (int)threadIdx.x; }
__global__ void parent(int *a) { child<<<1, 32>>>(a); }
int main() {
  parent<<<1, 1>>>(nullptr);
  return 0;
}
