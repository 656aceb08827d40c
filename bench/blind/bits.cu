// SPDX-License-Identifier: MIT
// bits.cu - second set: random numbers, ciphers, long integers, permutations, and doubles.
#include "blind.cuh"

#include <cmath>

// The bits of a place's two coordinates, one by one in turns.
static __host__ __device__ uint32_t spread(uint32_t v) {
  v = (v | v << 8) & 0x00ff00ffu;
  v = (v | v << 4) & 0x0f0f0f0fu;
  v = (v | v << 2) & 0x33333333u;
  return (v | v << 1) & 0x55555555u;
}

static __global__ void morton(const uint32_t *x, uint32_t *y, uint32_t n) {
  for (uint32_t i = place(); i < n; i += gridDim.x * blockDim.x)
    y[i] = spread(x[i] & 0xffff) | spread(x[i] >> 16) << 1;
}

static double expect_morton(const Host &h, uint32_t i) {
  uint32_t out = 0;
  for (uint32_t bit = 0; bit < 16; bit++)
    out |= (h.index[i] >> bit & 1) << 2 * bit | (h.index[i] >> (16 + bit) & 1) << (2 * bit + 1);
  return out;
}

// Philox 4 x 32 with ten rounds: four numbers per thread and counter.
static __host__ __device__ uint4 philox_numbers(uint32_t counter) {
  uint4 v = {counter, 1, 2, 3};
  uint32_t k = 0x12345678u, l = 0x9abcdef0u;
  for (int round = 0; round < 10; round++) {
    uint64_t p = (uint64_t)0xd2511f53u * v.x, q = (uint64_t)0xcd9e8d57u * v.z;
    v = {(uint32_t)(q >> 32) ^ v.y ^ k, (uint32_t)q, (uint32_t)(p >> 32) ^ v.w ^ l, (uint32_t)p};
    k += 0x9e3779b9u;
    l += 0xbb67ae85u;
  }
  return v;
}

static __global__ void philox(uint4 *y, uint32_t n) {
  uint32_t i = place();
  if (i < n) y[i] = philox_numbers(i);
}

static double expect_philox(const Host &, uint32_t at) {
  uint4 v = philox_numbers(at / 4);
  return at % 4 == 0 ? v.x : at % 4 == 1 ? v.y : at % 4 == 2 ? v.z : v.w;
}

static __host__ __device__ uint32_t turn(uint32_t v, int by) { return v << by | v >> (32 - by); }

static __host__ __device__ void quarter(uint32_t *v, int a, int b, int c, int d) {
  v[a] += v[b];
  v[d] = turn(v[d] ^ v[a], 16);
  v[c] += v[d];
  v[b] = turn(v[b] ^ v[c], 12);
  v[a] += v[b];
  v[d] = turn(v[d] ^ v[a], 8);
  v[c] += v[d];
  v[b] = turn(v[b] ^ v[c], 7);
}

static __host__ __device__ void chacha_block(uint32_t counter, uint32_t *v) {
  for (uint32_t k = 0; k < 16; k++) v[k] = 0x61707865u * (k + 1);
  v[12] = counter;
#pragma unroll 1
  for (int round = 0; round < 10; round++) {
    for (int k = 0; k < 4; k++) quarter(v, k, 4 + k, 8 + k, 12 + k);
    for (int k = 0; k < 4; k++) quarter(v, k, 4 + (k + 1) % 4, 8 + (k + 2) % 4, 12 + (k + 3) % 4);
  }
}

// A stream cipher: 64 bytes per thread, enciphered where they are read, written far apart.
static __global__ void chacha(const uint32_t *x, uint32_t *y, uint32_t n) {
  uint32_t i = place(), v[16];
  if (i >= n) return;
  chacha_block(i, v);
#pragma unroll
  for (uint32_t k = 0; k < 16; k++) y[i * 16 + k] = x[i * 16 + k] ^ v[k];
}

static double expect_chacha(const Host &h, uint32_t at) {
  uint32_t v[16];
  chacha_block(at / 16, v);
  return h.index[at] ^ v[at % 16];
}

// Products of numbers of 256 bits: eight words by eight words, interleaved; a sum of the words.
static __host__ __device__ void multiply(const uint32_t *u, const uint32_t *v, uint32_t *product) {
#pragma unroll
  for (int i = 0; i < 16; i++) product[i] = 0;
#pragma unroll
  for (int i = 0; i < 8; i++) {
    uint64_t carry = 0;
#pragma unroll
    for (int k = 0; k < 8; k++) {
      carry += (uint64_t)u[i] * v[k] + product[i + k];
      product[i + k] = (uint32_t)carry;
      carry >>= 32;
    }
    product[i + 8] = (uint32_t)carry;
  }
}

static __global__ void big_multiply(const uint32_t *x, uint32_t *y, uint32_t n) {
  uint32_t i = place(), u[8], v[8], product[16], sum = 0;
  if (i >= n) return;
#pragma unroll
  for (uint32_t k = 0; k < 8; k++) {
    u[k] = x[k * n + i] * 0x9e3779b9u;
    v[k] = x[(8 + k) * n + i] * 0x85ebca6bu;
  }
  multiply(u, v, product);
#pragma unroll
  for (int k = 0; k < 16; k++) sum ^= product[k];
  y[i] = sum;
}

static double expect_big_multiply(const Host &h, uint32_t i) {
  uint32_t u[8], v[8], product[16], sum = 0, n = h.n / 16;
  for (uint32_t k = 0; k < 8; k++) {
    u[k] = h.index[k * n + i] * 0x9e3779b9u;
    v[k] = h.index[(8 + k) * n + i] * 0x85ebca6bu;
  }
  multiply(u, v, product);
  for (uint32_t word : product) sum ^= word;
  return sum;
}

