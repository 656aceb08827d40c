// SPDX-License-Identifier: MIT
// learning.cu - second set: steps of machine learning, and systems of equations.
#include "blind.cuh"

#include <algorithm>
#include <cmath>
#include <cuda_fp16.h>

static __device__ float warp_total(float v) {
  for (int d = 16; d > 0; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
  return v;
}

// Rows of 256 elements to mean 0 and variance 1, a warp per row, eight elements per lane.
static __global__ void layer_norm(const float4 *x, float4 *y, uint32_t rows) {
  uint32_t row = place() / 32, lane = threadIdx.x % 32;
  if (row >= rows) return;
  float4 u = x[row * 64 + lane], v = x[row * 64 + 32 + lane];
  float mean = warp_total(u.x + u.y + u.z + u.w + v.x + v.y + v.z + v.w) / 256.0f;
  float4 p = make_float4(u.x - mean, u.y - mean, u.z - mean, u.w - mean);
  float4 q = make_float4(v.x - mean, v.y - mean, v.z - mean, v.w - mean);
  float sum = p.x * p.x + p.y * p.y + p.z * p.z + p.w * p.w;
  sum += q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  float scale = rsqrtf(warp_total(sum) / 256.0f + 1e-5f);
  y[row * 64 + lane] = make_float4(p.x * scale, p.y * scale, p.z * scale, p.w * scale);
  y[row * 64 + 32 + lane] = make_float4(q.x * scale, q.y * scale, q.z * scale, q.w * scale);
}

static double expect_layer_norm(const Host &h, uint32_t at) {
  const float *row = &h.a[at & ~255u];
  double sum = 0, squares = 0;
  for (int k = 0; k < 256; k++) sum += row[k];
  for (int k = 0; k < 256; k++) squares += (row[k] - sum / 256) * (row[k] - sum / 256);
  return (h.a[at] - sum / 256) / sqrt(squares / 256 + 1e-5);
}

// Rows of 64 elements of a table, fetched by number; 16 threads of four elements per row.
static __global__ void embedding(const uint32_t *index, const float4 *table, float4 *y,
                                 uint32_t rows) {
  uint32_t row = blockIdx.x * 16 + threadIdx.y;
  y[row * 16 + threadIdx.x] = table[index[row] % rows * 16 + threadIdx.x];
}

static double expect_embedding(const Host &h, uint32_t at) {
  return h.a[h.index[at / 64] % (h.n / 64) * 64 + at % 64];
}

// Squared distances between all of `size` points of 16 dimensions, tiles of 16 x 16.
static __global__ void distances(const float *p, float *y, uint32_t size) {
  __shared__ float s[16][16], t[16][17];
  uint32_t i = threadIdx.x, k = threadIdx.y;
  s[k][i] = p[(blockIdx.y * 16 + k) * 16 + i];
  t[k][i] = p[(blockIdx.x * 16 + k) * 16 + i];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (uint32_t q = 0; q < 16; q++) {
    float d = s[k][q] - t[i][q];
    sum += d * d;
  }
  y[(blockIdx.y * 16 + k) * size + blockIdx.x * 16 + i] = sum;
}

static double expect_distances(const Host &h, uint32_t at) {
  uint32_t size = 1u << h.log2_n / 2, i = at / size, k = at % size;
  double sum = 0;
  for (uint32_t q = 0; q < 16; q++)
    sum += pow((double)h.a[i * 16 + q] - (double)h.a[k * 16 + q], 2);
  return sum;
}

// The nearest of 32 centres for points of four dimensions; every thread reads every centre.
static __global__ void nearest(const float4 *points, const float4 *centres, uint32_t *out,
                               uint32_t n) {
  uint32_t i = place(), best = 0;
  float least = 1e30f;
  if (i >= n) return;
  float4 p = points[i];
  for (uint32_t k = 0; k < 32; k++) {
    float4 c = __ldg(&centres[k]);
    float x = p.x - c.x, y = p.y - c.y, z = p.z - c.z, w = p.w - c.w;
    float d = x * x + y * y + z * z + w * w;
    if (d < least) {
      least = d;
      best = k;
    }
  }
  out[i] = best;
}

static double expect_nearest(const Host &h, uint32_t at) {
  uint32_t best = 0;
  double least = 1e30;
  for (uint32_t k = 0; k < 32; k++) {
    double d = 0;
    for (uint32_t q = 0; q < 4; q++) d += pow((double)h.a[at * 4 + q] - h.b[k * 4 + q], 2);
    if (d < least) {
      least = d;
      best = k;
    }
  }
  return best;
}

// A layer of 3 x 3 convolution: four channels in, four out; planes one after another.
static __global__ void convolution(const float *x, const float *weights, float *y, uint32_t w,
                                   uint32_t h) {
  __shared__ float s[144];
  uint32_t t = threadIdx.y * 32 + threadIdx.x, plane = w * h;
  if (t < 144) s[t] = weights[t];
  __syncthreads();
  uint32_t col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  float sum[4] = {};
  if (col == 0 || row == 0 || col >= w - 1 || row >= h - 1) return;
#pragma unroll 1
  for (uint32_t in = 0; in < 4; in++) {
#pragma unroll
    for (uint32_t k = 0; k < 9; k++) {
      float v = x[in * plane + (row + k / 3 - 1) * w + col + k % 3 - 1];
#pragma unroll
      for (uint32_t out = 0; out < 4; out++) sum[out] += v * s[out * 36 + in * 9 + k];
    }
  }
#pragma unroll
  for (uint32_t out = 0; out < 4; out++) y[out * plane + row * w + col] = sum[out];
}

static double expect_convolution(const Host &h, uint32_t at) {
  uint32_t plane = h.n / 4, w = 1u << (h.log2_n - 2) / 2, high = plane / w;
  uint32_t out = at / plane, row = at % plane / w, col = at % w;
  double sum = 0;
  if (col == 0 || row == 0 || col >= w - 1 || row >= high - 1) return 0;
  for (uint32_t in = 0; in < 4; in++)
    for (uint32_t k = 0; k < 9; k++)
      sum += (double)h.a[in * plane + (row + k / 3 - 1) * w + col + k % 3 - 1] *
             h.b[out * 36 + in * 9 + k];
  return sum;
}

// Dot products of rows of 64 bytes with one vector; a row per thread, four bytes at a time.
static __global__ void dot_bytes(const int *rows, const int *x, uint32_t *out, uint32_t n) {
  uint32_t i = place();
  int sum = 0;
  if (i >= n) return;
  for (uint32_t k = 0; k < 16; k++) sum = __dp4a(rows[i * 16 + k], x[k], sum);
  out[i] = (uint32_t)sum;
}

static double expect_dot_bytes(const Host &h, uint32_t at) {
  uint32_t sum = 0;
  for (uint32_t k = 0; k < 64; k++) sum += h.bytes[at * 64 + k] * (uint32_t)h.bytes[k];
  return sum;
}

// Attention: a warp per query, 64 keys and values of 32 dimensions, all in one pass.
static __global__ void attention(const float *q, const float *keys, float *y, uint32_t queries) {
  __shared__ float s[64][33];
  uint32_t lane = threadIdx.x % 32, query = place() / 32;
  for (uint32_t i = threadIdx.x; i < 64 * 32; i += blockDim.x) s[i / 32][i % 32] = keys[i];
  __syncthreads();
  if (query >= queries) return;
  float mine = q[query * 32 + lane], near = 0.0f, far = 0.0f;
#pragma unroll
  for (uint32_t k = 0; k < 32; k++) {
    float v = __shfl_sync(0xffffffffu, mine, k);
    near += v * s[lane][k];
    far += v * s[lane + 32][k];
  }
  near = __expf(near * 0.17f);
  far = __expf(far * 0.17f);
  float total = warp_total(near + far), sum = 0.0f;
#pragma unroll
  for (uint32_t k = 0; k < 32; k++) {
    sum += __shfl_sync(0xffffffffu, near, k) * s[k][lane];
    sum += __shfl_sync(0xffffffffu, far, k) * s[k + 32][lane];
  }
  y[query * 32 + lane] = sum / total;
}

static double expect_attention(const Host &h, uint32_t at) {
  double total = 0, sum = 0;
  for (uint32_t k = 0; k < 64; k++) {
    double dot = 0;
    for (uint32_t i = 0; i < 32; i++) dot += (double)h.a[at / 32 * 32 + i] * h.b[k * 32 + i];
    dot = exp(dot * 0.17);
    total += dot;
    sum += dot * h.b[k * 32 + at % 32];
  }
  return sum / total;
}

// Eight decision trees of depth 8, a sample of 16 features per thread; a node's threshold is in
// `nodes`, its feature the lowest bits of its place.
static __global__ void forest(const float *samples, const float *nodes, uint32_t *out, uint32_t n) {
  uint32_t i = place(), votes = 0;
  if (i >= n) return;
  for (uint32_t tree = 0; tree < 8; tree++) {
    uint32_t at = 1;
    for (uint32_t depth = 0; depth < 8; depth++) {
      float v = samples[i * 16 + (at * 7 + tree) % 16];
      at = 2 * at + (v > nodes[tree * 256 + at]);
    }
    votes += at & 15;
  }
  out[i] = votes;
}

static double expect_forest(const Host &h, uint32_t i) {
  uint32_t votes = 0;
  for (uint32_t tree = 0; tree < 8; tree++) {
    uint32_t at = 1;
    for (uint32_t depth = 0; depth < 8; depth++)
      at = 2 * at + (h.a[i * 16 + (at * 7 + tree) % 16] > h.b[tree * 256 + at]);
    votes += at & 15;
  }
  return votes;
}

// An activation in half precision, two elements at a time.
static __global__ void half_activation(const uint32_t *x, uint32_t *y, uint32_t n) {
  const __half2 bend = __float2half2_rn(0.125f);
  for (uint32_t i = place(); i < n; i += gridDim.x * blockDim.x) {
    uint32_t bits = x[i] & 0x3bff3bffu; // two numbers in [0, 1)
    __half2 v = *(__half2 *)&bits;
    __half2 r = __hfma2(v, __hadd2(v, bend), __hmul2(v, bend));
    y[i] = *(uint32_t *)&r;
  }
}

static double half_value(uint32_t bits) {
  uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  return exponent ? ldexp(1024 + fraction, (int)exponent - 25) : ldexp(fraction, -24);
}

static double round_to_half(double v) { // v in [0, 2), ties to even
  double unit = ldexp(1, (v == 0 ? -14 : std::max(ilogb(v), -14)) - 10);
  return rint(v / unit) * unit;
}

static uint32_t half_bits(double v) { // of a half
  int exponent = v == 0 ? -15 : ilogb(v);
  if (exponent < -14) return (uint32_t)ldexp(v, 24);
  return (uint32_t)(exponent + 15) << 10 | ((uint32_t)ldexp(v, 10 - exponent) & 1023);
}

static double expect_half_activation(const Host &h, uint32_t at) {
  uint32_t bits = h.index[at] & 0x3bff3bffu, out = 0;
  for (int side = 0; side < 2; side++) {
    double v = half_value(bits >> 16 * side & 0xffff);
    double r = v * round_to_half(v + 0.125) + round_to_half(v * 0.125);
    out |= half_bits(round_to_half(r)) << 16 * side;
  }
  return out;
}

// Tridiagonal systems of 16 equations, one per thread, interleaved: -1 2.5 -1 and the right side x.
static __global__ void tridiagonal(const float *x, float *y, uint32_t systems) {
  uint32_t i = place();
  float upper[16], right[16];
  if (i >= systems) return;
  upper[0] = -1.0f / 2.5f;
  right[0] = x[i] / 2.5f;
#pragma unroll
  for (uint32_t k = 1; k < 16; k++) {
    float pivot = 1.0f / (2.5f + upper[k - 1]);
    upper[k] = -pivot;
    right[k] = (x[k * systems + i] + right[k - 1]) * pivot;
  }
  float v = right[15];
  y[15 * systems + i] = v;
#pragma unroll
  for (int k = 14; k >= 0; k--) {
    v = right[k] - upper[k] * v;
    y[(uint32_t)k * systems + i] = v;
  }
}

static double expect_tridiagonal(const Host &h, uint32_t at) {
  uint32_t systems = h.n / 16, i = at % systems;
  double pivot[16], right[16], v[17] = {};
  for (uint32_t k = 0; k < 16; k++) {
    pivot[k] = k == 0 ? 2.5 : 2.5 - 1 / pivot[k - 1];
    right[k] = h.a[k * systems + i] + (k == 0 ? 0 : right[k - 1] / pivot[k - 1]);
  }
  for (int k = 15; k >= 0; k--) v[k] = (right[k] + v[k + 1]) / pivot[k];
  return v[at / systems];
}

static uint32_t side(const Data &d) { return 1u << d.log2_n / 2; }
static uint32_t wide(const Data &d) { return 1u << (d.log2_n - 2) / 2; }

static const Kernel list[] = {
    {SECOND(layer_norm, "learning"),
     {16, 20, 25},
     [](const Data &d) {
       layer_norm<<<d.n / 256 / 4, 128>>>((float4 *)d.a, (float4 *)d.c, d.n / 256);
     },
     FLOATS,
     1,
     expect_layer_norm},
    {SECOND(embedding, "learning"),
     {16, 20, 25},
     [](const Data &d) {
       embedding<<<d.n / 64 / 16, dim3(16, 16)>>>(d.index, (float4 *)d.a, (float4 *)d.c, d.n / 64);
     },
     FLOATS,
     1,
     expect_embedding},
    {SECOND(distances, "learning"),
     {16, 20, 24},
     [](const Data &d) {
       distances<<<dim3(side(d) / 16, side(d) / 16), dim3(16, 16)>>>(d.a, d.c, side(d));
     },
     FLOATS,
     1,
     expect_distances},
    {SECOND(nearest, "learning"),
     {16, 20, 24},
     [](const Data &d) {
       nearest<<<blocks_for(d.n / 4, 256), 256>>>((float4 *)d.a, (float4 *)d.b, d.out, d.n / 4);
     },
     WORDS,
     4,
     expect_nearest},
    {SECOND(convolution, "learning"),
     {16, 20, 22},
     [](const Data &d) {
       uint32_t w = wide(d), h = d.n / 4 / w;
       convolution<<<dim3(w / 32, h / 8), dim3(32, 8)>>>(d.a, d.b, d.c, w, h);
     },
     FLOATS,
     1,
     expect_convolution},
    {SECOND(dot_bytes, "learning"),
     {18, 22, 26},
     [](const Data &d) {
       dot_bytes<<<blocks_for(d.n / 64, 128), 128>>>((int *)d.bytes, (int *)d.bytes, d.out,
                                                     d.n / 64);
     },
     WORDS,
     64,
     expect_dot_bytes},
    {SECOND(attention, "learning"),
     {15, 18, 22},
     [](const Data &d) { attention<<<blocks_for(d.n / 32, 8), 256>>>(d.a, d.b, d.c, d.n / 32); },
     FLOATS,
     1,
     expect_attention},
    {SECOND(forest, "learning"),
     {16, 20, 24},
     [](const Data &d) { forest<<<blocks_for(d.n / 16, 128), 128>>>(d.a, d.b, d.out, d.n / 16); },
     WORDS,
     16,
     expect_forest},
    {SECOND(half_activation, "learning"),
     {16, 21, 26},
     [](const Data &d) { half_activation<<<1056, 256>>>(d.index, d.out, d.n); },
     WORDS,
     1,
     expect_half_activation},
    {SECOND(tridiagonal, "equations"),
     {17, 20, 24},
     [](const Data &d) { tridiagonal<<<blocks_for(d.n / 16, 128), 128>>>(d.a, d.c, d.n / 16); },
     FLOATS,
     1,
     expect_tridiagonal},
};

Kernels learning_kernels() { GIVE(list); }
