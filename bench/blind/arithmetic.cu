// SPDX-License-Identifier: MIT
// arithmetic.cu - bodies that attract each other, and kernels that mostly compute: special
// functions, divisions, doubles, long integers, threads and blocks of different length.
#include "blind.cuh"

static __global__ void bodies(const float4 *p, float4 *force, uint32_t n) {
  uint32_t i = place();
  float4 me = p[i], sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (uint32_t k = 0; k < n; k++) {
    float4 q = p[k];
    float x = q.x - me.x, y = q.y - me.y, z = q.z - me.z;
    float r = rsqrtf(x * x + y * y + z * z + 0.01f), w = q.w * r * r * r;
    sum.x += x * w;
    sum.y += y * w;
    sum.z += z * w;
  }
  force[i] = sum;
}

static __global__ void bodies_tiled(const float4 *p, float4 *force, uint32_t n) {
  __shared__ float4 s[256];
  uint32_t i = place();
  float4 me = p[i], sum = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
  for (uint32_t tile = 0; tile < n; tile += 256) {
    s[threadIdx.x] = p[tile + threadIdx.x];
    __syncthreads();
#pragma unroll 8
    for (uint32_t k = 0; k < 256; k++) {
      float x = s[k].x - me.x, y = s[k].y - me.y, z = s[k].z - me.z;
      float r = rsqrtf(x * x + y * y + z * z + 0.01f), w = s[k].w * r * r * r;
      sum.x += x * w;
      sum.y += y * w;
      sum.z += z * w;
    }
    __syncthreads();
  }
  force[i] = sum;
}

// Sixteen neighbours of each, anywhere.
static __global__ void neighbours(const float *x, const uint32_t *list, float *force, uint32_t n) {
  uint32_t i = place();
  float me = x[i], sum = 0.0f;
  if (i >= n / 16) return;
  for (uint32_t k = 0; k < 16; k++) {
    float d = x[list[k * (n / 16) + i]] - me, r2 = d * d + 0.1f;
    if (r2 < 0.5f) {
      float inverse = 1.0f / r2, r6 = inverse * inverse * inverse;
      sum += (r6 * r6 - r6) * d;
    }
  }
  force[i] = sum;
}

static __global__ void mandelbrot(uint32_t *out, uint32_t w) {
  uint32_t x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y, k = 0;
  float cr = 3.0f * (float)x / (float)w - 2.0f, ci = 2.0f * (float)y / (float)w - 1.0f;
  float zr = 0.0f, zi = 0.0f;
  while (k < 256 && zr * zr + zi * zi < 4.0f) {
    float t = zr * zr - zi * zi + cr;
    zi = 2.0f * zr * zi + ci;
    zr = t;
    k++;
  }
  out[y * w + x] = k;
}

static __global__ void darts(uint32_t *hits, uint32_t n) {
  uint32_t i = place(), state = i * 747796405u + 1u, inside = 0;
  if (i >= n) return;
  for (int k = 0; k < 64; k++) {
    state = state * 1664525u + 1013904223u;
    float x = (float)(state >> 8) * 0x1p-24f;
    state = state * 1664525u + 1013904223u;
    float y = (float)(state >> 8) * 0x1p-24f;
    inside += x * x + y * y < 1.0f;
  }
  hits[i] = inside;
}

static __device__ float normal(float x) {
  float k = 1.0f / (1.0f + 0.2316419f * fabsf(x));
  float p =
      k * (0.3193815f + k * (-0.3565638f + k * (1.7814779f + k * (-1.8212559f + k * 1.3302744f))));
  p = 1.0f - 0.3989423f * __expf(-0.5f * x * x) * p;
  return x < 0.0f ? 1.0f - p : p;
}

static __global__ void options(const float *price, const float *strike, float *out, uint32_t n) {
  for (uint32_t i = place(); i < n; i += gridDim.x * blockDim.x) {
    float s = price[i] + 1.0f, k = strike[i] + 1.0f, root = 0.3f;
    float d1 = (__logf(s / k) + 0.065f) / root, d2 = d1 - root;
    out[i] = s * normal(d1) - k * __expf(-0.02f) * normal(d2);
  }
}

static __global__ void powers(const uint32_t *x, uint32_t *out, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  uint64_t base = x[i] % 1000003u, result = 1;
  for (uint32_t e = 65537; e > 0; e /= 2) {
    if (e & 1) result = result * base % 1000003u;
    base = base * base % 1000003u;
  }
  out[i] = (uint32_t)result;
}

static __global__ void divisors(const uint32_t *x, uint32_t *out, uint32_t n) { // greatest common
  uint32_t i = place();
  if (i >= n) return;
  uint32_t a = x[i] + 1, b = i + 7;
  while (b != 0) {
    uint32_t r = a % b;
    a = b;
    b = r;
  }
  out[i] = a;
}

static __global__ void collatz(uint32_t *out, uint32_t n) {
  uint32_t i = place(), steps = 0;
  if (i >= n) return;
  for (uint32_t x = i + 1; x != 1 && steps < 500; steps++) x = x & 1 ? 3 * x + 1 : x / 2;
  out[i] = steps;
}

