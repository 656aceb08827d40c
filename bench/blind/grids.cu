// SPDX-License-Identifier: MIT
// grids.cu - stencils and image filters. Images have 2^(log2_n / 2) pixels in a row.
#include "blind.cuh"

static __device__ uint32_t clamp(int i, uint32_t n) {
  return i < 0 ? 0u : i >= (int)n ? n - 1 : (uint32_t)i;
}

static __global__ void jacobi(const float *a, float *c, uint32_t w, uint32_t h) {
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
  uint32_t i = y * w + x;
  c[i] = 0.25f * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w]);
}

static __global__ void heat(const float *a, float *c, uint32_t w) { // w * w * w
  uint32_t x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  uint32_t plane = w * w;
  if (x == 0 || y == 0 || x >= w - 1 || y >= w - 1) return;
  for (uint32_t z = 1; z < w - 1; z++) {
    uint32_t i = z * plane + y * w + x;
    c[i] = a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w] + a[i - plane] + a[i + plane] -
                          6.0f * a[i]);
  }
}

static __global__ void line_17(const float *a, float *c, uint32_t n) {
  __shared__ float s[256 + 16];
  uint32_t i = place();
  s[threadIdx.x + 8] = a[i];
  if (threadIdx.x < 8) {
    s[threadIdx.x] = i >= 8 ? a[i - 8] : 0.0f;
    s[threadIdx.x + 264] = i + 256 < n ? a[i + 256] : 0.0f;
  }
  __syncthreads();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 17; k++) sum += s[threadIdx.x + k];
  c[i] = sum;
}

static __global__ void wave(const float *now, const float *before, float *c, uint32_t w) {
  __shared__ float s[18][34];
  uint32_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, i = y * w + x;
  for (uint32_t k = threadIdx.y * 32 + threadIdx.x; k < 18 * 34; k += 512)
    s[k / 34][k % 34] = now[clamp((int)(blockIdx.y * 16 + k / 34) - 1, w) * w +
                            clamp((int)(blockIdx.x * 32 + k % 34) - 1, w)];
  __syncthreads();
  uint32_t p = threadIdx.y + 1, q = threadIdx.x + 1;
  float around = s[p - 1][q] + s[p + 1][q] + s[p][q - 1] + s[p][q + 1];
  c[i] = 2.0f * s[p][q] - before[i] + 0.1f * (around - 4.0f * s[p][q]);
}

static __global__ void box_5(const float *a, float *c, uint32_t w, uint32_t h) {
  int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
  float sum = 0.0f;
#pragma unroll
  for (int dy = -2; dy <= 2; dy++) {
#pragma unroll
    for (int dx = -2; dx <= 2; dx++) sum += a[clamp(y + dy, h) * w + clamp(x + dx, w)];
  }
  c[(uint32_t)y * w + (uint32_t)x] = sum / 25.0f;
}

static __global__ void sobel(const uint8_t *a, uint8_t *c, uint32_t w, uint32_t h) {
  uint32_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * w + x;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
  int gx = a[i - w + 1] + 2 * a[i + 1] + a[i + w + 1] - a[i - w - 1] - 2 * a[i - 1] - a[i + w - 1];
  int gy = a[i + w - 1] + 2 * a[i + w] + a[i + w + 1] - a[i - w - 1] - 2 * a[i - w] - a[i - w + 1];
  c[i] = (uint8_t)min(255, abs(gx) + abs(gy));
}

static __global__ void bilateral(const float *a, float *c, uint32_t w, uint32_t h) {
  int x = (int)(blockIdx.x * 16 + threadIdx.x), y = (int)(blockIdx.y * 16 + threadIdx.y);
  float mid = a[(uint32_t)y * w + (uint32_t)x], sum = 0.0f, weight = 0.0f;
  for (int dy = -2; dy <= 2; dy++) {
    for (int dx = -2; dx <= 2; dx++) {
      float v = a[clamp(y + dy, h) * w + clamp(x + dx, w)], d = v - mid;
      float k = __expf(-(float)(dx * dx + dy * dy) * 0.2f - d * d * 8.0f);
      sum += k * v;
      weight += k;
    }
  }
  c[(uint32_t)y * w + (uint32_t)x] = sum / weight;
}

