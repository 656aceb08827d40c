// SPDX-License-Identifier: MIT
// fields.cu - second set: automata, fluids, particles and pictures of solids. Fields have
// 2^(log2_n / 2) cells in a row, unless a kernel says otherwise.
#include "blind.cuh"

#include <algorithm>
#include <cmath>

// The game of life: a byte per cell; cells with an odd letter live. The field's ends meet.
static __global__ void life(const uint8_t *a, uint8_t *c, uint32_t w, uint32_t h) {
  uint32_t x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, around = 0;
  uint32_t left = (x - 1) & (w - 1), right = (x + 1) & (w - 1);
#pragma unroll
  for (uint32_t k = 0; k < 3; k++) {
    const uint8_t *row = a + ((y + k - 1) & (h - 1)) * w;
    around += (row[left] & 1) + (row[right] & 1) + (k == 1 ? 0 : row[x] & 1);
  }
  c[y * w + x] = around == 3 || (around == 2 && a[y * w + x] & 1);
}

static double expect_life(const Host &h, uint32_t at) {
  uint32_t w = 1u << h.log2_n / 2, high = h.n / w, x = at % w, y = at / w, around = 0;
  for (uint32_t k = 0; k < 9; k++)
    if (k != 4) around += h.bytes[(y + k / 3 - 1) % high * w + (x + k % 3 - 1) % w] & 1;
  return around == 3 || (around == 2 && h.bytes[at] & 1);
}

static __host__ __device__ uint32_t majority(uint32_t a, uint32_t b, uint32_t c) {
  return (a & b) | (a & c) | (b & c);
}

// The same with 32 cells per word, one above the other: no carry leaves a word sideways.
static __global__ void life_bits(const uint32_t *a, uint32_t *c, uint32_t w, uint32_t h) {
  uint32_t x = blockIdx.x * 128 + threadIdx.x, y = blockIdx.y;
  uint32_t ones[3], twos[3], mid = 0;
#pragma unroll
  for (uint32_t k = 0; k < 3; k++) {
    uint32_t col = (x + k - 1) & (w - 1);
    uint32_t v = a[y * w + col];
    uint32_t up = __funnelshift_l(a[((y - 1) & (h - 1)) * w + col], v, 1);
    uint32_t down = __funnelshift_r(v, a[((y + 1) & (h - 1)) * w + col], 1);
    if (k == 1) mid = v;
    ones[k] = up ^ down ^ (k == 1 ? 0u : v);
    twos[k] = majority(up, down, k == 1 ? 0u : v);
  }
  uint32_t one = ones[0] ^ ones[1] ^ ones[2], carry = majority(ones[0], ones[1], ones[2]);
  uint32_t s = twos[0] ^ twos[1] ^ twos[2] ^ carry;
  uint32_t four = (twos[0] & twos[1]) | ((twos[0] ^ twos[1]) & twos[2]) |
                  (carry & (twos[0] ^ twos[1] ^ twos[2]));
  c[y * w + x] = s & ~four & (one | mid);
}

static double expect_life_bits(const Host &h, uint32_t at) {
  uint32_t w = 1u << h.log2_n / 2, high = h.n / w, x = at % w, y = at / w, out = 0;
  for (uint32_t bit = 0; bit < 32; bit++) {
    uint32_t around = 0, self = 0;
    for (uint32_t k = 0; k < 9; k++) {
      uint32_t cell = (y * 32 + bit + k / 3 + high * 32 - 1) % (high * 32);
      uint32_t v = h.index[cell / 32 * w + (x + k % 3 - 1) % w] >> cell % 32 & 1;
      if (k == 4) self = v;
      else around += v;
    }
    out |= (around == 3 || (around == 2 && self) ? 1u : 0u) << bit;
  }
  return out;
}

// A fluid by D2Q9: nine planes of n / 16 cells, streamed and relaxed. The ends meet.
static __host__ __device__ float equilibrium(int k, float density, float u, float v) {
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  float weight = k == 0 ? 4.0f / 9.0f : k < 5 ? 1.0f / 9.0f : 1.0f / 36.0f;
  float along = (float)cx[k] * u + (float)cy[k] * v;
  return weight * density * (1.0f + 3.0f * along + 4.5f * along * along - 1.5f * (u * u + v * v));
}

