// SPDX-License-Identifier: MIT
// lists.cu - second set: merging, selecting, looking up and following lists; text.
#include "blind.cuh"

#include <algorithm>

// Two ascending lists, the halves of one array, merged: eight results per thread, which finds by
// binary search where they begin.
static __global__ void merge(const uint32_t *x, uint32_t *y, uint32_t half) {
  uint32_t first = place() * 8, low = first > half ? first - half : 0, high = min(first, half);
  if (first >= 2 * half) return;
  const uint32_t *left = x, *right = x + half;
  while (low < high) {
    uint32_t mid = (low + high) / 2;
    if (left[mid] <= right[first - 1 - mid]) low = mid + 1;
    else high = mid;
  }
  uint32_t i = low, k = first - low;
  for (uint32_t at = first; at < first + 8; at++) {
    bool from_left = k >= half || (i < half && left[i] <= right[k]);
    y[at] = from_left ? left[i++] : right[k++];
  }
}

static double expect_merge(const Host &h, uint32_t at) {
  auto middle = h.ascending.begin() + h.n / 2;
  uint32_t low = 0, high = 4 * h.n; // the least number that at + 1 elements do not exceed
  while (low < high) {
    uint32_t mid = (low + high) / 2;
    size_t not_above =
        (size_t)(std::upper_bound(h.ascending.begin(), middle, mid) - h.ascending.begin()) +
        (size_t)(std::upper_bound(middle, h.ascending.end(), mid) - middle);
    if (not_above > at) high = mid;
    else low = mid + 1;
  }
  return low;
}

// How often each digit of four bits occurs in 1024 elements of a block: votes, then one addition
// per warp and digit.
static __global__ void digits(const uint32_t *x, uint32_t *counts) {
  __shared__ uint32_t s[16];
  uint32_t lane = threadIdx.x % 32;
  if (threadIdx.x < 16) s[threadIdx.x] = 0;
  __syncthreads();
  for (uint32_t k = 0; k < 4; k++) {
    uint32_t digit = x[blockIdx.x * 1024 + k * 256 + threadIdx.x] >> 4 & 15, mine = 0xffffffffu;
#pragma unroll
    for (uint32_t bit = 0; bit < 4; bit++) {
      uint32_t votes = __ballot_sync(0xffffffffu, digit >> bit & 1);
      mine &= lane >> bit & 1 ? votes : ~votes;
    }
    if (lane < 16) atomicAdd(&s[lane], (uint32_t)__popc(mine));
  }
  __syncthreads();
  if (threadIdx.x < 16) counts[blockIdx.x * 16 + threadIdx.x] = s[threadIdx.x];
}

static double expect_digits(const Host &h, uint32_t at) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < 1024; k++) count += (h.index[at / 16 * 1024 + k] >> 4 & 15) == at % 16;
  return count;
}

// The large elements, packed in any order; a warp reserves its places together. out[n - 1]: how
// many.
static __global__ void pack(const float *x, float *y, uint32_t *count, uint32_t n) {
  uint32_t i = place(), lane = threadIdx.x % 32, first = 0;
  float v = i < n ? x[i] : 0.0f;
  uint32_t votes = __ballot_sync(0xffffffffu, v > 0.4f);
  if (lane == 0) first = atomicAdd(count, (uint32_t)__popc(votes));
  first = __shfl_sync(0xffffffffu, first, 0);
  if (v > 0.4f) y[first + (uint32_t)__popc(votes & ((1u << lane) - 1))] = v;
}

static double expect_pack(const Host &h, uint32_t) {
  return (double)std::count_if(h.a.begin(), h.a.end(), [](float v) { return v > 0.4f; });
}

static __host__ __device__ uint32_t mix(uint32_t x) {
  x ^= x >> 16;
  x *= 0x7feb352du;
  x ^= x >> 15;
  x *= 0x846ca68bu;
  return x ^ x >> 16;
}

// A number's two possible places in a table, the second looked at when the first has an odd entry.
static __global__ void two_places(const uint32_t *keys, const uint32_t *table, uint32_t *out,
                                  uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  uint32_t key = keys[i], v = table[mix(key) & (n - 1)];
  if (v & 1) v = table[mix(~key) & (n - 1)];
  out[i] = v;
}

