// SPDX-License-Identifier: MIT
// core/texture.c - reads through texture objects, accesses through surface objects.
//
// Filtering is as the CUDA programming guide describes it (texture fetching), with an H100's
// arithmetic (texture_filter.c). The address mode says where coordinates beyond the edge go.
// Counters and checkers do not see these accesses: textures have caches of their own. Not modelled:
// anisotropy, filtering across the edges of a cube.
#include "core/texture.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "core/fault.h"
#include "core/speculate.h"
#include "core/texture_filter.h"
#include "core/texture_level.h"
#include "device/texture.h"
#include "lanes/half.h"

typedef simt_texel texel;

// ---- objects and elements ----------------------------------------------------------------------

static uint64_t handle_of(const simt_warp *w, const simt_instr *in, uint32_t lane) {
  return ((const uint64_t *)(const void *)(w->regs + in->a))[lane];
}

static const simt_texture *object_of(simt_core *core, simt_warp *w, const simt_instr *in,
                                     uint32_t lane, bool is_surface) {
  const uint64_t handle = handle_of(w, in, lane);
  const void *bytes = simt_memory_host(core->memory, handle, sizeof(simt_texture));
  const simt_texture *t = bytes;
  if (t && handle % 8 == 0 && t->magic == SIMT_TEXTURE_MAGIC && t->is_surface == is_surface)
    return t;
  simt_fault(core, w, in, (int)lane, SIMT_ILLEGAL_ADDRESS,
             "0x%" PRIx64 " is not a %s object: it was never created, or it has been destroyed",
             handle, is_surface ? "surface" : "texture");
  return NULL;
}

static bool note_read(simt_core *core, uint64_t address) {
  const simt_allocation *a = simt_memory_find(core->memory, address, 1);
  return !a || simt_speculation_touch(core->speculation, core->thread, a, false, NULL);
}

