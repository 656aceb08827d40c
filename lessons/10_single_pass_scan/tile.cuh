// SPDX-License-Identifier: MIT
// The tile of a block: fetched, scanned and stored from registers, without shared memory but for
// one number a warp.
//
// A tile has ROWS rows for each warp, one after the other; a row is 128 elements, four in a row for
// each lane. Neighbouring lanes fetch neighbouring sixteen bytes, so nothing need be fetched
// crosswise as in lesson 09: each row is scanned by shuffles as it lies.
#ifndef SINGLE_PASS_SCAN_TILE_CUH
#define SINGLE_PASS_SCAN_TILE_CUH

template <typename T> struct alignas(16) four { T x[4]; };

enum { ROW = 128 }; // elements
static __host__ __device__ unsigned tile_elements(unsigned rows, unsigned threads) {
  return rows * 4 * threads;
}
// The first element of this thread.
static __device__ unsigned first_element(unsigned tile, unsigned rows) {
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  return tile * tile_elements(rows, blockDim.x) + warp * rows * ROW + 4 * lane;
}
static __device__ bool is_whole(unsigned tile, unsigned rows, unsigned n) {
  return (tile + 1) * tile_elements(rows, blockDim.x) <= n;
}
static __device__ bool by_sixteen(const void *array) { return (size_t)array % 16 == 0; }

//! [load]
// By the sixteen bytes where `vectors` says so; else one by one, 0 behind the end.
template <int ROWS, typename T>
static __device__ void load_tile(four<T> (&x)[ROWS], const T *in, unsigned tile, unsigned n,
                                 bool vectors) {
  const unsigned first = first_element(tile, ROWS);
  if (vectors && is_whole(tile, ROWS, n) && by_sixteen(in)) {
#pragma unroll
    for (int r = 0; r < ROWS; r++) x[r] = *(const four<T> *)(in + first + r * ROW);
    return;
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++)
#pragma unroll
    for (unsigned k = 0, i = first + r * ROW; k < 4; k++) x[r].x[k] = i + k < n ? in[i + k] : T(0);
}
//! [load]

// Adds `before` to everything on the way.
template <int ROWS, typename T>
static __device__ void store_tile(four<T> (&x)[ROWS], T before, T *out, unsigned tile, unsigned n,
                                  bool vectors) {
  const unsigned first = first_element(tile, ROWS);
#pragma unroll
  for (int r = 0; r < ROWS; r++)
#pragma unroll
    for (unsigned k = 0; k < 4; k++) x[r].x[k] += before;
  if (vectors && is_whole(tile, ROWS, n) && by_sixteen(out)) {
#pragma unroll
    for (int r = 0; r < ROWS; r++) *(four<T> *)(out + first + r * ROW) = x[r];
    return;
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++)
#pragma unroll
    for (unsigned k = 0, i = first + r * ROW; k < 4; k++)
      if (i + k < n) out[i + k] = x[r].x[k];
}

// Lesson 09's.
template <typename T> static __device__ T scan_of_warp(T x) {
  for (unsigned d = 1; d < 32; d *= 2) {
    const T left = __shfl_up_sync(0xffffffffu, x, d);
    if (threadIdx.x % 32 >= d) x += left;
  }
  return x;
}

//! [scan_rows]
// Scans what the warp holds; returns its sum, to all lanes.
template <int ROWS, typename T> static __device__ T scan_rows(four<T> (&x)[ROWS]) {
  T sum = 0; // of the rows before
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    for (unsigned k = 1; k < 4; k++) x[r].x[k] += x[r].x[k - 1];
    const T up_to_me = scan_of_warp(x[r].x[3]), left = __shfl_up_sync(0xffffffffu, up_to_me, 1);
    const T before = sum + (threadIdx.x % 32 > 0 ? left : T(0));
    for (unsigned k = 0; k < 4; k++) x[r].x[k] += before;
    sum += __shfl_sync(0xffffffffu, up_to_me, 31);
  }
  return sum;
}
//! [scan_rows]

#endif
