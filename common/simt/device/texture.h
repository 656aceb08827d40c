// SPDX-License-Identifier: MIT
// device/texture.h - what a texture or surface object is: a record in device memory, whose address
// is the object's handle.
#ifndef SIMT_DEVICE_TEXTURE_H
#define SIMT_DEVICE_TEXTURE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum simt_texel_kind {
  SIMT_TEXEL_SIGNED,
  SIMT_TEXEL_UNSIGNED,
  SIMT_TEXEL_FLOAT
} simt_texel_kind;
// As in CUDA: cudaTextureAddressMode.
typedef enum simt_address_mode {
  SIMT_ADDRESS_WRAP,
  SIMT_ADDRESS_CLAMP,
  SIMT_ADDRESS_MIRROR,
  SIMT_ADDRESS_BORDER
} simt_address_mode;

#define SIMT_MAX_LEVELS 16 // of a mipmap: an edge has at most 2^15 elements

typedef struct simt_image {        // a level of a mipmap; what is no mipmap has one
  uint64_t address;                // of the first element, in device memory
  uint64_t row_bytes, slice_bytes; // from row to row, from slice (or layer) to slice
  uint32_t width, height, depth;   // in elements; 1 for missing dimensions
} simt_image;

#define SIMT_TEXTURE_MAGIC UINT64_C(0x7465787475726530)

typedef struct simt_texture {
  uint64_t magic;
  simt_image level[SIMT_MAX_LEVELS];
  uint32_t n_levels, n_layers;
  uint8_t n_channels, channel_bytes;
  uint8_t kind;            // simt_texel_kind
  uint8_t address_mode[3]; // simt_address_mode
  bool is_surface;
  bool is_linear_filter, is_normalised; // coordinates go from 0 to 1
  bool gives_fractions;                 // integers are read as fractions of their largest value
  bool is_memory; // elements in linear memory; reads beyond its ends give zero
  bool is_linear_between_levels;
  float border[4];
  float level_bias, level_low, level_high;
} simt_texture;

#endif
