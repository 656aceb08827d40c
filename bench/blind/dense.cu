// SPDX-License-Identifier: MIT
// dense.cu - dense linear algebra. Matrices have 2^(log2_n / 2) rows and columns, row by row.
#include "blind.cuh"

static __global__ void axpy(float s, const float *x, float *y, uint32_t n) {
  uint32_t i = place();
  if (i < n) y[i] = s * x[i] + y[i];
}

static __global__ void rotate(float *x, float *y, float c, float s, uint32_t n) {
  for (uint32_t i = place(); i < n; i += gridDim.x * blockDim.x) {
    float u = x[i], v = y[i];
    x[i] = c * u + s * v;
    y[i] = c * v - s * u;
  }
}

static __global__ void gemv_warp(const float *m, const float *x, float *y, uint32_t size) {
  uint32_t row = place() / 32, lane = threadIdx.x % 32;
  float sum = 0.0f;
  if (row >= size) return;
  for (uint32_t k = lane; k < size; k += 32) sum += m[row * size + k] * x[k];
  for (int d = 16; d > 0; d /= 2) sum += __shfl_down_sync(0xffffffffu, sum, d);
  if (lane == 0) y[row] = sum;
}

// A thread per row: neighbouring lanes are a row apart.
static __global__ void gemv_rows(const float *m, const float *x, float *y, uint32_t size) {
  uint32_t row = place();
  float sum = 0.0f;
  if (row >= size) return;
  for (uint32_t k = 0; k < size; k++) sum += m[row * size + k] * x[k];
  y[row] = sum;
}

static __global__ void gemm_naive(const float *a, const float *b, float *c, uint32_t size) {
  uint32_t col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
  float sum = 0.0f;
  for (uint32_t k = 0; k < size; k++) sum += a[row * size + k] * b[k * size + col];
  c[row * size + col] = sum;
}

static __global__ void gemm_tiled(const float *a, const float *b, float *c, uint32_t size) {
  __shared__ float s[16][16], t[16][16];
  uint32_t x = threadIdx.x, y = threadIdx.y;
  uint32_t col = blockIdx.x * 16 + x, row = blockIdx.y * 16 + y;
  float sum = 0.0f;
  for (uint32_t k = 0; k < size; k += 16) {
    s[y][x] = a[row * size + k + x];
    t[y][x] = b[(k + y) * size + col];
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < 16; i++) sum += s[y][i] * t[i][x];
    __syncthreads();
  }
  c[row * size + col] = sum;
}

// Tiles of 64 x 64, four by four results per thread.
static __global__ void gemm_registers(const float *a, const float *b, float *c, uint32_t size) {
  __shared__ float s[16][64], t[16][64];
  uint32_t x = threadIdx.x % 16, y = threadIdx.x / 16;
  const float *left = a + blockIdx.y * 64 * size, *right = b + blockIdx.x * 64;
  float sum[4][4] = {};
  for (uint32_t k = 0; k < size; k += 16) {
    for (uint32_t i = threadIdx.x; i < 1024; i += 256) {
      s[i % 16][i / 16] = left[i / 16 * size + k + i % 16];
      t[i / 64][i % 64] = right[(k + i / 64) * size + i % 64];
    }
    __syncthreads();
#pragma unroll
    for (uint32_t i = 0; i < 16; i++) {
#pragma unroll
      for (uint32_t p = 0; p < 4; p++) {
#pragma unroll
        for (uint32_t q = 0; q < 4; q++) sum[p][q] += s[i][y * 4 + p] * t[i][x + 16 * q];
      }
    }
    __syncthreads();
  }
  for (uint32_t p = 0; p < 4; p++)
    for (uint32_t q = 0; q < 4; q++)
      c[(blockIdx.y * 64 + y * 4 + p) * size + blockIdx.x * 64 + x + 16 * q] = sum[p][q];
}

static __global__ void transpose_naive(const float *a, float *c, uint32_t size) {
  uint32_t x = blockIdx.x * 32 + threadIdx.x;
  for (uint32_t y = blockIdx.y * 32 + threadIdx.y; y < blockIdx.y * 32 + 32; y += 8)
    c[x * size + y] = a[y * size + x];
}

static __global__ void transpose_tiled(const float *a, float *c, uint32_t size) {
  __shared__ float s[32][33];
  uint32_t x = blockIdx.x * 32, y = blockIdx.y * 32;
  for (uint32_t i = threadIdx.y; i < 32; i += 8)
    s[i][threadIdx.x] = a[(y + i) * size + x + threadIdx.x];
  __syncthreads();
  for (uint32_t i = threadIdx.y; i < 32; i += 8)
    c[(x + i) * size + y + threadIdx.x] = s[threadIdx.x][i];
}

static __global__ void rank_one(float *m, const float *x, const float *y, uint32_t size) {
  uint32_t col = blockIdx.x * 64 + threadIdx.x, row = blockIdx.y * 4 + threadIdx.y;
  m[row * size + col] += x[row] * y[col];
}

