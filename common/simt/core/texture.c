// SPDX-License-Identifier: MIT
// core/texture.c - reads through texture objects, accesses through surface objects.
//
// Filtering is as the CUDA programming guide describes it (texture fetching), with the weights of
// an H200: a fraction has 8 bits, to which it is rounded, and so has the weight of every element.
// The address mode says where coordinates beyond the edge go. Counters and checkers do not see
// these accesses: textures have caches of their own. Not modelled: anisotropy, filtering across the
// edges of a cube.
#include "core/texture.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/fault.h"
#include "device/texture.h"
#include "lanes/half.h"

typedef struct texel {
  float value[4];   // of floats, and of integers that are read as fractions
  uint32_t bits[4]; // of integers
} texel;

// ---- objects and elements ----------------------------------------------------------------------

static const simt_texture *object_of(simt_core *core, simt_warp *w, const simt_instr *in,
                                     uint32_t lane, bool is_surface) {
  const uint64_t handle = ((const uint64_t *)(const void *)(w->regs + in->a))[lane];
  const void *bytes = simt_memory_host(core->memory, handle, sizeof(simt_texture));
  const simt_texture *t = bytes;
  if (t && handle % 8 == 0 && t->magic == SIMT_TEXTURE_MAGIC && t->is_surface == is_surface)
    return t;
  simt_fault(core, w, in, (int)lane, SIMT_ILLEGAL_ADDRESS,
             "0x%" PRIx64 " is not a %s object: it was never created, or it has been destroyed",
             handle, is_surface ? "surface" : "texture");
  return NULL;
}

// Host bytes of an element inside the array, or NULL after a fault (the array has been freed).
static uint8_t *element(simt_core *core, const simt_texture *t, const simt_image *image, int64_t x,
                        int64_t y, int64_t z) {
  const uint32_t size = (uint32_t)t->n_channels * t->channel_bytes;
  return simt_memory_host(core->memory,
                          image->address + (uint64_t)z * image->slice_bytes +
                              (uint64_t)y * image->row_bytes + (uint64_t)x * size,
                          size);
}

static float float_of(const uint8_t *at, uint8_t bytes) {
  if (bytes == 2) {
    uint16_t half;
    memcpy(&half, at, sizeof half);
    return simt_float_of_f16(half);
  }
  float x;
  memcpy(&x, at, sizeof x);
  return x;
}

static void read_channel(const simt_texture *t, const uint8_t *at, texel *out, uint32_t channel) {
  const uint32_t width = 8u * t->channel_bytes;
  uint32_t bits = 0;
  memcpy(&bits, at, t->channel_bytes);
  if (t->kind == SIMT_TEXEL_SIGNED && width < 32 && bits >> (width - 1))
    bits |= UINT32_MAX << width;
  out->bits[channel] = bits;
  if (t->kind == SIMT_TEXEL_FLOAT) {
    out->value[channel] = float_of(at, t->channel_bytes);
    memcpy(&out->bits[channel], &out->value[channel], sizeof(float));
  } else if (t->gives_fractions && t->kind == SIMT_TEXEL_UNSIGNED) {
    out->value[channel] = (float)bits / (float)((UINT32_C(1) << width) - 1);
  } else if (t->gives_fractions) {
    const float x = (float)(int32_t)bits / (float)((UINT32_C(1) << (width - 1)) - 1);
    out->value[channel] = x < -1.0f ? -1.0f : x;
  }
}

// ---- addressing --------------------------------------------------------------------------------

// The address of index `i` of `n` according to the address mode; -1: the border.
static int64_t placed(int64_t i, int64_t n, uint8_t mode, bool is_normalised) {
  if (i >= 0 && i < n) return i;
  if (mode == SIMT_ADDRESS_BORDER) return -1;
  if (mode == SIMT_ADDRESS_WRAP && is_normalised) return ((i % n) + n) % n;
  if (mode == SIMT_ADDRESS_MIRROR && is_normalised) {
    const int64_t k = ((i % (2 * n)) + 2 * n) % (2 * n);
    return k < n ? k : 2 * n - 1 - k;
  }
  return i < 0 ? 0 : n - 1;
}

static bool fetch(simt_core *core, const simt_texture *t, const simt_image *image,
                  const int64_t at[3], int64_t layer, texel *out) {
  const int64_t size[3] = {image->width, image->height, image->depth};
  int64_t place[3];
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 3; i++) {
    place[i] = placed(at[i], size[i], t->address_mode[i], t->is_normalised);
    if (place[i] >= 0) continue;
    memcpy(out->value, t->border, sizeof out->value);
    for (int k = 0; k < 4; k++) {
      if (t->kind == SIMT_TEXEL_FLOAT) memcpy(&out->bits[k], &t->border[k], sizeof(float));
      else out->bits[k] = (uint32_t)(int64_t)t->border[k];
    }
    return true;
  }
  const uint8_t *bytes = element(core, t, image, place[0], place[1], place[2] + layer);
  if (!bytes) return false;
  for (uint32_t i = 0; i < t->n_channels; i++)
    read_channel(t, bytes + i * t->channel_bytes, out, i);
  return true;
}

