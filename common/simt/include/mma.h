// SPDX-License-Identifier: MIT
// mma.h - matrix instructions, which the software GPU does not have: a program may include it, and
// is refused where it uses them.
#pragma once
#include "cuda_bf16.h"
#include "cuda_fp16.h"
#include "cuda_runtime.h"

#if defined(__cplusplus) && defined(__CUDACC__)
namespace nvcuda {
namespace wmma {
struct row_major;
struct col_major;
struct matrix_a;
struct matrix_b;
struct accumulator;
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32;
}
namespace experimental {
namespace precision {
struct u4;
struct s4;
struct b1;
} // namespace precision
enum bmmaBitOp { bmmaBitOpXOR = 1, bmmaBitOpAND = 2 };
enum bmmaAccumulateOp { bmmaAccumulateOpPOPC = 1 };
} // namespace experimental

template <typename Use, int m, int n, int k, typename T, typename Layout = void> struct fragment {
  static_assert(m < 0, "mma.h: no matrix (tensor core) instructions on the software GPU; use "
                       "ordinary arithmetic");
  enum { num_elements = 1 };
  float x[num_elements];
};
template <typename... Arguments> __device__ void fill_fragment(Arguments &&...);
template <typename... Arguments> __device__ void load_matrix_sync(Arguments &&...);
template <typename... Arguments> __device__ void store_matrix_sync(Arguments &&...);
template <typename... Arguments> __device__ void mma_sync(Arguments &&...);
template <typename... Arguments> __device__ void bmma_sync(Arguments &&...);
template <typename T> __device__ float __float_to_tf32(T);
} // namespace wmma
} // namespace nvcuda
#endif
