// SPDX-License-Identifier: MIT
// judge_variant.c - which variant of its exercise a suite judges: the minimum in place of the
// maximum, say. The rubric names it (rubric.h), and a suite offers those that it knows; a rubric
// with any other is refused.
#include "judge_internal.h"

#include <string.h>

static const char *const *offered; // NULL-terminated; NULL: none
static char chosen[WB_VARIANT_BYTES];

void wb_judge_offers(const char *const *variants) { offered = variants; }

bool wb_judge_is_variant(const char *name) {
  return *chosen == *name && strcmp(chosen, name) == 0; // suites ask for every element
}

bool wb_variant_choose(const char *name) {
  chosen[0] = '\0';
  if (!*name) return true;
  for (size_t i = 0; offered && offered[i]; i++)
    if (strcmp(offered[i], name) == 0) return snprintf(chosen, sizeof chosen, "%s", name), true;
  return false;
}
