// SPDX-License-Identifier: MIT
// nvcc: skip
// flags: -rdc=true
// refused: refused_child_types.cu:9: device code launches a kernel (dynamic parallelism) whose
// refused: name it with all its template arguments
//
// Which kernel of a template is launched follows from the types of the arguments as they stand.
template <class T> __global__ void child(const T *in, T *out) { *out = *in; }
__global__ void parent(int *in, int *out) { child<<<1, 1>>>(in, out); }
int main() {
  parent<<<1, 1>>>(nullptr, nullptr);
  return 0;
}
