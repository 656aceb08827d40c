// SPDX-License-Identifier: MIT
/// @file watch.h
/// `make watch`: judges an exercise whenever it is saved, full-screen in a terminal, in plain lines
/// elsewhere. All judging is common/scripts/lesson.sh's, as in `make try`.
#ifndef TUTOR_WATCH_H
#define TUTOR_WATCH_H

#include "tutor.h"

typedef struct tutor_watch_options {
  const char *const *lessons; ///< [n_lessons]
  size_t n_lessons, first;
  const char *build;    ///< where the workbook was built: "build"
  const char *progress; ///< the file of progress
} tutor_watch_options;

/// Until the user ends it. Returns an exit status: 0; 1 for what cannot be watched. A signal that
/// ends it is raised again once all is put back, so that a caller sees it.
int tutor_watch(const tutor_watch_options *options);

#endif