// ---- reads -------------------------------------------------------------------------------------

typedef struct request {
  int n;            // dimensions, 1 to 3: the layer, and the cube's third, are not among them
  float at[3];      // float coordinates
  int64_t index[3]; // integer ones
  int64_t layer;
  int level; // in 256ths
} request;

enum { ONE = 256 }; // weights, and fractions of levels

// Converts coordinates to elements, the texture's own units.
static double scaled(const simt_texture *t, const simt_image *image, const request *r, int i) {
  const uint32_t size[3] = {image->width, image->height, image->depth};
  return t->is_normalised ? (double)(r->at[i] * (float)size[i]) : (double)r->at[i];
}

static int64_t whole(double x) {
  if (!(x > -1e15)) return INT64_C(-1000000000000000);
  return x < 1e15 ? (int64_t)floor(x) : INT64_C(1000000000000000);
}

// Divides weights, in 256ths of the whole, between the two neighbours along a dimension. The weight
// of the farther one is rounded.
static void share_out(int weights[8], int n, int fraction) {
  for (int c = 0; c < n; c++) {
    weights[c + n] = (weights[c] * fraction + ONE / 2) / ONE;
    weights[c] -= weights[c + n];
  }
}

// Adds the 2, 4 or 8 elements around a position, with weights that add up to `weight`; it is
// divided along the third dimension first.
static bool add_neighbours(simt_core *core, const simt_texture *t, const simt_image *image,
                           const request *r, int weight, double sum[4]) {
  int64_t first[3] = {0, 0, 0};
  int weights[8] = {weight}, order[3] = {0, 1, 2};
  if (r->n == 3) order[0] = 2, order[1] = 0, order[2] = 1;
  // A one-dimensional array is treated as a two-dimensional one with a single row, read at its
  // upper edge: on an H200, half of the result comes from the border above it.
  if (r->n == 1 && t->address_mode[1] == SIMT_ADDRESS_BORDER) {
    weights[0] = (weight + 1) / 2;
    for (int k = 0; k < 4; k++) sum[k] += (weight - weights[0]) * (double)t->border[k];
  }
  for (int k = 0; k < r->n; k++) {
    const int i = order[k];
    const double x = floor((scaled(t, image, r, i) - 0.5) * ONE + 0.5) / ONE;
    first[i] = whole(x);
    share_out(weights, 1 << k, (int)((x - floor(x)) * ONE));
  }
  for (int corner = 0; corner < 1 << r->n; corner++) {
    int64_t at[3] = {first[0], first[1], first[2]};
    texel one;
    for (int k = 0; k < r->n; k++) at[order[k]] += corner >> k & 1;
    if (!fetch(core, t, image, at, r->layer, &one)) return false;
    if (weights[corner])
      for (int k = 0; k < 4; k++) sum[k] += weights[corner] * (double)one.value[k];
  }
  return true;
}

static bool add_level(simt_core *core, const simt_texture *t, uint32_t level, request *r,
                      int weight, double sum[4]) {
  const simt_image *image = &t->level[level];
  if (t->is_linear_filter) return add_neighbours(core, t, image, r, weight, sum);
  texel one;
  for (int i = 0; i < r->n; i++) r->index[i] = whole(scaled(t, image, r, i));
  if (!fetch(core, t, image, r->index, r->layer, &one)) return false;
  for (int k = 0; k < 4; k++) sum[k] += weight * (double)one.value[k];
  return true;
}

// A filtered read: of one level, or of the two levels between which the requested one lies.
static bool filtered(simt_core *core, const simt_texture *t, request *r, texel *out) {
  double sum[4] = {0, 0, 0, 0};
  const uint32_t level = (uint32_t)(r->level / ONE);
  const int above = r->level % ONE;
  if (!add_level(core, t, level, r, ONE - above, sum)) return false;
  if (above && !add_level(core, t, level + 1, r, above, sum)) return false;
  for (int k = 0; k < 4; k++) {
    out->value[k] = (float)(sum[k] / ONE);
    memcpy(&out->bits[k], &out->value[k], sizeof(float));
  }
  return true;
}

// The level to read, in 256ths; a whole number where the texture does not mix levels.
static int level_of(const simt_texture *t, double level) {
  const double last = t->n_levels - 1;
  level = fmin(fmax(level, (double)t->level_low), (double)t->level_high); // NaN: level_low
  level = fmin(fmax(level, 0), last);
  return t->is_linear_between_levels ? (int)(level * ONE) : (int)(level + 0.5) * ONE;
}