static __host__ __device__ uint32_t upstream(int k, uint32_t i, uint32_t w, uint32_t cells) {
  const int cx[9] = {0, 1, 0, -1, 0, 1, -1, -1, 1}, cy[9] = {0, 0, 1, 0, -1, 1, 1, -1, -1};
  uint32_t x = (i % w - (uint32_t)cx[k]) & (w - 1), y = (i / w - (uint32_t)cy[k]) & (cells / w - 1);
  return (uint32_t)k * cells + y * w + x;
}

static __global__ void boltzmann(const float *f, float *out, uint32_t w, uint32_t cells) {
  uint32_t i = place();
  float in[9], density = 0.0f;
  if (i >= cells) return;
#pragma unroll
  for (int k = 0; k < 9; k++) {
    in[k] = f[upstream(k, i, w, cells)];
    density += in[k];
  }
  float u = (in[1] - in[3] + in[5] - in[6] - in[7] + in[8]) / density;
  float v = (in[2] - in[4] + in[5] + in[6] - in[7] - in[8]) / density;
#pragma unroll
  for (int k = 0; k < 9; k++)
    out[(uint32_t)k * cells + i] = 0.4f * in[k] + 0.6f * equilibrium(k, density, u, v);
}

static double expect_boltzmann(const Host &h, uint32_t at) {
  uint32_t cells = h.n / 16, w = 1u << (h.log2_n - 4) / 2, i = at % cells;
  int k = (int)(at / cells);
  float in[9], density = 0.0f;
  if (k > 8) return 0;
  for (int q = 0; q < 9; q++) {
    in[q] = h.a[upstream(q, i, w, cells)];
    density += in[q];
  }
  float u = (in[1] - in[3] + in[5] - in[6] - in[7] + in[8]) / density;
  float v = (in[2] - in[4] + in[5] + in[6] - in[7] - in[8]) / density;
  return 0.4f * in[k] + 0.6f * equilibrium(k, density, u, v);
}

// The red cells of a relaxation: every other one of a row, so half of each sector is used.
static __global__ void red_cells(const float *a, float *c, uint32_t w, uint32_t h) {
  uint32_t y = blockIdx.y * 4 + threadIdx.y;
  uint32_t x = 2 * (blockIdx.x * 32 + threadIdx.x) + (y & 1), i = y * w + x;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h - 1) return;
  c[i] = a[i] + 1.6f * (0.25f * (a[i - 1] + a[i + 1] + a[i - w] + a[i + w]) - a[i]);
}

static double expect_red_cells(const Host &h, uint32_t i) {
  uint32_t w = 1u << h.log2_n / 2, x = i % w, y = i / w;
  if (x == 0 || y == 0 || x >= w - 1 || y >= h.n / w - 1 || (x ^ y) & 1) return 0;
  double around = (double)h.a[i - 1] + h.a[i + 1] + h.a[i - w] + h.a[i + w];
  return h.a[i] + 1.6 * (0.25 * around - h.a[i]);
}

// Spins of a magnet: each flips with a probability that depends on its neighbours.
static __host__ __device__ uint32_t scramble(uint32_t v) {
  v ^= v >> 16;
  v *= 0x21f0aaadu;
  v ^= v >> 15;
  v *= 0xd35a2d97u;
  return v ^ v >> 15;
}

static __global__ void spins(const uint8_t *a, uint8_t *c, uint32_t w, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  uint32_t around = (a[(i - 1) & (n - 1)] & 1) + (a[(i + 1) & (n - 1)] & 1) +
                    (a[(i - w) & (n - 1)] & 1) + (a[(i + w) & (n - 1)] & 1);
  uint32_t self = a[i] & 1, cost = self ? around : 4 - around;
  uint32_t limit = cost < 2 ? 0xffffffffu : cost == 2 ? 0x80000000u : 0x10000000u >> cost;
  c[i] = (uint8_t)(scramble(i) < limit ? 1 - self : self);
}

