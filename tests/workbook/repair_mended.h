// SPDX-License-Identifier: MIT
// repair_mended.h - what the tests of repair_*.c ask of the changes that are found in a text whose
// third line is the body that is tried.
#ifndef REPAIR_MENDED_H
#define REPAIR_MENDED_H

#include "changed_text.h"
#include "repair.h"

static wb_edit_list list;

// Whether one change of the wrong body gives the right one, in this sense; both stand for BODY in
// `frame`.
static inline bool is_mended(const char *frame, const char *wrong, const char *right,
                             wb_sense sense, wb_orders orders) {
  char *text = changed(frame, "BODY", wrong), *wanted = changed(frame, "BODY", right);
  bool found = false;
  ck_assert(wb_repairs_find(text, 3, orders, &list));
  for (size_t i = 0; i < list.n && !found; i++) {
    char *mended = wb_repair_apply(text, &list.at[i]);
    found = strcmp(mended, wanted) == 0 && list.at[i].sense == sense && list.at[i].line == 3;
    free(mended);
  }
  free(text);
  free(wanted);
  return found;
}

static inline bool has_sense(const char *frame, const char *body, wb_sense sense,
                             wb_orders orders) {
  char *text = changed(frame, "BODY", body);
  bool found = false;
  ck_assert(wb_repairs_find(text, 3, orders, &list));
  for (size_t i = 0; i < list.n; i++) found |= list.at[i].sense == sense;
  free(text);
  return found;
}

#endif
