// SPDX-License-Identifier: MIT
// Lane 0 does the whole row.
#include <cuda_runtime.h>
#include <math.h>

extern "C" __global__ void __launch_bounds__(512)
    softmax_rows(const float *in, float *out, unsigned n_rows, unsigned n_columns) {
  const unsigned row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
  if (row >= n_rows || threadIdx.x % 32) return;
  const float *x = in + (size_t)row * n_columns;
  float *y = out + (size_t)row * n_columns, high = -INFINITY, sum = 0;
  for (unsigned c = 0; c < n_columns; c++) {
    float next = fmaxf(high, x[c]);
    if (next == -INFINITY) continue;
    sum = sum * expf(high - next) + expf(x[c] - next);
    high = next;
  }
  for (unsigned c = 0; c < n_columns; c++) y[c] = expf(x[c] - high) / sum;
}