static bool gathered(simt_core *core, const simt_texture *t, const request *r, uint8_t component,
                     texel *out) {
  static const uint8_t corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  for (int k = 0; k < 4; k++) {
    texel one;
    int64_t at[3] = {whole(scaled(t, t->level, r, 0) - 0.5) + corners[k][0],
                     whole(scaled(t, t->level, r, 1) - 0.5) + corners[k][1], 0};
    if (!fetch(core, t, t->level, at, r->layer, &one)) return false;
    out->value[k] = one.value[component];
    out->bits[k] = one.bits[component];
  }
  return true;
}

static bool read_texture(simt_core *core, const simt_instr *in, const simt_texture *t, request *r,
                         texel *out) {
  const bool gives_floats = t->kind == SIMT_TEXEL_FLOAT || t->gives_fractions;
  if (in->texture.is_gather) return gathered(core, t, r, in->texture.component, out);
  if (in->texture.is_float && gives_floats && (t->is_linear_filter || r->level % ONE))
    return filtered(core, t, r, out);
  const simt_image *image = &t->level[r->level / ONE];
  for (int i = 0; in->texture.is_float && i < r->n; i++)
    r->index[i] = whole(scaled(t, image, r, i));
  if (t->is_memory && (r->index[0] < 0 || r->index[0] >= image->width))
    return memset(out, 0, sizeof *out), true;
  return fetch(core, t, image, r->index, r->layer, out);
}

static bool has_layers(const simt_instr *in) {
  return in->texture.geometry == ISA_GEOMETRY_A1D || in->texture.geometry == ISA_GEOMETRY_A2D ||
         in->texture.geometry == ISA_GEOMETRY_ACUBE;
}

static bool is_cube(const simt_instr *in) {
  return in->texture.geometry == ISA_GEOMETRY_CUBE || in->texture.geometry == ISA_GEOMETRY_ACUBE;
}

// Converts a direction to a position on one of six faces, +x -x +y -y +z -z: the largest coordinate
// selects the face and divides the other two (CUDA programming guide, cubemap textures).
static void find_face(request *r) {
  const float x = r->at[0], y = r->at[1], z = r->at[2];
  const float ax = fabsf(x), ay = fabsf(y), az = fabsf(z);
  int face;
  float largest, s, t;
  if (ax >= ay && ax >= az) {
    face = x >= 0 ? 0 : 1, largest = ax, s = x >= 0 ? -z : z, t = -y;
  } else if (ay >= az) {
    face = y >= 0 ? 2 : 3, largest = ay, s = x, t = y >= 0 ? z : -z;
  } else {
    face = z >= 0 ? 4 : 5, largest = az, s = z >= 0 ? x : -x, t = -y;
  }
  *r = (request){.n = 2,
                 .at = {(s / largest + 1.0f) / 2.0f, (t / largest + 1.0f) / 2.0f, 0},
                 .layer = 6 * r->layer + face,
                 .level = r->level};
}

static void read_coordinates(const simt_warp *w, const simt_instr *in, uint32_t lane, request *r) {
  const int skip = has_layers(in);
  *r = (request){.n = in->texture.n_at - skip};
  for (int i = 0; i < in->texture.n_at; i++) {
    const uint8_t *word = w->regs + in->texture.at[i] + lane * sizeof(uint32_t);
    int32_t index;
    memcpy(&index, word, sizeof index);
    if (i < skip) {
      r->layer = index;
      continue;
    }
    r->index[i - skip] = index;
    memcpy(&r->at[i - skip], word, sizeof(float));
  }
}

// Operand `i` of the level (simt_texture_access).
static float level_word(const simt_warp *w, const simt_instr *in, uint32_t i, uint32_t lane) {
  const uint32_t slots[] = {in->b, in->c, in->texture.at[2], in->texture.at[3]};
  float x;
  memcpy(&x, w->regs + slots[i] + lane * sizeof x, sizeof x);
  return x;
}

// How fast the coordinates change, in elements of level 0; the faster direction decides.
static double level_of_change(const simt_warp *w, const simt_instr *in, const simt_texture *t,
                              uint32_t lane) {
  const double size[2] = {t->level->width, t->level->height};
  const uint32_t n = in->texture.n_level / 2;
  double longest = 0;
  for (uint32_t direction = 0; direction < 2; direction++) {
    double square = 0;
    for (uint32_t i = 0; i < n; i++) {
      const double d = (double)level_word(w, in, direction * n + i, lane) * size[i];
      square += d * d;
    }
    longest = square > longest ? square : longest;
  }
  return longest > 0 ? log2(longest) / 2 : -1e9;
}

