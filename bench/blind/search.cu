// SPDX-License-Identifier: MIT
// search.cu - sorting, hashing and strings.
#include "blind.cuh"

static __global__ void bitonic_step(uint32_t *x, uint32_t n, uint32_t distance, uint32_t size) {
  uint32_t i = place(), at = (i / distance) * 2 * distance + i % distance;
  if (i >= n / 2) return;
  uint32_t u = x[at], v = x[at + distance];
  bool up = (at & size) == 0;
  if ((u > v) == up) {
    x[at] = v;
    x[at + distance] = u;
  }
}

static __global__ void bitonic_shared(const uint32_t *x, uint32_t *y) {
  __shared__ uint32_t s[512];
  uint32_t t = threadIdx.x, base = blockIdx.x * 512;
  s[t] = x[base + t];
  s[t + 256] = x[base + t + 256];
  for (uint32_t size = 2; size <= 512; size *= 2) {
    for (uint32_t d = size / 2; d > 0; d /= 2) {
      __syncthreads();
      uint32_t at = 2 * t - (t & (d - 1));
      uint32_t u = s[at], v = s[at + d];
      if ((u > v) == ((at & size) == 0)) s[at] = v, s[at + d] = u;
    }
  }
  __syncthreads();
  y[base + t] = s[t];
  y[base + t + 256] = s[t + 256];
}

// Every element counts the smaller ones of its block's 256.
static __global__ void rank_sort(const uint32_t *x, uint32_t *y) {
  __shared__ uint32_t s[256];
  uint32_t mine = x[place()], rank = 0;
  s[threadIdx.x] = mine;
  __syncthreads();
  for (uint32_t k = 0; k < 256; k++) rank += s[k] < mine || (s[k] == mine && k < threadIdx.x);
  y[blockIdx.x * 256 + rank] = mine;
}

static __global__ void scatter(const uint32_t *to, const float *x, float *y, uint32_t n) {
  uint32_t i = place();
  if (i < n) y[to[i]] = x[i];
}

static __global__ void gather(const uint32_t *from, const float *x, float *y, uint32_t n) {
  for (uint32_t i = place(); i < n; i += gridDim.x * blockDim.x) y[i] = x[from[i]];
}

// Binary search in n ascending numbers, which are their own places times two.
static __global__ void lower_bound(const uint32_t *rows, const uint32_t *keys, uint32_t *out,
                                   uint32_t n_rows, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  uint32_t low = 0, high = n_rows, key = keys[i];
  while (low < high) {
    uint32_t mid = (low + high) / 2;
    if (rows[mid] < key) low = mid + 1;
    else high = mid;
  }
  out[i] = low;
}

static __global__ void mark_large(const float *x, uint32_t *out, uint32_t n) {
  uint32_t i = place();
  bool large = i < n && x[i] > 0.9f;
  uint32_t votes = __ballot_sync(0xffffffffu, large);
  if (threadIdx.x % 32 == 0 && i < n) out[i / 32] = votes;
}

