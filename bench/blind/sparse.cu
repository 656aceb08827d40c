// SPDX-License-Identifier: MIT
// sparse.cu - sparse matrices and steps of graph algorithms: rows of 0 to 16 elements, their
// columns anywhere. n is the number of elements (edges); there are n / 8 rows (nodes).
#include "blind.cuh"

static __global__ void spmv_thread(const uint32_t *rows, const uint32_t *cols, const float *v,
                                   const float *x, float *y, uint32_t n_rows) {
  uint32_t row = place();
  float sum = 0.0f;
  if (row >= n_rows) return;
  for (uint32_t k = rows[row]; k < rows[row + 1]; k++) sum += v[k] * x[cols[k] % n_rows];
  y[row] = sum;
}

// Eight lanes per row.
static __global__ void spmv_lanes(const uint32_t *rows, const uint32_t *cols, const float *v,
                                  const float *x, float *y, uint32_t n_rows) {
  uint32_t row = place() / 8, lane = threadIdx.x % 8;
  float sum = 0.0f;
  if (row < n_rows)
    for (uint32_t k = rows[row] + lane; k < rows[row + 1]; k += 8)
      sum += v[k] * x[cols[k] % n_rows];
  for (int d = 4; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d, 8);
  if (row < n_rows && lane == 0) y[row] = sum;
}

// Eight elements in every row, column by column.
static __global__ void spmv_ell(const uint32_t *cols, const float *v, const float *x, float *y,
                                uint32_t n_rows) {
  uint32_t row = place();
  float sum = 0.0f;
  if (row >= n_rows) return;
#pragma unroll
  for (uint32_t k = 0; k < 8; k++) sum += v[k * n_rows + row] * x[cols[k * n_rows + row] % n_rows];
  y[row] = sum;
}

static __global__ void spmv_atomic(const uint32_t *cols, const float *v, float *y, uint32_t n) {
  uint32_t k = place();
  if (k < n) atomicAdd(&y[cols[k]], v[k]);
}

static __global__ void frontier(const uint32_t *rows, const uint32_t *cols, const uint32_t *level,
                                uint32_t *next, uint32_t n_rows) {
  uint32_t node = place();
  if (node >= n_rows || level[node] % 4 != 0) return; // a quarter of the nodes
  for (uint32_t k = rows[node]; k < rows[node + 1]; k++) next[cols[k] % n_rows] = 1;
}

static __global__ void rank_push(const uint32_t *rows, const uint32_t *cols, const float *rank,
                                 float *next, uint32_t n_rows) {
  uint32_t node = place();
  if (node >= n_rows) return;
  uint32_t first = rows[node], end = rows[node + 1];
  float part = rank[node] / (float)(end - first + 1);
  for (uint32_t k = first; k < end; k++) atomicAdd(&next[cols[k] % n_rows], part);
}

static __global__ void least_label(const uint32_t *from, uint32_t *label, uint32_t n) {
  uint32_t k = place();
  if (k < n) atomicMin(&label[from[k]], k);
}

static __global__ void jump(const uint32_t *parent, uint32_t *next, uint32_t n) {
  uint32_t i = place();
  if (i < n) next[i] = parent[parent[parent[i]]];
}

// Every thread follows a chain of 32 links.
static __global__ void chase(const uint32_t *next, uint32_t *out, uint32_t n) {
  uint32_t i = place(), at = i;
  if (i >= n / 32) return;
  for (int k = 0; k < 32; k++) at = next[at];
  out[i] = at;
}

static __global__ void degree_bins(const uint32_t *rows, uint32_t *bins, uint32_t n_rows) {
  uint32_t node = place();
  if (node < n_rows) atomicAdd(&bins[(rows[node + 1] - rows[node]) % 32], 1u);
}

static uint32_t nodes(const Data &d) { return d.n / 8; }

static const Kernel list[] = {
    {"spmv_thread",
     "sparse",
     true,
     {16, 20, 23},
     [](const Data &d) {
       spmv_thread<<<blocks_for(nodes(d), 128), 128>>>(d.rows, d.index, d.a, d.b, d.c, nodes(d));
     }},
    {"spmv_lanes",
     "sparse",
     false,
     {16, 20, 23},
     [](const Data &d) {
       spmv_lanes<<<blocks_for(nodes(d), 32), 256>>>(d.rows, d.index, d.a, d.b, d.c, nodes(d));
     }},
    {"spmv_ell",
     "sparse",
     true,
     {16, 20, 24},
     [](const Data &d) {
       spmv_ell<<<blocks_for(nodes(d), 256), 256>>>(d.index, d.a, d.b, d.c, nodes(d));
     }},
    {"spmv_atomic",
     "sparse",
     false,
     {16, 20, 23},
     [](const Data &d) { spmv_atomic<<<blocks_for(d.n, 256), 256>>>(d.index, d.a, d.c, d.n); }},
    {"frontier",
     "graph",
     true,
     {16, 20, 23},
     [](const Data &d) {
       frontier<<<blocks_for(nodes(d), 256), 256>>>(d.rows, d.index, d.index, d.out, nodes(d));
     }},
    {"rank_push",
     "graph",
     false,
     {16, 20, 22},
     [](const Data &d) {
       rank_push<<<blocks_for(nodes(d), 256), 256>>>(d.rows, d.index, d.a, d.c, nodes(d));
     }},
    {"least_label",
     "graph",
     true,
     {16, 20, 23},
     [](const Data &d) { least_label<<<blocks_for(d.n, 512), 512>>>(d.index, d.out, d.n); }},
    {"jump",
     "graph",
     false,
     {14, 18, 22},
     [](const Data &d) { jump<<<blocks_for(d.n, 256), 256>>>(d.index, d.out, d.n); }},
    {"chase",
     "graph",
     true,
     {16, 20, 24},
     [](const Data &d) { chase<<<blocks_for(d.n / 32, 128), 128>>>(d.index, d.out, d.n); }},
    {"degree_bins",
     "graph",
     false,
     {18, 22},
     [](const Data &d) {
       degree_bins<<<blocks_for(nodes(d), 256), 256>>>(d.rows, d.out, nodes(d));
     }},
};

Kernels sparse_kernels() { GIVE(list); }