// A read that names no level reads level 0; the texture's bias does not apply to it.
static void read_level(const simt_warp *w, const simt_instr *in, const simt_texture *t,
                       uint32_t lane, request *r) {
  double level = in->texture.n_level ? (double)t->level_bias : 0;
  if (in->texture.n_level == 1) level += (double)level_word(w, in, 0, lane);
  else if (in->texture.n_level) level += level_of_change(w, in, t, lane);
  r->level = level_of(t, level);
}

bool simt_exec_texture(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  for (SIMT_EACH_LANE(lane, mask)) {
    const simt_texture *t = object_of(core, w, in, lane, false);
    if (!t) return false;
    request r;
    texel got;
    read_coordinates(w, in, lane, &r);
    const int64_t n_layers = t->n_layers / (is_cube(in) ? 6 : 1);
    if (r.layer < 0) r.layer = 0;
    if (r.layer >= n_layers) r.layer = n_layers - 1;
    read_level(w, in, t, lane, &r);
    if (is_cube(in)) find_face(&r);
    if (!read_texture(core, in, t, &r, &got))
      return simt_fault(core, w, in, (int)lane, SIMT_FREED_MEMORY,
                        "the memory behind the texture object has been freed");
    const bool as_float = t->gives_fractions && t->kind != SIMT_TEXEL_FLOAT;
    for (uint32_t i = 0; i < in->texture.n_data; i++) {
      if (in->texture.data[i] == SIMT_NO_SLOT) continue;
      uint32_t *d = (uint32_t *)(void *)(w->regs + in->texture.data[i]);
      if (as_float) memcpy(&d[lane], &got.value[i], sizeof(float));
      else d[lane] = got.bits[i];
    }
  }
  return true;
}

// ---- surfaces ----------------------------------------------------------------------------------

// Host bytes of a lane's element; *outside: it lies beyond the edge. NULL without a fault: reads
// return zeros.
static uint8_t *surface_place(simt_core *core, const simt_instr *in, const simt_texture *t,
                              request *r, bool *outside) {
  const int64_t size = (int64_t)t->n_channels * t->channel_bytes;
  const int64_t width = in->texture.width_bytes * (int64_t)in->texture.n_data;
  const simt_image *image = t->level;
  const int64_t limit[3] = {image->width * size - width + 1, image->height, image->depth};
  if (has_layers(in)) r->index[2] = r->layer;
  *outside = has_layers(in) && (r->layer < 0 || r->layer >= t->n_layers);
  for (int i = 0; i < r->n; i++) {
    if (r->index[i] >= 0 && r->index[i] < limit[i]) continue;
    *outside = true;
    r->index[i] = r->index[i] < 0 ? 0 : limit[i] - 1;
  }
  if (*outside && in->texture.boundary != ISA_BOUNDARY_CLAMP) return NULL;
  return simt_memory_host(core->memory,
                          image->address + (uint64_t)r->index[2] * image->slice_bytes +
                              (uint64_t)r->index[1] * image->row_bytes + (uint64_t)r->index[0],
                          (uint64_t)width);
}

static void move_surface(simt_warp *w, const simt_instr *in, uint32_t lane, uint8_t *at) {
  const uint32_t width = in->texture.width_bytes, lane_bytes = in->texture.data_bytes;
  for (uint32_t i = 0; i < in->texture.n_data; i++) {
    uint8_t *d = w->regs + in->texture.data[i] + lane * lane_bytes;
    if (in->form == ISA_SURFACE_STORE) {
      if (at) memcpy(at + i * width, d, width);
      continue;
    }
    memset(d, 0, lane_bytes);
    if (at) memcpy(d, at + i * width, width);
  }
}

bool simt_exec_surface(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  core->effects += in->form == ISA_SURFACE_STORE;
  for (SIMT_EACH_LANE(lane, mask)) {
    const simt_texture *t = object_of(core, w, in, lane, true);
    if (!t) return false;
    request r;
    bool outside;
    read_coordinates(w, in, lane, &r);
    uint8_t *at = surface_place(core, in, t, &r, &outside);
    if (outside && in->texture.boundary == ISA_BOUNDARY_TRAP)
      return simt_fault(core, w, in, (int)lane, SIMT_ILLEGAL_ADDRESS,
                        "access beyond the edge of a surface of %u x %u x %u elements (the first "
                        "coordinate counts bytes)",
                        t->level->width, t->level->height, t->level->depth);
    if (!at && !outside)
      return simt_fault(core, w, in, (int)lane, SIMT_FREED_MEMORY,
                        "the array behind the surface object has been freed");
    move_surface(w, in, lane, at);
  }
  return true;
}