static __global__ void polynomial(const double *x, double *y, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  double v = x[i], sum = 1.0;
#pragma unroll
  for (int k = 1; k <= 24; k++) sum = sum * v + 1.0 / (double)k;
  y[i] = sum;
}

static __global__ void roots(const float *x, float *y, uint32_t n) { // IEEE division and root
  uint32_t i = place();
  if (i >= n) return;
  float v = x[i] + 1.0f;
  for (int k = 0; k < 8; k++) v = sqrtf(v) + 2.0f / v;
  y[i] = v;
}

// One block in 1024 has a hundred times as much to do as the others.
static __global__ void long_block(const float *x, float *y, uint32_t n) {
  uint32_t i = place(), turns = blockIdx.x % 1024 == 500 ? 1600 : 16;
  if (i >= n) return;
  float v = x[i];
  for (uint32_t k = 0; k < turns; k++) v = v * 0.999f + 0.001f;
  y[i] = v;
}

// The same for threads: one lane of every warp runs much longer than the others.
static __global__ void long_lane(const float *x, float *y, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  uint32_t turns = i % 32 == 7 ? 256 : 8;
  float v = x[i];
  for (uint32_t k = 0; k < turns; k++) v = v * 0.999f + 0.001f;
  y[i] = v;
}

// 48 KiB of shared memory per block of 128 threads: few warps per SM.
static __global__ void few_warps(const float *x, float *y, uint32_t n) {
  __shared__ float s[12000];
  uint32_t i = place();
  for (uint32_t k = threadIdx.x; k < 12000; k += 128) s[k] = x[(i + k) & (n - 1)];
  __syncthreads();
  float sum = 0.0f;
  for (uint32_t k = 0; k < 64; k++) sum += s[(threadIdx.x * 37 + k * 131) % 12000];
  y[i] = sum;
}

static uint32_t edge(const Data &d) { return 1u << d.log2_n / 2; }

static const Kernel list[] = {
    {"bodies",
     "n-body",
     false,
     {12, 14, 16},
     [](const Data &d) { bodies<<<d.n / 4 / 128, 128>>>((float4 *)d.a, (float4 *)d.c, d.n / 4); }},
    {"bodies_tiled",
     "n-body",
     true,
     {12, 14, 16},
     [](const Data &d) {
       bodies_tiled<<<d.n / 4 / 256, 256>>>((float4 *)d.a, (float4 *)d.c, d.n / 4);
     }},
    {"neighbours",
     "n-body",
     true,
     {16, 20, 23},
     [](const Data &d) { neighbours<<<blocks_for(d.n / 16, 128), 128>>>(d.a, d.index, d.c, d.n); }},
    {"mandelbrot",
     "arithmetic",
     false,
     {14, 18, 20},
     [](const Data &d) {
       mandelbrot<<<dim3(edge(d) / 16, edge(d) / 16), dim3(16, 16)>>>(d.out, edge(d));
     }},
    {"darts",
     "arithmetic",
     true,
     {14, 18, 20},
     [](const Data &d) { darts<<<blocks_for(d.n, 256), 256>>>(d.out, d.n); }},
    {"options",
     "arithmetic",
     false,
     {16, 20, 24},
     [](const Data &d) { options<<<1056, 128>>>(d.a, d.b, d.c, d.n); }},
    {"powers",
     "arithmetic",
     true,
     {14, 18, 20},
     [](const Data &d) { powers<<<blocks_for(d.n, 256), 256>>>(d.index, d.out, d.n); }},
    {"divisors",
     "arithmetic",
     false,
     {14, 18, 21},
     [](const Data &d) { divisors<<<blocks_for(d.n, 256), 256>>>(d.index, d.out, d.n); }},
    {"collatz",
     "arithmetic",
     true,
     {14, 18, 20},
     [](const Data &d) { collatz<<<blocks_for(d.n, 512), 512>>>(d.out, d.n); }},
    {"polynomial",
     "arithmetic",
     false,
     {15, 19, 23},
     [](const Data &d) { polynomial<<<blocks_for(d.n / 2, 256), 256>>>(d.x, d.x, d.n / 2); }},
    {"roots",
     "arithmetic",
     true,
     {16, 20, 23},
     [](const Data &d) { roots<<<blocks_for(d.n, 256), 256>>>(d.a, d.c, d.n); }},
    {"long_block",
     "arithmetic",
     false,
     {18, 20, 22},
     [](const Data &d) { long_block<<<blocks_for(d.n, 128), 128>>>(d.a, d.c, d.n); }},
    {"long_lane",
     "arithmetic",
     true,
     {16, 20, 22},
     [](const Data &d) { long_lane<<<blocks_for(d.n, 128), 128>>>(d.a, d.c, d.n); }},
    {"few_warps",
     "arithmetic",
     false,
     {14, 17, 20},
     [](const Data &d) { few_warps<<<d.n / 128, 128>>>(d.a, d.c, d.n); }},
};

Kernels arithmetic_kernels() { GIVE(list); }