// Notes that the launch reads the object and the memory behind it: once for each instruction as
// long as it has the same object. False: this thread must not continue.
static bool note_reads(simt_core *core, const simt_instr *in, uint64_t handle,
                       const simt_texture *t) {
  simt_reach *noted = &core->reach[in->pc]; // of no other use to this instruction
  if (!core->speculation || noted->low == handle) return true;
  bool is_noted = note_read(core, handle);
  for (uint32_t i = 0; i < t->n_levels && is_noted; i++)
    is_noted = note_read(core, t->level[i].address);
  if (is_noted) noted->low = handle;
  return is_noted;
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

static int64_t size_of(const simt_image *image, int dimension) {
  return dimension == 0 ? image->width : dimension == 1 ? image->height : image->depth;
}

static int64_t clamped(int64_t x, int64_t largest) { return x < 0 ? 0 : x < largest ? x : largest; }

static bool is_clamped(const simt_texture *t, int dimension) {
  const uint8_t mode = t->address_mode[dimension];
  return mode != SIMT_ADDRESS_BORDER && (mode == SIMT_ADDRESS_CLAMP || !t->is_normalised);
}

// The address of index `at` along a dimension of `n` elements; -1: the border.
static int64_t placed(const simt_texture *t, int dimension, int64_t at, int64_t n) {
  if (at >= 0 && at < n) return at;
  if (is_clamped(t, dimension)) return clamped(at, n - 1);
  if (t->address_mode[dimension] == SIMT_ADDRESS_BORDER) return -1;
  if (t->address_mode[dimension] == SIMT_ADDRESS_WRAP) return ((at % n) + n) % n;
  const int64_t k = ((at % (2 * n)) + 2 * n) % (2 * n); // SIMT_ADDRESS_MIRROR
  return k < n ? k : 2 * n - 1 - k;
}

// A border where integers are read as fractions: as much of it as an element can hold. It has the
// channels that the elements have.
static void set_border(const simt_texture *t, texel *out) {
  const bool is_signed = t->kind == SIMT_TEXEL_SIGNED;
  const double largest = ldexp(1.0, 8 * t->channel_bytes - is_signed) - 1;
  memcpy(out->value, t->border, t->n_channels * sizeof *out->value);
  for (uint32_t k = 0; k < t->n_channels; k++) {
    if (t->kind == SIMT_TEXEL_FLOAT) {
      memcpy(&out->bits[k], &t->border[k], sizeof(float));
    } else if (t->gives_fractions) {
      const double part = fmin(fmax((double)t->border[k], is_signed ? -1.0 : 0.0), 1.0);
      out->bits[k] = (uint32_t)(int64_t)(part * largest); // cut, not rounded
      out->value[k] = (float)((double)(int32_t)out->bits[k] / largest);
    } else {
      out->bits[k] = (uint32_t)(int64_t)t->border[k];
    }
  }
}

static bool fetch(simt_core *core, const simt_texture *t, const simt_image *image,
                  const int64_t at[3], int64_t layer, texel *out) {
  int64_t place[3];
  memset(out, 0, sizeof *out);
  for (int i = 0; i < 3; i++) {
    place[i] = placed(t, i, at[i], size_of(image, i));
    if (place[i] >= 0) continue;
    set_border(t, out);
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

enum { ONE = SIMT_FILTER_ONE };

// Converts coordinates to elements. Of a coordinate from 0 to 1 the hardware keeps 21 bits behind
// the point, so that 1/3 lies in the first of three elements.
static double scaled(const simt_texture *t, const simt_image *image, const request *r, int i) {
  if (!t->is_normalised) return (double)r->at[i];
  if (fabsf(r->at[i]) < FLT_MIN) return 0;
  if (isinf(r->at[i]) && t->address_mode[i] == SIMT_ADDRESS_WRAP) return 0;
  return ldexp(floor(ldexp((double)r->at[i], 21)), -21) * (double)size_of(image, i);
}

static int64_t whole(double x) {
  if (!(x > -1e15)) return INT64_C(-1000000000000000);
  return x < 1e15 ? (int64_t)floor(x) : INT64_C(1000000000000000);
}

// Adds the 2, 4 or 8 elements around a position, with weights that add up to `weight`.
static bool add_neighbours(simt_core *core, const simt_texture *t, const simt_image *image,
                           const request *r, int weight, simt_filter *filter) {
  int64_t first[3] = {0, 0, 0};
  int weights[8], fraction[3] = {0, 0, 0};
  // A one-dimensional array is treated as a two-dimensional one with a single row, read at its
  // upper edge: on an H200, half of the result comes from the border above it.
  if (r->n == 1 && t->address_mode[1] == SIMT_ADDRESS_BORDER) {
    filter->weight[filter->n] = weight / 2;
    set_border(t, &filter->texel[filter->n++]);
    weight -= weight / 2;
  }
  for (int i = 0; i < r->n; i++) {
    int64_t position = simt_filter_position(scaled(t, image, r, i) - 0.5);
    if (is_clamped(t, i)) position = clamped(position, (size_of(image, i) - 1) * ONE);
    fraction[i] = (int)((position % ONE + ONE) % ONE);
    first[i] = (position - fraction[i]) / ONE;
  }
  simt_filter_weights(weight, r->n, fraction, weights);
  for (int corner = 0; corner < 1 << r->n; corner++) {
    int64_t at[3];
    for (int i = 0; i < 3; i++) at[i] = first[i] + (corner >> i & 1);
    if (!fetch(core, t, image, at, r->layer, &filter->texel[filter->n])) return false;
    filter->weight[filter->n++] = weights[corner];
  }
  return true;
}

static bool add_level(simt_core *core, const simt_texture *t, uint32_t level, request *r,
                      int weight, simt_filter *filter) {
  const simt_image *image = &t->level[level];
  if (t->is_linear_filter) return add_neighbours(core, t, image, r, weight, filter);
  for (int i = 0; i < r->n; i++) r->index[i] = whole(scaled(t, image, r, i));
  filter->weight[filter->n] = weight;
  return fetch(core, t, image, r->index, r->layer, &filter->texel[filter->n++]);
}

// A filtered read: of one level, or of the two levels between which the requested one lies.
static bool filtered(simt_core *core, const simt_texture *t, request *r, texel *out) {
  simt_filter filter;
  const uint32_t level = (uint32_t)(r->level / ONE);
  const int above = r->level % ONE;
  filter.n = 0;
  if (!add_level(core, t, level, r, ONE - above, &filter)) return false;
  if (above && !add_level(core, t, level + 1, r, above, &filter)) return false;
  simt_filter_sum(t, &filter, out);
  return true;
}

static bool gathered(simt_core *core, const simt_texture *t, const request *r, uint8_t component,
                     texel *out) {
  static const uint8_t corners[4][2] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}};
  int64_t first[2]; // rounded as it is for filtering
  for (int i = 0; i < 2; i++)
    first[i] = whole((double)simt_filter_position(scaled(t, t->level, r, i) - 0.5) / ONE);
  for (int k = 0; k < 4; k++) {
    texel one;
    int64_t at[3] = {first[0] + corners[k][0], first[1] + corners[k][1], 0};
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

bool simt_exec_texture(simt_core *core, simt_warp *w, const simt_instr *in, uint32_t mask) {
  for (SIMT_EACH_LANE(lane, mask)) {
    const simt_texture *t = object_of(core, w, in, lane, false);
    if (!t || !note_reads(core, in, handle_of(w, in, lane), t)) return false;
    request r;
    texel got;
    read_coordinates(w, in, lane, &r);
    const int64_t n_layers = t->n_layers / (is_cube(in) ? 6 : 1);
    if (r.layer < 0 || r.layer >= n_layers) r.layer = n_layers - 1; // it has no sign
    r.level = simt_texture_level(w, in, t, lane);
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
  const uint64_t address = image->address + (uint64_t)r->index[2] * image->slice_bytes +
                           (uint64_t)r->index[1] * image->row_bytes + (uint64_t)r->index[0];
  return in->form == ISA_SURFACE_STORE ? simt_memory_change(core->heap, address, (uint64_t)width)
                                       : simt_memory_host(core->memory, address, (uint64_t)width);
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