static double expect_two_places(const Host &h, uint32_t i) {
  uint32_t key = h.index[i], v = h.ascending[mix(key) & (h.n - 1)];
  return v & 1 ? h.ascending[mix(~key) & (h.n - 1)] : v;
}

// How long the texts from two places are the same, a pair of places per thread.
static __global__ void common_start(const uint8_t *text, const uint32_t *index, uint32_t *out,
                                    uint32_t pairs, uint32_t n) {
  uint32_t i = place(), k = 0;
  if (i >= pairs) return;
  uint32_t p = index[2 * i], q = index[2 * i + 1];
  while (k < 64 && text[(p + k) & (n - 1)] == text[(q + k) & (n - 1)]) k++;
  out[i] = k;
}

static double expect_common_start(const Host &h, uint32_t i) {
  uint32_t p = h.index[2 * i], q = h.index[2 * i + 1], k = 0;
  while (k < 64 && h.bytes[(p + k) % h.n] == h.bytes[(q + k) % h.n]) k++;
  return k;
}

// An automaton of 16 states over 64 letters per thread, four at a time; its table in shared memory.
static __global__ void automaton(const uint4 *text, uint32_t *out, uint32_t n) {
  __shared__ uint8_t next[64];
  uint32_t i = place(), state = 0, visits = 0;
  if (threadIdx.x < 64) next[threadIdx.x] = (uint8_t)(mix(threadIdx.x) & 15);
  __syncthreads();
  if (i >= n) return;
  for (uint32_t k = 0; k < 4; k++) {
    uint4 v = text[i * 4 + k];
    uint32_t word[4] = {v.x, v.y, v.z, v.w};
#pragma unroll
    for (uint32_t p = 0; p < 16; p++) {
      state = next[state * 4 + (word[p / 4] >> p % 4 * 8 & 3)];
      visits += state == 3;
    }
  }
  out[i] = visits;
}

static double expect_automaton(const Host &h, uint32_t i) {
  uint32_t state = 0, visits = 0;
  for (uint32_t k = 0; k < 64; k++) {
    state = mix(state * 4 + h.bytes[i * 64 + k]) & 15;
    visits += state == 3;
  }
  return visits;
}

static __host__ __device__ uint32_t letter(uint32_t v) {
  return v < 26 ? 'A' + v : v < 52 ? 'a' + v - 26 : v < 62 ? '0' + v - 52 : v == 62 ? '+' : '/';
}

// Base 64: three bytes to four letters per thread.
static __global__ void base_64(const uint8_t *in, uchar4 *out, uint32_t n) {
  uint32_t i = place();
  if (i >= n) return;
  uint32_t v = (uint32_t)in[3 * i] << 16 | (uint32_t)in[3 * i + 1] << 8 | in[3 * i + 2];
  out[i] = make_uchar4((uint8_t)letter(v >> 18), (uint8_t)letter(v >> 12 & 63),
                       (uint8_t)letter(v >> 6 & 63), (uint8_t)letter(v & 63));
}

static double expect_base_64(const Host &h, uint32_t at) {
  uint32_t i = at / 4;
  const uint8_t *p = &h.bytes[3 * i];
  return letter((p[0] << 16 | p[1] << 8 | p[2]) >> (18 - at % 4 * 6) & 63);
}

// A cyclic checksum of 64 bytes per thread, by a table in shared memory, a byte at a time.
static __global__ void cyclic(const uint32_t *words, uint32_t *out, uint32_t n) {
  __shared__ uint32_t table[256];
  uint32_t v = threadIdx.x, sum = 0xffffffffu, i = place();
  for (int k = 0; k < 8; k++) v = v >> 1 ^ (v & 1 ? 0xedb88320u : 0u);
  table[threadIdx.x] = v;
  __syncthreads();
  if (i >= n) return;
  for (uint32_t k = 0; k < 16; k++) {
    uint32_t word = words[k * n + i];
#pragma unroll
    for (int p = 0; p < 4; p++) sum = sum >> 8 ^ table[(sum ^ word >> 8 * p) & 255];
  }
  out[i] = ~sum;
}

