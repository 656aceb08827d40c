// SPDX-License-Identifier: MIT
// nearest_kind.h - the place where two texts differ, and what kind of thing differs there. Private
// to nearest.c and nearest_kind.c.
#ifndef WB_NEAREST_KIND_H
#define WB_NEAREST_KIND_H

#include <string.h>

#include "nearest.h"
#include "nearest_tokens.h"

// What lies between the places where two texts begin and cease to differ.
typedef struct wb_place {
  size_t a_from, a_to, b_from, b_to; // token numbers; a: judged, b: right
  size_t n_different;
} wb_place;

static inline bool wb_token_same(const wb_token *a, const wb_token *b) {
  return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

wb_difference_kind wb_nearest_kind(const wb_token_list *a, const wb_token_list *b,
                                   const wb_place *p);

#endif
