// SPDX-License-Identifier: MIT
// What nvcc and gcc let pass with a warning, and clang refuses of itself: values that lists narrow,
// `register`, a text with a macro at its quotation mark, `template` without arguments; macros that
// are directives, in a file that also has a launch in two parts, and in host code alone; a launch
// in two parts in a header; a constant of a class that is a float; a function of CUDA's headers
// declared again; OpenMP's header without OpenMP.
#include <omp.h>
#include <cinttypes>
#include <cstdio>

#include "mild_errors.h"

#define LITTLE #pragma unroll 2
#ifdef __CUDA_ARCH__
#define MUCH
#else
#define MUCH #pragma unroll 4
#endif

int32_t min(int32_t a, int32_t b);

template <typename T> struct Sum {
  static const T none = static_cast<T>(0.25);
  __device__ T operator()(T a, T b) const { return a + b + none; }
};

struct Size {
  unsigned width, height;
};

template <typename T> struct Holder {
  template <typename U> __host__ __device__ U give(U u) { return u; }
};

template <typename T> __host__ __device__ int given(Holder<T> holder) {
  return holder.template give(3);
}

__global__ void kernel(int n, int *out) {
  unsigned sizes[2] = {n, n * 2};
  register int sum = total(sizes, 2);
  // clang-format off
  LITTLE
  for (int i = 0; i < n; i++) sum += i - 1;
  // clang-format on
  out[threadIdx.x] = sum + given(Holder<int>()) + (Sum<float>()(0.5f, 0.25f) < 1);
}

int main(int argc, char **) {
  size_t n = argc;
  Size size = {argc, argc * 2};
  dim3 block{argc * 4, 1, 1};
  float middle[] = {n / 2.0, 1};
  int *device, host[4];
  cudaMalloc(&device, sizeof host);
  // clang-format off
  kernel << <1, block>> >(2, device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  MUCH
  for (int i = 0; i < 4; i++) n += host[i] - host[3];
  printf("%"PRIu64" %d %u %g\n", (uint64_t)n, host[3], size.height, middle[0]);
  // clang-format on
  launch_split(&n);
  const omp_lock_t *const lock = nullptr;
  printf("%d %d\n", min((int32_t)n, 7), lock == nullptr);
  return 0;
}
