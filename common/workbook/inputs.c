// SPDX-License-Identifier: MIT
// inputs.c - deterministic inputs; see inputs.h for what each kind promises.
#include "inputs.h"

#include <math.h>

static const uint64_t exact_limit = UINT64_C(1) << 24; // integers up to here are exact in float

uint64_t wb_random(uint64_t seed, uint64_t index) {
  uint64_t z = seed * UINT64_C(0xd1342543de82ef95) + (index + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

unsigned wb_drawn(uint64_t seed, unsigned k, unsigned least, unsigned most) {
  return least + (unsigned)(wb_random(seed ^ UINT64_C(0x73697a6573), k) % (most - least + 1));
}

// Uniform in [0, bound), bound < 2^32; the bias of the multiplication is below 2^-31.
static uint32_t below(uint64_t random, uint64_t bound) {
  return (uint32_t)(((random >> 32) * bound) >> 32);
}

const char *wb_input_kind_name(wb_input_kind kind) {
  static const char *const names[WB_INPUT_KIND_COUNT] = {"integers", "unit", "mixed"};
  return (unsigned)kind < WB_INPUT_KIND_COUNT ? names[kind] : "unknown";
}

static float integer_value(uint64_t seed, uint64_t index, uint64_t n) {
  uint64_t magnitude_limit = n == 0 ? 1 : exact_limit / n;
  if (magnitude_limit == 0) {
    // More elements than 2^24: one in `stride` is not zero, which keeps sum|x| <= 2^24.
    const uint64_t stride = (n + exact_limit - 1) / exact_limit;
    if (index % stride != wb_random(seed, index / stride + n) % stride) return 0.0f;
    magnitude_limit = 1;
    // The last stride may be cut short, never longer: at most ceil(n / stride) <= 2^24 ones.
  }
  if (magnitude_limit > 1000) magnitude_limit = 1000;
  const uint64_t random = wb_random(seed, index);
  const float magnitude = (float)(1 + below(random, magnitude_limit));
  return (random & 3) != 0 ? magnitude : -magnitude;
}

static float float_value(wb_input_kind kind, uint64_t seed, uint64_t index, uint64_t n) {
  const uint64_t random = wb_random(seed, index);
  switch (kind) {
  case WB_INPUT_INTEGERS: return integer_value(seed, index, n);
  case WB_INPUT_UNIT: return (float)(random >> 40) * 0x1p-24f;
  default: return (float)((int32_t)(random >> 40) - (1 << 23)) * 0x1p-23f;
  }
}

void wb_fill_floats_at(wb_input_kind kind, float *x, size_t first, size_t count, size_t n,
                       uint64_t seed) {
  for (size_t i = 0; i < count; i++) x[i] = float_value(kind, seed, first + i, n);
}

void wb_fill_floats(wb_input_kind kind, float *x, size_t n, uint64_t seed) {
  wb_fill_floats_at(kind, x, 0, n, n, seed);
}

static int32_t range_value(int32_t low, int32_t high, uint64_t seed, uint64_t index) {
  const uint64_t width = (uint64_t)((int64_t)high - low + 1);
  const uint64_t random = wb_random(seed, index);
  if (width > UINT32_MAX) return (int32_t)(uint32_t)(random >> 32);
  return (int32_t)((int64_t)low + below(random, width));
}

void wb_fill_float_range(float *x, size_t n, int32_t low, int32_t high, uint64_t seed) {
  for (size_t i = 0; i < n; i++) x[i] = (float)range_value(low, high, seed, i);
}

void wb_fill_one_hot(float *x, size_t n, size_t index, float value, float background) {
  for (size_t i = 0; i < n; i++) x[i] = background;
  if (index < n) x[index] = value;
}

const char *wb_special_name(wb_special special) {
  static const char *const names[WB_SPECIAL_COUNT] = {"NaN", "+Inf", "-Inf", "-0"};
  return (unsigned)special < WB_SPECIAL_COUNT ? names[special] : "unknown";
}

float wb_special_value(wb_special special) {
  switch (special) {
  case WB_SPECIAL_PLUS_INF: return INFINITY;
  case WB_SPECIAL_MINUS_INF: return -INFINITY;
  case WB_SPECIAL_MINUS_ZERO: return -0.0f;
  default: return NAN;
  }
}

void wb_put_special(float *x, size_t n, size_t index, wb_special special) {
  if (index < n) x[index] = wb_special_value(special);
}

void wb_fill_ints_at(int32_t *x, size_t first, size_t count, int32_t low, int32_t high,
                     uint64_t seed) {
  for (size_t i = 0; i < count; i++) x[i] = range_value(low, high, seed, first + i);
}

void wb_fill_ints(int32_t *x, size_t n, int32_t low, int32_t high, uint64_t seed) {
  wb_fill_ints_at(x, 0, n, low, high, seed);
}

const char *wb_samples_name(wb_samples samples) {
  static const char *const names[WB_SAMPLES_COUNT] = {"uniform", "skewed", "equal"};
  return (unsigned)samples < WB_SAMPLES_COUNT ? names[samples] : "unknown";
}

// The values of a skewed input lie apart, and not in order: rank 0, 1, 2 … are 41 apart, modulo
// the number of bins.
static int32_t sample_value(wb_samples samples, uint32_t n_bins, uint64_t seed, uint64_t index) {
  const uint64_t random = wb_random(seed, index);
  uint64_t rank = 0;
  if (samples == WB_SAMPLES_UNIFORM) return (int32_t)((random >> 32) * n_bins >> 32);
  if (samples == WB_SAMPLES_SKEWED) {
    while (rank + 1 < 64 && (random >> rank & 1) != 0) rank++; // half, a quarter, an eighth …
  }
  return (int32_t)((wb_random(seed, UINT64_MAX) + 41 * rank) % n_bins);
}

void wb_fill_samples_at(wb_samples samples, uint32_t n_bins, int32_t *x, size_t first, size_t count,
                        uint64_t seed) {
  for (size_t i = 0; i < count; i++) x[i] = sample_value(samples, n_bins, seed, first + i);
}

void wb_fill_bytes(uint8_t *x, size_t n, uint64_t seed) {
  for (size_t i = 0; i < n; i++) x[i] = (uint8_t)(wb_random(seed, i) >> 56);
}
