// SPDX-License-Identifier: MIT
// core/texture_filter.h - private to core/texture*.c: what linear filtering makes of the elements
// around a position.
#ifndef SIMT_CORE_TEXTURE_FILTER_H
#define SIMT_CORE_TEXTURE_FILTER_H

#include "device/texture.h"

typedef struct simt_texel {
  float value[4];   // of floats, and of integers that are read as fractions
  uint32_t bits[4]; // of integers; signed ones are widened
} simt_texel;

enum {
  SIMT_FILTER_ONE = 256, // weights add up to it; fractions of a position and of levels have it, too
  SIMT_FILTER_MAX = 18   // 8 elements and a border of each of two levels
};

typedef struct simt_filter {
  int n;
  int weight[SIMT_FILTER_MAX];
  simt_texel texel[SIMT_FILTER_MAX];
} simt_filter;

// A position along one dimension, in 256ths of an element: rounded to the nearest.
int64_t simt_filter_position(double position);

// Divides `weight` among the 2, 4 or 8 elements around a position. `fraction`: of the dimensions x,
// y, z, in 256ths. Of element i, bit 0 (1, 2) says that it is the farther one along x (y, z).
void simt_filter_weights(int weight, int n_dimensions, const int fraction[3], int weights[8]);

// The sum of a filter's elements by their weights, as float values and their bits.
void simt_filter_sum(const simt_texture *t, const simt_filter *filter, simt_texel *out);

#endif
