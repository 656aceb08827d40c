// SPDX-License-Identifier: MIT
// changed_text.h - a text with one place changed, for tests of what looks at programs.
#ifndef CHANGED_TEXT_H
#define CHANGED_TEXT_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// `text` with the first place where `old` stands replaced by `new`. To be freed.
static inline char *changed(const char *text, const char *old, const char *new) {
  const char *at = strstr(text, old);
  ck_assert_ptr_nonnull(at);
  char *out = malloc(strlen(text) + strlen(new) + 1);
  ck_assert_ptr_nonnull(out);
  sprintf(out, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
  return out;
}

#endif
