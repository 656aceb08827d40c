// SPDX-License-Identifier: MIT
// Functions of any arguments in host and device code, which are declared and never called: how
// libraries of templates find out what a type has.
#include <cstdio>
#include <type_traits>

struct has {
  template <class T> static __host__ __device__ auto size(T *x) -> decltype(x->size(), true);
  static __host__ __device__ char size(...);
};
template <class T> __device__ constexpr bool has_size() {
  return std::is_same<decltype(has::size((T *)nullptr)), bool>::value;
}
struct vector {
  __device__ int size() const { return 3; }
};
struct point {
  int x;
};

__global__ void ask(int *out) { *out = has_size<vector>() * 10 + has_size<point>(); }

int main() {
  int *out;
  if (cudaMallocManaged(&out, sizeof *out)) return 1;
  ask<<<1, 1>>>(out);
  cudaDeviceSynchronize();
  printf("%d\n", *out);
  cudaFree(out);
  return 0;
}