static double expect_spins(const Host &h, uint32_t i) {
  uint32_t w = 1u << h.log2_n / 2, around = 0;
  for (uint32_t at : {i - 1, i + 1, i - w, i + w}) around += h.bytes[at % h.n] & 1;
  uint32_t self = h.bytes[i] & 1, cost = self ? around : 4 - around;
  uint32_t limit = cost < 2 ? 0xffffffffu : cost == 2 ? 0x80000000u : 0x10000000u >> cost;
  return scramble(i) < limit ? 1 - self : self;
}

// What a wind carries along: every cell looks up where its contents were, up to 4 cells away.
static __global__ void carry_along(const float *wind, const float *a, float *c, uint32_t w,
                                   uint32_t h) {
  uint32_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y, i = y * w + x;
  float speed = wind[i] * 4.0f;
  float fx = fmaxf((float)x - speed, 0.0f), fy = fmaxf((float)y - 0.5f * speed, 0.0f);
  uint32_t col = min((uint32_t)fx, w - 2), row = min((uint32_t)fy, h - 2);
  float u = fx - (float)col, v = fy - (float)row;
  const float *p = a + row * w + col;
  c[i] = (p[0] * (1.0f - u) + p[1] * u) * (1.0f - v) + (p[w] * (1.0f - u) + p[w + 1] * u) * v;
}

static double expect_carry_along(const Host &h, uint32_t i) {
  uint32_t w = 1u << h.log2_n / 2, high = h.n / w, x = i % w, y = i / w;
  float speed = h.a[i] * 4.0f;
  float fx = std::max((float)x - speed, 0.0f), fy = std::max((float)y - 0.5f * speed, 0.0f);
  uint32_t col = std::min((uint32_t)fx, w - 2), row = std::min((uint32_t)fy, high - 2);
  double u = fx - (float)col, v = fy - (float)row;
  const float *p = &h.b[row * w + col];
  return (p[0] * (1 - u) + p[1] * u) * (1 - v) + (p[w] * (1 - u) + p[w + 1] * u) * v;
}

// Rays over a landscape: each goes on until the ground is above it, at most 64 steps.
static __global__ void landscape(const float *ground, uint32_t *out, uint32_t w, uint32_t n) {
  uint32_t i = place(), steps = 0;
  if (i >= n) return;
  float height = 1.0f;
  while (steps < 64 && ground[(i + steps * (w + 1)) & (n - 1)] < height) {
    height -= 0.015625f;
    steps++;
  }
  out[i] = steps;
}

static double expect_landscape(const Host &h, uint32_t i) {
  uint32_t w = 1u << h.log2_n / 2, steps = 0;
  while (steps < 64 && h.a[(i + steps * (w + 1)) % h.n] < 1.0f - (float)steps * 0.015625f) steps++;
  return steps;
}

// A bumpy surface in the light of 24 lamps.
static __global__ void lamps(const float4 *lamp, float *out, uint32_t w) {
  uint32_t x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  float px = (float)x / (float)w, py = (float)y / (float)w, sum = 0.0f;
  float nx = 0.3f * (px - 0.5f), ny = 0.3f * (py - 0.5f);
  for (uint32_t k = 0; k < 24; k++) {
    float4 l = lamp[k];
    float dx = l.x - px, dy = l.y - py, dz = l.z + 0.2f;
    float inverse = rsqrtf(dx * dx + dy * dy + dz * dz);
    float light = fmaxf(0.0f, (nx * dx + ny * dy + dz) * inverse);
    sum += l.w * light * light * inverse;
  }
  out[y * w + x] = sum;
}

static double expect_lamps(const Host &h, uint32_t at) {
  uint32_t w = 1u << h.log2_n / 2;
  double px = (double)(at % w) / w, py = (double)(at / w) / w, sum = 0;
  for (uint32_t k = 0; k < 24; k++) {
    const float *l = &h.a[4 * k];
    double dx = l[0] - px, dy = l[1] - py, dz = l[2] + 0.2;
    double r = sqrt(dx * dx + dy * dy + dz * dz);
    double light = std::max(0.0, (0.3 * (px - 0.5) * dx + 0.3 * (py - 0.5) * dy + dz) / r);
    sum += l[3] * light * light / r;
  }
  return sum;
}

