// SPDX-License-Identifier: MIT
// core/texture_level.c - which level of a mipmap a read goes to.
#include "core/texture_level.h"

#include <math.h>
#include <string.h>

#include "core/texture_filter.h"

enum { ONE = SIMT_FILTER_ONE };

// The level to read, in 256ths; a whole number where the texture does not mix levels.
static int level_of(const simt_texture *t, double level) {
  const double last = t->n_levels - 1;
  level = fmin(fmax(level, (double)t->level_low), (double)t->level_high); // NaN: level_low
  level = fmin(fmax(level, 0), last);
  return t->is_linear_between_levels ? (int)(level * ONE) : (int)(level + 0.5) * ONE;
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

int simt_texture_level(const simt_warp *w, const simt_instr *in, const simt_texture *t,
                       uint32_t lane) {
  double level = in->texture.n_level ? (double)t->level_bias : 0;
  if (in->texture.n_level == 1) level += (double)level_word(w, in, 0, lane);
  else if (in->texture.n_level) level += level_of_change(w, in, t, lane);
  return level_of(t, level);
}