static __device__ uint32_t hash(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// Half as many keys as places; out is empty (0) at the beginning and stays full afterwards.
static __global__ void hash_insert(uint32_t *table, uint32_t n) {
  uint32_t i = place();
  if (i >= n / 2) return;
  uint32_t at = hash(i) & (n - 1), key = i + 1;
  for (int tries = 0; tries < 64; tries++) {
    uint32_t was = atomicCAS(&table[at], 0u, key);
    if (was == 0 || was == key) return;
    at = (at + 1) & (n - 1);
  }
}

static __global__ void hash_look_up(const uint32_t *table, uint32_t *out, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  uint32_t at = hash(i) & (n - 1), found = 0;
  for (int tries = 0; tries < 4; tries++) {
    uint32_t key = table[at];
    if (key % 3 == 0) {
      found = key;
      break;
    }
    at = (at + 1) & (n - 1);
  }
  out[i] = found;
}

static __global__ void bloom_set(const uint32_t *keys, uint32_t *bits, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  uint32_t h = hash(keys[i]);
#pragma unroll
  for (int k = 0; k < 3; k++) {
    atomicOr(&bits[(h & (n - 1)) / 32], 1u << (h & 31));
    h = hash(h + 1);
  }
}

// A hash of 32 bytes per thread.
static __global__ void fnv(const uint8_t *text, uint32_t *out, uint32_t n) {
  uint32_t i = place(), h = 2166136261u;
  if (i >= n / 32) return;
  for (uint32_t k = 0; k < 32; k++) h = (h ^ text[i * 32 + k]) * 16777619u;
  out[i] = h;
}

static __global__ void find_word(const uint8_t *text, uint32_t *out, uint32_t n) {
  const uint8_t word[8] = {1, 0, 3, 2, 2, 1, 0, 3};
  uint32_t i = place(), k = 0;
  if (i + 8 > n) return;
  while (k < 8 && text[i + k] == word[k]) k++;
  if (k == 8) atomicAdd(out, 1u);
}

// How often each word of eight letters occurs.
static __global__ void count_words(const uint8_t *text, uint32_t *bins, uint32_t n) {
  uint32_t i = place(), word = 0;
  if (i + 8 > n) return;
  for (int k = 0; k < 8; k++) word = word * 4 + text[i + k];
  atomicAdd(&bins[word], 1u);
}

// Edit distance of words of 16 letters, a pair per thread.
static __global__ void distance(const uint8_t *text, uint32_t *out, uint32_t n) {
  uint32_t i = place();
  if (i >= n / 32) return;
  const uint8_t *p = text + i * 32, *q = p + 16;
  int row[17];
#pragma unroll
  for (int k = 0; k <= 16; k++) row[k] = k;
  for (int a = 0; a < 16; a++) {
    int corner = row[0]++;
#pragma unroll
    for (int k = 1; k <= 16; k++) {
      int best = min(row[k], row[k - 1]) + 1;
      best = min(best, corner + (p[a] != q[k - 1]));
      corner = row[k];
      row[k] = best;
    }
  }
  out[i] = (uint32_t)row[16];
}

static const Kernel list[] = {
    {"bitonic_step",
     "sort",
     true,
     {16, 20, 24},
     [](const Data &d) {
       bitonic_step<<<blocks_for(d.n / 2, 256), 256>>>(d.out, d.n, d.n / 8, d.n / 4);
     }},
    {"bitonic_shared",
     "sort",
     false,
     {16, 20, 22},
     [](const Data &d) { bitonic_shared<<<d.n / 512, 256>>>(d.index, d.out); }},
    {"rank_sort",
     "sort",
     true,
     {14, 18, 20},
     [](const Data &d) { rank_sort<<<d.n / 256, 256>>>(d.index, d.out); }},
    {"scatter",
     "sort",
     false,
     {16, 20, 24},
     [](const Data &d) { scatter<<<blocks_for(d.n, 256), 256>>>(d.index, d.a, d.c, d.n); }},
    {"gather",
     "sort",
     true,
     {16, 20, 24},
     [](const Data &d) { gather<<<396, 512>>>(d.index, d.a, d.c, d.n); }},
    {"lower_bound",
     "sort",
     false,
     {16, 20, 22},
     [](const Data &d) {
       lower_bound<<<blocks_for(d.n, 256), 256>>>(d.rows, d.index, d.out, d.n / 8, d.n);
     }},
    {"mark_large",
     "sort",
     true,
     {18, 22, 26},
     [](const Data &d) { mark_large<<<blocks_for(d.n, 1024), 1024>>>(d.a, d.out, d.n); }},
    {"hash_insert",
     "hash",
     false,
     {16, 20, 23},
     [](const Data &d) { hash_insert<<<blocks_for(d.n / 2, 256), 256>>>(d.out, d.n); }},
    {"hash_look_up",
     "hash",
     true,
     {16, 20, 23},
     [](const Data &d) { hash_look_up<<<blocks_for(d.n, 256), 256>>>(d.index, d.out, d.n); }},
    {"bloom_set",
     "hash",
     false,
     {16, 20, 22},
     [](const Data &d) { bloom_set<<<blocks_for(d.n, 256), 256>>>(d.index, d.out, d.n); }},
    {"fnv",
     "hash",
     true,
     {16, 20, 24},
     [](const Data &d) { fnv<<<blocks_for(d.n / 32, 64), 64>>>(d.bytes, d.out, d.n); }},
    {"find_word",
     "string",
     false,
     {16, 20, 24},
     [](const Data &d) { find_word<<<blocks_for(d.n, 256), 256>>>(d.bytes, d.out, d.n); }},
    {"count_words",
     "string",
     true,
     {16, 20, 22},
     [](const Data &d) { count_words<<<blocks_for(d.n, 256), 256>>>(d.bytes, d.out, d.n); }},
    {"distance",
     "string",
     false,
     {16, 20, 23},
     [](const Data &d) { distance<<<blocks_for(d.n / 32, 128), 128>>>(d.bytes, d.out, d.n); }},
};

Kernels search_kernels() { GIVE(list); }
