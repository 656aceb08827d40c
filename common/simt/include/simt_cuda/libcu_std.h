// SPDX-License-Identifier: MIT
// simt_cuda/libcu_std.h - what cuda::std has in every header here: small functions that the host's
// library has no constexpr version of in C++17.
#ifndef SIMT_CUDA_LIBCU_STD_H
#define SIMT_CUDA_LIBCU_STD_H

#include "libcu.h"

#if defined(__CUDA__) && defined(__clang__)
#include <type_traits>
#include <utility>

namespace cuda {
namespace std {

template <class T> __host__ __device__ constexpr void swap(T &a, T &b) {
  T t = ::std::move(a);
  a = ::std::move(b);
  b = ::std::move(t);
}
template <class T> __host__ __device__ constexpr const T &min(const T &a, const T &b) {
  return b < a ? b : a;
}
template <class T> __host__ __device__ constexpr const T &max(const T &a, const T &b) {
  return a < b ? b : a;
}
template <class T>
__host__ __device__ constexpr const T &clamp(const T &x, const T &low, const T &high) {
  return x < low ? low : high < x ? high : x;
}

} // namespace std
} // namespace cuda
#endif
#endif