// In how many bits all pairs of `size` words differ.
static __global__ void hamming(const uint32_t *x, uint32_t *y, uint32_t size) {
  uint32_t col = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 8 + threadIdx.y;
  y[row * size + col] = (uint32_t)__popc(x[row] ^ x[col]);
}

static double expect_hamming(const Host &h, uint32_t at) {
  uint32_t size = 1u << h.log2_n / 2;
  return __builtin_popcount(h.index[at / size] ^ h.index[at % size]);
}

// The order in which a Fourier transform wants its elements: scattered stores without a conflict.
static __global__ void reversed(const float *x, float *y, uint32_t log2_n) {
  uint32_t i = place();
  y[__brev(i) >> (32 - log2_n)] = x[i];
}

static double expect_reversed(const Host &h, uint32_t at) {
  uint32_t from = 0;
  for (uint32_t bit = 0; bit < h.log2_n; bit++) from |= (at >> bit & 1) << (h.log2_n - 1 - bit);
  return h.a[from];
}

// Queens on a board of 8 x 8 with the first two rows given: a search without recursion.
static __host__ __device__ uint32_t queens_from(uint32_t first, uint32_t second) {
  uint32_t cols[8] = {}, lefts[8] = {}, rights[8] = {}, free[8] = {}, found = 0;
  int row = 2;
  uint32_t p = 1u << first, q = 1u << second;
  if (p == q || (p << 1) == q || (p >> 1) == q) return 0;
  cols[2] = p | q;
  lefts[2] = (p << 1 | q) << 1;
  rights[2] = (p >> 1 | q) >> 1;
  free[2] = ~(cols[2] | lefts[2] | rights[2]) & 255;
  while (row >= 2) {
    uint32_t at = free[row] & (0u - free[row]);
    if (at == 0) {
      row--;
      continue;
    }
    free[row] ^= at;
    if (row == 7) {
      found++;
      continue;
    }
    cols[row + 1] = cols[row] | at;
    lefts[row + 1] = (lefts[row] | at) << 1;
    rights[row + 1] = (rights[row] | at) >> 1;
    row++;
    free[row] = ~(cols[row] | lefts[row] | rights[row]) & 255;
  }
  return found;
}

static __global__ void queens(const uint32_t *x, uint32_t *out, uint32_t n) {
  uint32_t i = place();
  if (i < n) out[i] = queens_from(x[i] & 7, x[i] >> 3 & 7);
}

static double expect_queens(const Host &h, uint32_t i) {
  return queens_from(h.index[i] & 7, h.index[i] >> 3 & 7);
}

// Kepler's equation by Newton's method in double precision, with a series for sine and cosine.
static __host__ __device__ double kepler_root(double mean) {
  double e = mean;
  for (int turn = 0; turn < 4; turn++) {
    double s = e, c = 1.0, term = e, even = 1.0, square = e * e;
#pragma unroll
    for (int k = 1; k < 8; k++) {
      even *= -square / (double)((2 * k - 1) * 2 * k);
      c += even;
      term *= -square / (double)(2 * k * (2 * k + 1));
      s += term;
    }
    e -= (e - 0.3 * s - mean) / (1.0 - 0.3 * c);
  }
  return e;
}

static __global__ void kepler(const double *mean, float *out, uint32_t n) {
  uint32_t i = place();
  if (i < n) out[i] = (float)kepler_root(mean[i]);
}

static double expect_kepler(const Host &h, uint32_t i) { return kepler_root(h.x[i]); }

static uint32_t side(const Data &d) { return 1u << d.log2_n / 2; }

static const Kernel list[] = {
    {SECOND(morton, "permutation"),
     {16, 21, 26},
     [](const Data &d) { morton<<<1056, 128>>>(d.index, d.out, d.n); },
     WORDS,
     1,
     expect_morton},
    {SECOND(reversed, "permutation"),
     {16, 20, 24},
     [](const Data &d) { reversed<<<d.n / 256, 256>>>(d.a, d.c, d.log2_n); },
     FLOATS,
     1,
     expect_reversed},
    {SECOND(philox, "random"),
     {16, 20, 24},
     [](const Data &d) { philox<<<blocks_for(d.n / 4, 256), 256>>>((uint4 *)d.out, d.n / 4); },
     WORDS,
     1,
     expect_philox},
    {SECOND(chacha, "cipher"),
     {16, 20, 23},
     [](const Data &d) { chacha<<<blocks_for(d.n / 16, 128), 128>>>(d.index, d.out, d.n / 16); },
     WORDS,
     1,
     expect_chacha},
    {SECOND(big_multiply, "integers"),
     {18, 21, 24},
     [](const Data &d) {
       big_multiply<<<blocks_for(d.n / 16, 128), 128>>>(d.index, d.out, d.n / 16);
     },
     WORDS,
     16,
     expect_big_multiply},
    {SECOND(hamming, "integers"),
     {16, 20, 26},
     [](const Data &d) {
       hamming<<<dim3(side(d) / 32, side(d) / 8), dim3(32, 8)>>>(d.index, d.out, side(d));
     },
     WORDS,
     1,
     expect_hamming},
    {SECOND(queens, "search"),
     {14, 16, 18},
     [](const Data &d) { queens<<<blocks_for(d.n / 8, 64), 64>>>(d.index, d.out, d.n / 8); },
     WORDS,
     8,
     expect_queens},
    {SECOND(kepler, "doubles"),
     {15, 19, 22},
     [](const Data &d) { kepler<<<blocks_for(d.n / 2, 128), 128>>>(d.x, d.c, d.n / 2); },
     FLOATS,
     2,
     expect_kepler},
};

Kernels bit_kernels() { GIVE(list); }