// A cube of w^3: all 27 neighbours, weighted by how they touch.
static __global__ void points_27(const float *a, float *c, uint32_t w) {
  uint32_t x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
  float sum = 0.0f;
  if (x == 0 || y == 0 || z == 0 || x >= w - 1 || y >= w - 1 || z >= w - 1) return;
#pragma unroll
  for (uint32_t k = 0; k < 27; k++) {
    float v = a[((z + k / 9 - 1) * w + y + k / 3 % 3 - 1) * w + x + k % 3 - 1];
    uint32_t off = (k / 9 != 1) + (k / 3 % 3 != 1) + (k % 3 != 1);
    sum += v * (off == 0 ? 8.0f : off == 1 ? 4.0f : off == 2 ? 2.0f : 1.0f);
  }
  c[(z * w + y) * w + x] = sum / 64.0f;
}

static double expect_points_27(const Host &h, uint32_t at) {
  uint32_t w = 1u << h.log2_n / 3, x = at % w, y = at / w % w, z = at / w / w;
  double sum = 0;
  if (x == 0 || y == 0 || z == 0 || x >= w - 1 || y >= w - 1 || z >= w - 1) return 0;
  for (uint32_t p = 0; p < 3; p++)
    for (uint32_t q = 0; q < 3; q++)
      for (uint32_t r = 0; r < 3; r++)
        sum += (double)h.a[((z + p - 1) * w + y + q - 1) * w + x + r - 1] *
               (8 >> ((p != 1) + (q != 1) + (r != 1)));
  return sum / 64;
}

// Vectors of three floats, one after another: loads 12 bytes apart.
static __global__ void unit_vectors(const float *v, float *out, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  float x = v[3 * i], y = v[3 * i + 1], z = v[3 * i + 2], scale = rsqrtf(x * x + y * y + z * z);
  out[3 * i] = x * scale;
  out[3 * i + 1] = y * scale;
  out[3 * i + 2] = z * scale;
}

static double expect_unit_vectors(const Host &h, uint32_t at) {
  uint32_t i = at / 3;
  if (i >= h.n / 4) return 0;
  double x = h.a[3 * i], y = h.a[3 * i + 1], z = h.a[3 * i + 2];
  return h.a[at] / sqrt(x * x + y * y + z * z);
}

struct Particle {
  float x, y, z, mass, vx, vy, vz, charge;
};

// Structures of 32 bytes, all of which are read and half of which are used.
static __global__ void drift(const Particle *p, float *out, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  Particle me = p[i];
  out[i] = me.x * me.vx + me.y * me.vy + me.z * me.vz;
}

static double expect_drift(const Host &h, uint32_t at) {
  const float *p = &h.a[at * 8];
  return (double)p[0] * p[4] + (double)p[1] * p[5] + (double)p[2] * p[6];
}

// Points drawn onto a picture of 512 x 512; the nearest one of a pixel stays.
static __global__ void draw_points(const float *p, uint32_t *depth, uint32_t n) {
  uint32_t i = place();
  if (i >= n / 4) return;
  uint32_t x = (uint32_t)(p[4 * i] * 1023.0f) & 511, y = (uint32_t)(p[4 * i + 1] * 1023.0f) & 511;
  atomicMax(&depth[(y << 9 | x) & (n - 1)], (uint32_t)(p[4 * i + 2] * 0x1p24f));
}

static double expect_draw_points(const Host &h, uint32_t at) {
  uint32_t most = 0;
  for (uint32_t i = 0; i < h.n / 4; i++) {
    const float *p = &h.a[4 * i];
    uint32_t x = (uint32_t)(p[0] * 1023.0f) & 511, y = (uint32_t)(p[1] * 1023.0f) & 511;
    if (((y << 9 | x) & (h.n - 1)) == at) most = std::max(most, (uint32_t)(p[2] * 0x1p24f));
  }
  return most;
}

