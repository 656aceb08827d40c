// SPDX-License-Identifier: MIT
// The tile of a block, in the registers of its threads.
//
// A tile has ROWS rows for each warp, one after the other; a row is 128 elements, four consecutive
// ones for each lane. Neighbouring lanes load neighbouring sixteen bytes, so that no exchange
// through shared memory is needed as in lesson 09: each row is scanned by shuffles where it is.
#ifndef SINGLE_PASS_SCAN_TILE_CUH
#define SINGLE_PASS_SCAN_TILE_CUH

#include "warp.h" // WARP_SIZE, FULL_MASK

enum { ROW = 128 }; // elements
template <typename T> struct four { T x[4]; };

static __device__ four<float> unpack(float4 v) { return {{v.x, v.y, v.z, v.w}}; }
static __device__ four<int> unpack(int4 v) { return {{v.x, v.y, v.z, v.w}}; }
static __device__ float4 pack(four<float> f) { return make_float4(f.x[0], f.x[1], f.x[2], f.x[3]); }
static __device__ int4 pack(four<int> f) { return make_int4(f.x[0], f.x[1], f.x[2], f.x[3]); }
static __device__ const float4 *by_four(const float *p) { return (const float4 *)p; }
static __device__ const int4 *by_four(const int *p) { return (const int4 *)p; }
static __device__ float4 *by_four(float *p) { return (float4 *)p; }
static __device__ int4 *by_four(int *p) { return (int4 *)p; }

static __host__ __device__ unsigned tile_elements(unsigned rows, unsigned threads) {
  return rows * 4 * threads;
}
static __host__ __device__ unsigned tiles_of(unsigned n, unsigned rows, unsigned threads) {
  const unsigned tile = tile_elements(rows, threads), tiles = n / tile + (n % tile != 0);
  return tiles > 0 ? tiles : 1; // an empty one for n = 0
}
// The first element of this thread.
static __device__ unsigned first_element(unsigned tile, unsigned rows) {
  const unsigned lane = threadIdx.x % WARP_SIZE, warp = threadIdx.x / WARP_SIZE;
  return tile * tile_elements(rows, blockDim.x) + warp * rows * ROW + 4 * lane;
}
// Whether this tile can be accessed by sixteen bytes: it lies inside the array, and the array
// begins at a multiple of sixteen.
static __device__ bool by_sixteen(const void *array, unsigned tile, unsigned rows, unsigned n) {
  return (tile + 1) * tile_elements(rows, blockDim.x) <= n && (size_t)array % 16 == 0;
}

//! [load]
template <int ROWS, typename T>
static __device__ void load_tile(four<T> (&row)[ROWS], const T *in, unsigned tile, unsigned n,
                                 bool vectors) {
  const unsigned first = first_element(tile, ROWS);
  if (vectors && by_sixteen(in, tile, ROWS, n)) {
#pragma unroll
    for (int r = 0; r < ROWS; r++) row[r] = unpack(*by_four(in + first + r * ROW));
    return;
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++)
#pragma unroll
    for (unsigned k = 0, i = first + r * ROW; k < 4; k++)
      row[r].x[k] = i + k < n ? in[i + k] : T(0);
}
//! [load]

template <typename T> static __device__ four<T> plus(four<T> row, T before) {
#pragma unroll
  for (unsigned k = 0; k < 4; k++) row.x[k] += before;
  return row;
}
// Stores the tile with `before` added. Row r of this thread is row[r * stride].
template <int ROWS, typename T>
static __device__ void store_tile(const four<T> *row, unsigned stride, T before, T *out,
                                  unsigned tile, unsigned n, bool vectors) {
  const unsigned first = first_element(tile, ROWS);
  if (vectors && by_sixteen(out, tile, ROWS, n)) {
#pragma unroll
    for (int r = 0; r < ROWS; r++)
      *by_four(out + first + r * ROW) = pack(plus(row[r * stride], before));
    return;
  }
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const four<T> sums = plus(row[r * stride], before);
#pragma unroll
    for (unsigned k = 0, i = first + r * ROW; k < 4; k++)
      if (i + k < n) out[i + k] = sums.x[k];
  }
}

// Lesson 09's, unchanged.
template <typename T> static __device__ T scan_of_warp(T x) {
  for (unsigned d = 1; d < WARP_SIZE; d *= 2) {
    const T left = __shfl_up_sync(FULL_MASK, x, d);
    if (threadIdx.x % WARP_SIZE >= d) x += left;
  }
  return x;
}

//! [scan_rows]
// Scans what the warp holds; returns its sum, to all lanes.
template <int ROWS, typename T> static __device__ T scan_rows(four<T> (&row)[ROWS]) {
  T sum = 0; // of the rows before
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
#pragma unroll
    for (unsigned k = 1; k < 4; k++) row[r].x[k] += row[r].x[k - 1];
    const T up_to_me = scan_of_warp(row[r].x[3]);
    const T left = __shfl_up_sync(FULL_MASK, up_to_me, 1);
    const T before = sum + (threadIdx.x % WARP_SIZE > 0 ? left : T(0));
#pragma unroll
    for (unsigned k = 0; k < 4; k++) row[r].x[k] += before;
    sum += __shfl_sync(FULL_MASK, up_to_me, 31);
  }
  return sum;
}
//! [scan_rows]

// What the first warp knows of a tile: its sum; and of the sums before warp number `lane` in it.
template <typename T> struct share { T sum, before; };

template <typename T> static __device__ share<T> share_of(const T *warp_sums) {
  const unsigned lane = threadIdx.x % WARP_SIZE;
  const T up_to_me = scan_of_warp(lane < blockDim.x / WARP_SIZE ? warp_sums[lane] : T(0));
  const T left = __shfl_up_sync(FULL_MASK, up_to_me, 1);
  return {__shfl_sync(FULL_MASK, up_to_me, 31), lane > 0 ? left : T(0)};
}

#endif
