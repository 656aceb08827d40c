// SPDX-License-Identifier: MIT
// signals.cu - second set: transforms and filters of signals.
#include "blind.cuh"

#include <cmath>

#define TAPS                                                                                       \
  0.01f, -0.02f, 0.03f, -0.01f, 0.05f, -0.07f, 0.11f, 0.3f, 0.4f, 0.3f, 0.11f, -0.07f, 0.05f,      \
      -0.01f, 0.03f, -0.02f
static __constant__ float taps[16] = {TAPS};
static const float host_taps[16] = {TAPS};

static __device__ float2 times(float2 u, float2 v) {
  return make_float2(u.x * v.x - u.y * v.y, u.x * v.y + u.y * v.x);
}

static __device__ void butterfly(float2 &u, float2 &v, float2 w) {
  float2 t = times(v, w);
  v = make_float2(u.x - t.x, u.y - t.y);
  u = make_float2(u.x + t.x, u.y + t.y);
}

// The first radix-8 step of a long transform: eight points per thread, n / 16 apart.
static __global__ void fft_8(const float2 *x, float2 *y, uint32_t eighth) {
  const float r = 0.70710678f;
  const float2 w[4] = {{1.0f, 0.0f}, {r, -r}, {0.0f, -1.0f}, {-r, -r}};
  const int from[8] = {0, 4, 2, 6, 1, 5, 3, 7};
  uint32_t i = place();
  float2 v[8];
  if (i >= eighth) return;
#pragma unroll
  for (int k = 0; k < 8; k++) v[k] = x[from[k] * eighth + i];
#pragma unroll
  for (int k = 0; k < 8; k += 2) butterfly(v[k], v[k + 1], w[0]);
#pragma unroll
  for (int k = 0; k < 8; k += 4) {
    butterfly(v[k], v[k + 2], w[0]);
    butterfly(v[k + 1], v[k + 3], w[2]);
  }
#pragma unroll
  for (int k = 0; k < 4; k++) butterfly(v[k], v[k + 4], w[k]);
  float turn = -6.2831853f * (float)i / (8.0f * (float)eighth);
#pragma unroll
  for (int k = 0; k < 8; k++) {
    float2 twiddle;
    __sincosf(turn * (float)k, &twiddle.y, &twiddle.x);
    y[k * eighth + i] = times(v[k], twiddle);
  }
}

static double expect_fft_8(const Host &h, uint32_t at) {
  uint32_t point = at / 2, eighth = h.n / 16, k = point / eighth, i = point % eighth;
  double re = 0, im = 0, turn = -2 * M_PI * (double)i * k / (8.0 * eighth);
  for (uint32_t j = 0; j < 8; j++) {
    double t = -2 * M_PI * j * k / 8 + turn;
    double u = h.a[2 * (j * eighth + i)], v = h.a[2 * (j * eighth + i) + 1];
    re += u * cos(t) - v * sin(t);
    im += u * sin(t) + v * cos(t);
  }
  return at % 2 ? im : re;
}

// A whole transform of 256 points per block of 128 threads, in shared memory.
static __global__ void fft_shared(const float2 *x, float2 *y) {
  __shared__ float2 s[256];
  uint32_t t = threadIdx.x, base = blockIdx.x * 256;
  s[__brev(t) >> 24] = x[base + t];
  s[__brev(t + 128) >> 24] = x[base + t + 128];
  for (uint32_t half = 1; half < 256; half *= 2) {
    uint32_t k = t % half, low = (t - k) * 2 + k;
    float2 w;
    __sincosf(-3.1415927f * (float)k / (float)half, &w.y, &w.x);
    __syncthreads();
    float2 u = s[low], v = s[low + half];
    butterfly(u, v, w);
    s[low] = u;
    s[low + half] = v;
  }
  __syncthreads();
  y[base + t] = s[t];
  y[base + t + 128] = s[t + 128];
}

static double expect_fft_shared(const Host &h, uint32_t at) {
  uint32_t base = at / 512 * 256, k = at / 2 % 256;
  double re = 0, im = 0;
  for (uint32_t j = 0; j < 256; j++) {
    double t = -2 * M_PI * (j * k % 256) / 256, u = h.a[2 * (base + j)],
           v = h.a[2 * (base + j) + 1];
    re += u * cos(t) - v * sin(t);
    im += u * sin(t) + v * cos(t);
  }
  return at % 2 ? im : re;
}

