// SPDX-License-Identifier: MIT
// A macro that is a directive, and a launch in two parts.
#pragma once

#ifdef __CUDA_ARCH__
#define UNROLL #pragma unroll
#else
#define UNROLL
#endif

template <typename T> __host__ __device__ T total(const T *values, int n) {
  T sum = 0;
  // clang-format off
  UNROLL
  for (int i = 0; i < n; i++) sum += values[i];
  // clang-format on
  return sum;
}

__global__ void nothing() {}
inline void launch_split(const void *) {
  // clang-format off
  nothing
    << <1, 1 >> > ();
  // clang-format on
}