static double expect_cyclic(const Host &h, uint32_t i) {
  uint32_t sum = 0xffffffffu, n = h.n / 16;
  for (uint32_t k = 0; k < 64; k++) {
    sum ^= h.index[k / 4 * n + i] >> k % 4 * 8 & 255;
    for (int bit = 0; bit < 8; bit++) sum = sum >> 1 ^ (sum & 1 ? 0xedb88320u : 0u);
  }
  return ~sum;
}

// A breadth-first step seen from the nodes not yet reached: each looks for a neighbour that is.
static __global__ void pull(const uint32_t *rows, const uint32_t *cols, const uint32_t *level,
                            uint32_t *out, uint32_t n_rows) {
  uint32_t node = place(), parent = 0;
  if (node >= n_rows || level[node] % 2 == 0) return;
  for (uint32_t k = rows[node]; k < rows[node + 1]; k++) {
    uint32_t from = cols[k] % n_rows;
    if (level[from] % 8 == 0) {
      parent = from + 1;
      break;
    }
  }
  out[node] = parent;
}

static double expect_pull(const Host &h, uint32_t node) {
  uint32_t n_rows = h.n / 8;
  if (h.ascending[node] % 2 == 0) return 0;
  for (uint32_t k = h.rows[node]; k < h.rows[node + 1]; k++)
    if (h.ascending[h.index[k] % n_rows] % 8 == 0) return h.index[k] % n_rows + 1;
  return 0;
}

// How many numbers two ascending lists of 16 share, a pair of lists per thread.
static __global__ void overlap(const uint32_t *lists, const uint32_t *index, uint32_t *out,
                               uint32_t pairs, uint32_t n) {
  uint32_t i = place(), k = 0, m = 0, shared = 0;
  if (i >= pairs) return;
  uint32_t p = index[i] & (n - 1) & ~15u, q = (p + 16 * (index[i] & 1)) & (n - 1);
  while (k < 16 && m < 16) {
    uint32_t u = lists[p + k] % 64, v = lists[q + m] % 64;
    shared += u == v;
    k += u <= v;
    m += v <= u;
  }
  out[i] = shared;
}

static double expect_overlap(const Host &h, uint32_t i) {
  uint32_t k = 0, m = 0, shared = 0;
  uint32_t p = h.index[i] & ~15u, q = (p + 16 * (h.index[i] & 1)) & (h.n - 1);
  while (k < 16 && m < 16) {
    uint32_t u = h.ascending[p + k] % 64, v = h.ascending[q + m] % 64;
    shared += u == v;
    k += u <= v;
    m += v <= u;
  }
  return shared;
}

// 32 elements sorted per warp, without shared memory.
static __global__ void warp_sort(const uint32_t *x, uint32_t *y) {
  uint32_t i = place(), lane = threadIdx.x % 32, v = x[i];
#pragma unroll
  for (uint32_t size = 2; size <= 32; size *= 2) {
#pragma unroll
    for (uint32_t d = size / 2; d > 0; d /= 2) {
      uint32_t other = __shfl_xor_sync(0xffffffffu, v, d);
      bool small = ((lane & d) == 0) == ((lane & size) == 0);
      v = small ? min(v, other) : max(v, other);
    }
  }
  y[i] = v;
}

static double expect_warp_sort(const Host &h, uint32_t at) {
  uint32_t v[32];
  std::copy_n(&h.index[at & ~31u], 32, v);
  std::sort(v, v + 32);
  return v[at % 32];
}

// The four largest of 64 elements, per thread, kept in registers.
static __global__ void largest_4(const float *x, float *y, uint32_t n) {
  uint32_t i = place();
  float top[4] = {};
  if (i >= n) return;
  for (uint32_t k = 0; k < 64; k++) {
    float v = x[k * n + i];
#pragma unroll
    for (int p = 0; p < 4; p++) {
      float low = fminf(top[p], v);
      top[p] = fmaxf(top[p], v);
      v = low;
    }
  }
  for (uint32_t p = 0; p < 4; p++) y[p * n + i] = top[p];
}

static double expect_largest_4(const Host &h, uint32_t at) {
  uint32_t n = h.n / 64;
  float v[64];
  for (uint32_t k = 0; k < 64; k++) v[k] = h.a[k * n + at % n];
  std::sort(v, v + 64);
  return at / n < 4 ? v[63 - at / n] : 0;
}