static __global__ void fir(const float *x, float *y, uint32_t n) {
  uint32_t i = place();
  float sum = 0.0f;
  if (i >= n) return;
#pragma unroll
  for (uint32_t k = 0; k < 16; k++) sum += taps[k] * x[(i + k) & (n - 1)];
  y[i] = sum;
}

static double expect_fir(const Host &h, uint32_t at) {
  double sum = 0;
  for (uint32_t k = 0; k < 16; k++) sum += (double)host_taps[k] * h.a[(at + k) & (h.n - 1)];
  return sum;
}

static __global__ void haar(const float2 *x, float *y, uint32_t half) {
  for (uint32_t i = place(); i < half; i += gridDim.x * blockDim.x) {
    float2 p = x[i];
    y[i] = 0.5f * (p.x + p.y);
    y[half + i] = 0.5f * (p.x - p.y);
  }
}

static double expect_haar(const Host &h, uint32_t at) {
  uint32_t i = at % (h.n / 2);
  return 0.5 * (h.a[2 * i] + (at < h.n / 2 ? 1 : -1) * (double)h.a[2 * i + 1]);
}

// The cosine transform of tiles of 8 x 8, four per block, rows first.
static __global__ void dct_8(const float *x, float *y, uint32_t w) {
  __shared__ float s[4][8][9], angle[32];
  uint32_t u = threadIdx.x % 8, v = threadIdx.x / 8, tile = threadIdx.y;
  uint32_t at = (blockIdx.y * 8 + v) * w + (blockIdx.x * 4 + tile) * 8 + u;
  if (tile == 0 && threadIdx.x < 32)
    angle[threadIdx.x] = __cosf(3.1415927f / 16.0f * (float)threadIdx.x);
  s[tile][v][u] = x[at];
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (uint32_t k = 0; k < 8; k++) sum += s[tile][v][k] * angle[(2 * k + 1) * u % 32];
  __syncthreads();
  s[tile][v][u] = sum;
  __syncthreads();
  sum = 0.0f;
#pragma unroll
  for (uint32_t k = 0; k < 8; k++) sum += s[tile][k][u] * angle[(2 * k + 1) * v % 32];
  y[at] = sum;
}

static double expect_dct_8(const Host &h, uint32_t at) {
  uint32_t w = 1u << h.log2_n / 2, x = at % w, y = at / w, u = x % 8, v = y % 8;
  double sum = 0;
  for (uint32_t p = 0; p < 8; p++)
    for (uint32_t q = 0; q < 8; q++)
      sum += (double)h.a[(y - v + p) * w + x - u + q] * cos(M_PI / 16 * ((2 * q + 1) * u)) *
             cos(M_PI / 16 * ((2 * p + 1) * v));
  return sum;
}

// Walsh-Hadamard transforms of 1024 elements, one per block of 512 threads.
static __global__ void walsh(const float *x, float *y) {
  __shared__ float s[1024];
  uint32_t t = threadIdx.x, base = blockIdx.x * 1024;
  s[t] = x[base + t];
  s[t + 512] = x[base + t + 512];
  for (uint32_t d = 1; d < 1024; d *= 2) {
    __syncthreads();
    uint32_t low = 2 * t - (t & (d - 1));
    float u = s[low], v = s[low + d];
    s[low] = u + v;
    s[low + d] = u - v;
  }
  __syncthreads();
  y[base + t] = s[t];
  y[base + t + 512] = s[t + 512];
}

static double expect_walsh(const Host &h, uint32_t at) {
  uint32_t base = at & ~1023u, k = at & 1023;
  double sum = 0;
  for (uint32_t j = 0; j < 1024; j++)
    sum += (__builtin_popcount(j & k) & 1 ? -1 : 1) * (double)h.a[base + j];
  return sum;
}