static uint32_t wide(const Data &d) { return 1u << d.log2_n / 2; }
static uint32_t high(const Data &d) { return d.n / wide(d); }
static uint32_t cube(const Data &d) { return 1u << d.log2_n / 3; }
static dim3 over(const Data &d, uint32_t x, uint32_t y) { return dim3(wide(d) / x, high(d) / y); }
static uint8_t *bytes(const Data &d) { return (uint8_t *)d.out; }

static const Kernel list[] = {
    {SECOND(life, "automaton"),
     {16, 20, 24},
     [](const Data &d) {
       life<<<over(d, 64, 4), dim3(64, 4)>>>(d.bytes, bytes(d), wide(d), high(d));
     },
     BYTES,
     1,
     expect_life},
    {SECOND(life_bits, "automaton"),
     {16, 20, 25},
     [](const Data &d) { life_bits<<<over(d, 128, 1), 128>>>(d.index, d.out, wide(d), high(d)); },
     WORDS,
     1,
     expect_life_bits},
    {SECOND(spins, "automaton"),
     {16, 20, 24},
     [](const Data &d) { spins<<<blocks_for(d.n, 512), 512>>>(d.bytes, bytes(d), wide(d), d.n); },
     BYTES,
     1,
     expect_spins},
    {SECOND(boltzmann, "fluid"),
     {18, 22, 26},
     [](const Data &d) {
       boltzmann<<<blocks_for(d.n / 16, 128), 128>>>(d.a, d.c, 1u << (d.log2_n - 4) / 2, d.n / 16);
     },
     FLOATS,
     1,
     expect_boltzmann},
    {SECOND(red_cells, "fluid"),
     {16, 20, 24},
     [](const Data &d) { red_cells<<<over(d, 64, 4), dim3(32, 4)>>>(d.a, d.c, wide(d), high(d)); },
     FLOATS,
     1,
     expect_red_cells},
    {SECOND(carry_along, "fluid"),
     {16, 20, 24},
     [](const Data &d) {
       carry_along<<<over(d, 32, 8), dim3(32, 8)>>>(d.a, d.b, d.c, wide(d), high(d));
     },
     FLOATS,
     1,
     expect_carry_along},
    {SECOND(points_27, "fluid"),
     {15, 18, 24},
     [](const Data &d) {
       points_27<<<dim3(cube(d) / 32, cube(d) / 4, cube(d)), dim3(32, 4)>>>(d.a, d.c, cube(d));
     },
     FLOATS,
     1,
     expect_points_27},
    {SECOND(landscape, "picture"),
     {16, 20, 22},
     [](const Data &d) { landscape<<<blocks_for(d.n, 128), 128>>>(d.a, d.out, wide(d), d.n); },
     WORDS,
     1,
     expect_landscape},
    {SECOND(lamps, "picture"),
     {14, 18, 22},
     [](const Data &d) { lamps<<<over(d, 16, 8), dim3(16, 8)>>>((float4 *)d.a, d.c, wide(d)); },
     FLOATS,
     1,
     expect_lamps},
    {SECOND(draw_points, "picture"),
     {18, 21, 24},
     [](const Data &d) { draw_points<<<blocks_for(d.n / 4, 256), 256>>>(d.a, d.out, d.n); },
     WORDS,
     1,
     expect_draw_points},
    {SECOND(unit_vectors, "particles"),
     {16, 20, 24},
     [](const Data &d) { unit_vectors<<<blocks_for(d.n / 4, 256), 256>>>(d.a, d.c, d.n / 4); },
     FLOATS,
     1,
     expect_unit_vectors},
    {SECOND(drift, "particles"),
     {16, 21, 26},
     [](const Data &d) {
       drift<<<blocks_for(d.n / 8, 256), 256>>>((const Particle *)d.a, d.c, d.n / 8);
     },
     FLOATS,
     8,
     expect_drift},
};

Kernels field_kernels() { GIVE(list); }
