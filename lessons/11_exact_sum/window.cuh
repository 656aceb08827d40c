// SPDX-License-Identifier: MIT
// window.cuh - most data never needs the columns: a thread adds several elements to one double, and
// checks after each that not a bit was lost.
#ifndef EXACT_SUM_WINDOW_CUH
#define EXACT_SUM_WINDOW_CUH

#include "columns.cuh"

//! [window]
// 1.5 * 2^(exponent of `largest` + 7): while no more than 32 numbers up to `largest` are added to
// it, the sum stays between 2^(…) and its double, where all doubles are equally far apart.
static __device__ double window_for(float largest) {
  const unsigned field = __float_as_uint(largest) >> 23;
  return __hiloint2double((int)((field + 1023 - 127 + 7) << 20 | 1u << 19), 0);
}

// A sum of numbers up to `largest`: up to 50 bits, cut at the borders of the groups.
static __device__ void add_window_sum(double sum, float largest) {
  const unsigned group = __float_as_uint(largest) >> 27;
  double *counter = &((double *)counters_of_block)[group * blockDim.x + threadIdx.x];
  // 1.5 * 2^52 units of the group; to add and subtract it rounds to a multiple of the unit.
  double border = __hiloint2double((int)((GROUP * group + 1023 + 52 - 150) << 20 | 1u << 19), 0);
  for (;;) {
    const double part = (sum + border) - border;
    *counter += part;
    sum -= part;
    if (sum == 0.0) return;
    counter -= blockDim.x;
    border *= 0x1p-16;
  }
}

// x[COUNT] at once; false: some bit of some element lies below the window, or there is an infinity
// or a NaN, and nothing was added.
template <unsigned COUNT> static __device__ bool add_in_window(const float *x) {
  float largest = 0.0f;
#pragma unroll
  for (unsigned k = 0; k < COUNT; k++) largest = fmaxf(largest, fabsf(x[k]));
  const double window = window_for(largest);
  double total = window;
  bool lost = !(largest > 0.0f && largest < INFINITY); // zeros: their sign would be lost
#pragma unroll
  for (unsigned k = 0; k < COUNT; k++) {
    const double next = total + (double)x[k];
    lost |= next - total != (double)x[k]; // exact: both are multiples of the same power of two
    total = next;
  }
  if (lost) return false;
  add_window_sum(total - window, largest);
  return true;
}
//! [window]

//! [walk]
// The share of one block in in[n]: VECTORS loads of 16 bytes under way in each thread.
template <unsigned VECTORS, bool WINDOW>
static __device__ void add_share(const float *in, size_t n, exact_state<float> *state) {
  const float4 nothing = {-0.0f, -0.0f, -0.0f, -0.0f}; // adds nothing to anything, -0 included
  const size_t rank = blockIdx.x * (size_t)blockDim.x + threadIdx.x, step = gridDim.x;
  const size_t ahead = -(size_t)in / sizeof(float) % 4, head = ahead < n ? ahead : n; // to align
  const size_t n_vectors = (n - head) / 4, tail = head + 4 * n_vectors;
  const size_t tile = VECTORS * blockDim.x, n_tiles = (n_vectors + tile - 1) / tile;
  const float4 *vectors = (const float4 *)(in + head);
  clear_columns<double_columns>();
  if (rank < head) double_columns::add(in[rank]);
  if (tail + rank < n) double_columns::add(in[tail + rank]);
  size_t t = blockIdx.x, end = 0;
  do {
    end = n_tiles - end < step * (MOST_ADDED / 4 / VECTORS)
              ? n_tiles
              : end + step * (MOST_ADDED / 4 / VECTORS);
    for (; t < end; t += step) {
      float4 v[VECTORS];
      const size_t first = t * tile + threadIdx.x;
#pragma unroll
      for (unsigned k = 0; k < VECTORS; k++)
        v[k] = first + k * blockDim.x < n_vectors ? vectors[first + k * blockDim.x] : nothing;
      if (!WINDOW || !add_in_window<4 * VECTORS>((const float *)v)) {
#pragma unroll
        for (unsigned k = 0; k < 4 * VECTORS; k++) double_columns::add(((const float *)v)[k]);
      }
    }
    fold<double_columns>(state, 0, end < n_tiles);
  } while (end < n_tiles);
}
//! [walk]

#endif