// A recursive filter over 64 samples of a channel per thread.
static __global__ void recursive(const float *x, float *y, uint32_t channels) {
  uint32_t i = place();
  float state = 0.0f;
  if (i >= channels) return;
  for (uint32_t t = 0; t < 64; t++) {
    state = 0.9f * state + x[t * channels + i];
    y[t * channels + i] = state;
  }
}

static double expect_recursive(const Host &h, uint32_t at) {
  uint32_t channels = h.n / 64;
  double state = 0;
  for (uint32_t t = 0; t <= at / channels; t++)
    state = 0.9 * state + h.a[t * channels + at % channels];
  return state;
}

// A picture enlarged by 10 / 7, with bilinear interpolation.
static __global__ void enlarge(const float *a, float *c, uint32_t w, uint32_t h) {
  uint32_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float fx = (float)x * 0.7f, fy = (float)y * 0.7f;
  uint32_t i = (uint32_t)fx, k = (uint32_t)fy, right = min(i + 1, w - 1), below = min(k + 1, h - 1);
  float u = fx - (float)i, v = fy - (float)k;
  float top = a[k * w + i] * (1.0f - u) + a[k * w + right] * u;
  float bottom = a[below * w + i] * (1.0f - u) + a[below * w + right] * u;
  c[y * w + x] = top * (1.0f - v) + bottom * v;
}

static double expect_enlarge(const Host &h, uint32_t at) {
  uint32_t w = 1u << h.log2_n / 2, x = at % w, y = at / w;
  float fx = (float)x * 0.7f, fy = (float)y * 0.7f;
  uint32_t i = (uint32_t)fx, k = (uint32_t)fy;
  double u = fx - (float)i, v = fy - (float)k;
  const float *p = &h.a[k * w + i];
  return (p[0] * (1 - u) + p[1] * u) * (1 - v) + (p[w] * (1 - u) + p[w + 1] * u) * v;
}

static uint32_t wide(const Data &d) { return 1u << d.log2_n / 2; }
static uint32_t high(const Data &d) { return d.n / wide(d); }

static const Kernel list[] = {
    {SECOND(fft_8, "signal"),
     {16, 20, 25},
     [](const Data &d) { fft_8<<<d.n / 16 / 128, 128>>>((float2 *)d.a, (float2 *)d.c, d.n / 16); },
     FLOATS,
     1,
     expect_fft_8},
    {SECOND(fft_shared, "signal"),
     {15, 19, 23},
     [](const Data &d) { fft_shared<<<d.n / 512, 128>>>((float2 *)d.a, (float2 *)d.c); },
     FLOATS,
     1,
     expect_fft_shared},
    {SECOND(fir, "signal"),
     {14, 19, 24},
     [](const Data &d) { fir<<<blocks_for(d.n, 192), 192>>>(d.a, d.c, d.n); },
     FLOATS,
     1,
     expect_fir},
    {SECOND(haar, "signal"),
     {17, 21, 26},
     [](const Data &d) { haar<<<792, 256>>>((float2 *)d.a, d.c, d.n / 2); },
     FLOATS,
     1,
     expect_haar},
    {SECOND(dct_8, "signal"),
     {16, 20, 22},
     [](const Data &d) {
       dct_8<<<dim3(wide(d) / 32, high(d) / 8), dim3(64, 4)>>>(d.a, d.c, wide(d));
     },
     FLOATS,
     1,
     expect_dct_8},
    {SECOND(walsh, "signal"),
     {15, 20, 23},
     [](const Data &d) { walsh<<<d.n / 1024, 512>>>(d.a, d.c); },
     FLOATS,
     1,
     expect_walsh},
    {SECOND(recursive, "signal"),
     {16, 20, 25},
     [](const Data &d) { recursive<<<blocks_for(d.n / 64, 128), 128>>>(d.a, d.c, d.n / 64); },
     FLOATS,
     1,
     expect_recursive},
    {SECOND(enlarge, "signal"),
     {16, 20, 24},
     [](const Data &d) {
       enlarge<<<dim3(wide(d) / 32, high(d) / 8), dim3(32, 8)>>>(d.a, d.c, wide(d), high(d));
     },
     FLOATS,
     1,
     expect_enlarge},
};

Kernels signal_kernels() { GIVE(list); }