// Where letters change: 1 at the beginning of every run, four letters per thread.
static __global__ void run_starts(const uint8_t *text, uchar4 *out, uint32_t n) {
  for (uint32_t i = place(); i < n; i += gridDim.x * blockDim.x) {
    uchar4 v = ((const uchar4 *)text)[i];
    uint8_t before = i == 0 ? 255 : text[4 * i - 1];
    out[i] = make_uchar4(v.x != before, v.y != v.x, v.z != v.y, v.w != v.z);
  }
}

static double expect_run_starts(const Host &h, uint32_t at) {
  return at == 0 || h.bytes[at] != h.bytes[at - 1];
}

static const Kernel list[] = {
    {SECOND(merge, "order"),
     {16, 20, 24},
     [](const Data &d) { merge<<<blocks_for(d.n / 8, 128), 128>>>(d.ascending, d.out, d.n / 2); },
     WORDS,
     1,
     expect_merge},
    {SECOND(digits, "order"),
     {17, 21, 24},
     [](const Data &d) { digits<<<d.n / 1024, 256>>>(d.index, d.out); },
     WORDS,
     64,
     expect_digits},
    {SECOND(pack, "order"),
     {16, 20, 23},
     [](const Data &d) { pack<<<blocks_for(d.n, 256), 256>>>(d.a, d.c, d.out, d.n); },
     WORDS,
     0,
     expect_pack},
    {SECOND(warp_sort, "order"),
     {16, 20, 24},
     [](const Data &d) { warp_sort<<<d.n / 128, 128>>>(d.index, d.out); },
     WORDS,
     1,
     expect_warp_sort},
    {SECOND(largest_4, "order"),
     {16, 20, 24},
     [](const Data &d) { largest_4<<<blocks_for(d.n / 64, 64), 64>>>(d.a, d.c, d.n / 64); },
     FLOATS,
     16,
     expect_largest_4},
    {SECOND(two_places, "look-up"),
     {16, 20, 24},
     [](const Data &d) {
       two_places<<<blocks_for(d.n, 256), 256>>>(d.index, d.ascending, d.out, d.n);
     },
     WORDS,
     1,
     expect_two_places},
    {SECOND(pull, "graph"),
     {17, 20, 24},
     [](const Data &d) {
       pull<<<blocks_for(d.n / 8, 128), 128>>>(d.rows, d.index, d.ascending, d.out, d.n / 8);
     },
     WORDS,
     8,
     expect_pull},
    {SECOND(overlap, "graph"),
     {16, 20, 23},
     [](const Data &d) {
       overlap<<<blocks_for(d.n / 16, 128), 128>>>(d.ascending, d.index, d.out, d.n / 16, d.n);
     },
     WORDS,
     16,
     expect_overlap},
    {SECOND(common_start, "text"),
     {17, 21, 24},
     [](const Data &d) {
       common_start<<<blocks_for(d.n / 8, 256), 256>>>(d.bytes, d.index, d.out, d.n / 8, d.n);
     },
     WORDS,
     8,
     expect_common_start},
    {SECOND(automaton, "text"),
     {17, 21, 25},
     [](const Data &d) {
       automaton<<<blocks_for(d.n / 64, 64), 64>>>((const uint4 *)d.bytes, d.out, d.n / 64);
     },
     WORDS,
     64,
     expect_automaton},
    {SECOND(base_64, "text"),
     {16, 20, 24},
     [](const Data &d) {
       base_64<<<blocks_for(d.n / 4, 256), 256>>>(d.bytes, (uchar4 *)d.out, d.n / 4);
     },
     BYTES,
     1,
     expect_base_64},
    {SECOND(cyclic, "text"),
     {16, 20, 24},
     [](const Data &d) { cyclic<<<blocks_for(d.n / 16, 256), 256>>>(d.index, d.out, d.n / 16); },
     WORDS,
     16,
     expect_cyclic},
    {SECOND(run_starts, "text"),
     {16, 21, 26},
     [](const Data &d) { run_starts<<<528, 256>>>(d.bytes, (uchar4 *)d.out, d.n / 4); },
     BYTES,
     1,
     expect_run_starts},
};

Kernels list_kernels() { GIVE(list); }