static __global__ void look_up(const uint8_t *a, const float *table, float *c, uint32_t n) {
  for (uint32_t i = place(); i < n; i += gridDim.x * blockDim.x) c[i] = table[a[i] * 7u];
}

static __global__ void to_grey(const uchar4 *a, uint8_t *c, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  uchar4 p = a[i];
  c[i] = (uint8_t)((p.x * 77u + p.y * 150u + p.z * 29u) >> 8);
}

static __device__ void order(float &a, float &b) {
  float low = fminf(a, b);
  b = fmaxf(a, b);
  a = low;
}

static __global__ void median_3(const float *a, float *c, uint32_t w, uint32_t h) {
  int x = (int)(blockIdx.x * 32 + threadIdx.x), y = (int)(blockIdx.y * 8 + threadIdx.y);
  float v[9];
#pragma unroll
  for (int k = 0; k < 9; k++) v[k] = a[clamp(y + k / 3 - 1, h) * w + clamp(x + k % 3 - 1, w)];
#pragma unroll
  for (int i = 0; i < 5; i++) {
#pragma unroll
    for (int k = i + 1; k < 9; k++) order(v[i], v[k]);
  }
  c[(uint32_t)y * w + (uint32_t)x] = v[4];
}

static uint32_t wide(const Data &d) { return 1u << d.log2_n / 2; }
static uint32_t high(const Data &d) { return d.n / wide(d); }
static dim3 over(const Data &d, uint32_t x, uint32_t y) { return dim3(wide(d) / x, high(d) / y); }
static uint32_t cube(const Data &d) { return 1u << d.log2_n / 3; }

static const Kernel list[] = {
    {"jacobi",
     "stencil",
     false,
     {14, 18, 22, 24},
     [](const Data &d) { jacobi<<<over(d, 32, 8), dim3(32, 8)>>>(d.a, d.c, wide(d), high(d)); }},
    {"heat",
     "stencil",
     true,
     {15, 18, 21, 24},
     [](const Data &d) {
       heat<<<dim3(cube(d) / 32, cube(d) / 4), dim3(32, 4)>>>(d.a, d.c, cube(d));
     }},
    {"line_17",
     "stencil",
     true,
     {14, 18, 22, 25},
     [](const Data &d) { line_17<<<d.n / 256, 256>>>(d.a, d.c, d.n); }},
    {"wave",
     "stencil",
     false,
     {16, 20, 24},
     [](const Data &d) { wave<<<over(d, 32, 16), dim3(32, 16)>>>(d.a, d.b, d.c, wide(d)); }},
    {"box_5",
     "image",
     false,
     {16, 20, 22},
     [](const Data &d) { box_5<<<over(d, 32, 8), dim3(32, 8)>>>(d.a, d.c, wide(d), high(d)); }},
    {"sobel",
     "image",
     true,
     {16, 20, 24},
     [](const Data &d) {
       sobel<<<over(d, 32, 8), dim3(32, 8)>>>(d.bytes, (uint8_t *)d.out, wide(d), high(d));
     }},
    {"bilateral",
     "image",
     false,
     {16, 20, 22},
     [](const Data &d) {
       bilateral<<<over(d, 16, 16), dim3(16, 16)>>>(d.a, d.c, wide(d), high(d));
     }},
    {"look_up",
     "image",
     true,
     {16, 20, 24},
     [](const Data &d) { look_up<<<528, 256>>>(d.bytes, d.a, d.c, d.n); }},
    {"to_grey",
     "image",
     false,
     {16, 20, 24},
     [](const Data &d) {
       to_grey<<<blocks_for(d.n / 4, 256), 256>>>((const uchar4 *)d.bytes, (uint8_t *)d.out,
                                                  d.n / 4);
     }},
    {"median_3",
     "image",
     true,
     {16, 20, 22},
     [](const Data &d) { median_3<<<over(d, 32, 8), dim3(32, 8)>>>(d.a, d.c, wide(d), high(d)); }},
};

Kernels grid_kernels() { GIVE(list); }
