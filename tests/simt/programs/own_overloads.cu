// SPDX-License-Identifier: MIT
// Names of CUDA's that a program gives to functions of its own: atomics of types that CUDA has none
// for, as an overload, as a template and in a namespace; and complex numbers that another header
// has brought already.
#define CU_COMPLEX_H_ // so does the toolkit's header of complex numbers, which comes with its
                      // libraries
typedef float2 cuFloatComplex;
static __host__ __device__ cuFloatComplex make_cuFloatComplex(float x, float y) {
  return make_float2(x, y);
}
#include <cuComplex.h>

#include <cstdio>

__device__ double atomicMax(double *address, double value) {
  unsigned long long *word = (unsigned long long *)address, seen = *word;
  while (value > __longlong_as_double(seen)) {
    const unsigned long long old = seen;
    seen = atomicCAS(word, old, __double_as_longlong(value));
    if (seen == old) break;
  }
  return __longlong_as_double(seen);
}
template <class T> __device__ T atomicMin(T *address, T value) {
  unsigned *word = (unsigned *)address, seen = *word;
  while (value < __uint_as_float(seen)) {
    const unsigned old = seen;
    seen = atomicCAS(word, old, __float_as_uint(value));
    if (seen == old) break;
  }
  return __uint_as_float(seen);
}
namespace mine {
__device__ float atomicMax(float *address, float value) {
  return __int_as_float(::atomicMax((int *)address, __float_as_int(value))); // not negative
}
} // namespace mine

struct extremes {
  double most;
  float least, most_positive;
  int most_int;
};
__global__ void find(extremes *e) {
  const int i = (int)threadIdx.x;
  atomicMax(&e->most, 0.25 * (i * 7 % 50));
  atomicMax(&e->most, i % 5); // an int, converted
  atomicMin(&e->least, 3.5f - (float)(i * 5 % 40));
  mine::atomicMax(&e->most_positive, (float)(i * 3 % 29) + 0.5f);
  atomicMax(&e->most_int, i * 11 % 53);
}

int main() {
  extremes *e;
  if (cudaMallocManaged(&e, sizeof *e)) return 1;
  *e = {-1, 1, 0, 0};
  find<<<1, 64>>>(e);
  cudaDeviceSynchronize();
  printf("%g %g %g %d %g\n", e->most, e->least, e->most_positive, e->most_int,
         make_cuFloatComplex(1, 2).y);
  cudaFree(e);
  return 0;
}