// Elimination on a 4 x 4 matrix per thread.
static __global__ void eliminate(const float *a, float *c, uint32_t n) {
  uint32_t i = place();
  float m[4][4];
  if (i >= n / 16) return;
  for (int r = 0; r < 4; r++)
    for (int k = 0; k < 4; k++) m[r][k] = a[(r * 4 + k) * (n / 16) + i] + (r == k ? 4.0f : 0.0f);
#pragma unroll
  for (int p = 0; p < 3; p++) {
#pragma unroll
    for (int r = p + 1; r < 4; r++) {
      float f = m[r][p] / m[p][p];
#pragma unroll
      for (int k = p; k < 4; k++) m[r][k] -= f * m[p][k];
    }
  }
  c[i] = m[0][0] * m[1][1] * m[2][2] * m[3][3];
}

static __global__ void column_sums(const float *m, float *y, uint32_t size) {
  uint32_t col = place();
  float sum = 0.0f;
  if (col >= size) return;
  for (uint32_t row = 0; row < size; row++) sum += m[row * size + col];
  y[col] = sum;
}

static __device__ float block_total(float v, float *s) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0.0f;
  for (uint32_t i = 0; i < blockDim.x / 32; i++) v += s[i];
  __syncthreads();
  return v;
}

// A block per row, three passes over it.
static __global__ void softmax(const float *m, float *c, uint32_t size) {
  __shared__ float s[32];
  const float *row = m + blockIdx.x * size;
  float most = 0.0f, sum = 0.0f;
  for (uint32_t k = threadIdx.x; k < size; k += blockDim.x) most = fmaxf(most, row[k]);
  most = block_total(most, s) / (float)blockDim.x;
  for (uint32_t k = threadIdx.x; k < size; k += blockDim.x) sum += __expf(row[k] - most);
  sum = block_total(sum, s);
  for (uint32_t k = threadIdx.x; k < size; k += blockDim.x)
    c[blockIdx.x * size + k] = __expf(row[k] - most) / sum;
}

static uint32_t side(const Data &d) { return 1u << d.log2_n / 2; }
static dim3 tiles(const Data &d, uint32_t x, uint32_t y) { return dim3(side(d) / x, side(d) / y); }

static const Kernel list[] = {
    {"axpy",
     "dense",
     false,
     {14, 18, 22, 26},
     [](const Data &d) { axpy<<<blocks_for(d.n, 256), 256>>>(2.0f, d.a, d.c, d.n); }},
    {"rotate",
     "dense",
     true,
     {16, 20, 24},
     [](const Data &d) { rotate<<<264, 512>>>(d.b, d.c, 0.8f, 0.6f, d.n); }},
    {"gemv_warp",
     "dense",
     false,
     {16, 20, 24},
     [](const Data &d) { gemv_warp<<<blocks_for(side(d), 8), 256>>>(d.a, d.b, d.c, side(d)); }},
    {"gemv_rows",
     "dense",
     true,
     {16, 20, 22},
     [](const Data &d) { gemv_rows<<<blocks_for(side(d), 128), 128>>>(d.a, d.b, d.c, side(d)); }},
    {"gemm_naive",
     "dense",
     true,
     {14, 16, 18},
     [](const Data &d) { gemm_naive<<<tiles(d, 16, 16), dim3(16, 16)>>>(d.a, d.b, d.c, side(d)); }},
    {"gemm_tiled",
     "dense",
     false,
     {14, 16, 18},
     [](const Data &d) { gemm_tiled<<<tiles(d, 16, 16), dim3(16, 16)>>>(d.a, d.b, d.c, side(d)); }},
    {"gemm_registers",
     "dense",
     true,
     {16, 18, 20},
     [](const Data &d) { gemm_registers<<<tiles(d, 64, 64), 256>>>(d.a, d.b, d.c, side(d)); }},
    {"transpose_naive",
     "dense",
     false,
     {16, 20, 24},
     [](const Data &d) { transpose_naive<<<tiles(d, 32, 32), dim3(32, 8)>>>(d.a, d.c, side(d)); }},
    {"transpose_tiled",
     "dense",
     true,
     {16, 20, 24},
     [](const Data &d) { transpose_tiled<<<tiles(d, 32, 32), dim3(32, 8)>>>(d.a, d.c, side(d)); }},
    {"rank_one",
     "dense",
     false,
     {16, 20, 24},
     [](const Data &d) { rank_one<<<tiles(d, 64, 4), dim3(64, 4)>>>(d.c, d.a, d.b, side(d)); }},
    {"eliminate",
     "dense",
     true,
     {16, 20, 24},
     [](const Data &d) { eliminate<<<blocks_for(d.n / 16, 128), 128>>>(d.a, d.c, d.n); }},
    {"column_sums",
     "dense",
     false,
     {16, 20, 24},
     [](const Data &d) { column_sums<<<blocks_for(side(d), 64), 64>>>(d.a, d.c, side(d)); }},
    {"softmax",
     "dense",
     true,
     {16, 20, 24},
     [](const Data &d) { softmax<<<side(d), 256>>>(d.a, d.c, side(d)); }},
};

Kernels dense_kernels() { GIVE(list); }
