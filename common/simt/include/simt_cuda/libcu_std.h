// SPDX-License-Identifier: MIT
// simt_cuda/libcu_std.h - what cuda::std has in every header here: small functions that the host's
// library has no constexpr version of in C++17.
#ifndef SIMT_CUDA_LIBCU_STD_H
#define SIMT_CUDA_LIBCU_STD_H

#include "libcu.h"

#if defined(__CUDA__) && defined(__clang__)
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <type_traits>
#include <utility>

namespace cuda {
namespace std {

using ::std::declval;
using ::std::forward;
using ::std::int16_t;
using ::std::int32_t;
using ::std::int64_t;
using ::std::int8_t;
using ::std::move;
using ::std::nullptr_t;
using ::std::ptrdiff_t;
using ::std::size_t;
using ::std::uint16_t;
using ::std::uint32_t;
using ::std::uint64_t;
using ::std::uint8_t;
using ::std::uintptr_t;

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
template <class T> __host__ __device__ constexpr T min(::std::initializer_list<T> list) {
  const T *least = list.begin();
  for (const T *x = least; x != list.end(); x++)
    if (*x < *least) least = x;
  return *least;
}
template <class T> __host__ __device__ constexpr T max(::std::initializer_list<T> list) {
  const T *greatest = list.begin();
  for (const T *x = greatest; x != list.end(); x++)
    if (*greatest < *x) greatest = x;
  return *greatest;
}
template <class T>
__host__ __device__ constexpr const T &clamp(const T &x, const T &low, const T &high) {
  return x < low ? low : high < x ? high : x;
}

} // namespace std
} // namespace cuda
#include "../cuda/std/type_traits" // which each of libcu++'s headers brings
#include "../cuda/std/utility"
#endif
#endif
