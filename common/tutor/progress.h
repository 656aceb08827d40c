// SPDX-License-Identifier: MIT
/// @file progress.h
/// What a student has done, in one plain file that is copied along with the exercises.
///
///   version 1
///   lesson 01_shared_tree 12 of 24 open 2026-11-22      best points so far, day of the last try
///   lesson 00_naive_atomic 30 of 30 passed 2026-11-22   day of the first pass
///   question 01_shared_tree/barriers right 2026-11-22
///
/// One fact per line: a kind, a key, and the rest. Lines with a kind that is not known here are
/// kept. '#' begins a comment line. The file is replaced in one step, so that a reader never sees
/// half of it and a full disk leaves the old one as it was.
#ifndef TUTOR_PROGRESS_H
#define TUTOR_PROGRESS_H

#include "tutor.h"

typedef struct tutor_progress {
  char **lines; ///< [n_lines], without newlines; owned
  size_t n_lines;
} tutor_progress;

/// One exercise, as far as it is known.
typedef struct tutor_lesson_state {
  unsigned points, max_points; ///< the best so far; 0 of 0: never tried
  bool passed;
  char date[TUTOR_DATE_BYTES]; ///< of the pass, or of the last try; "" when never tried
} tutor_lesson_state;

/// Reads `path`; a file that is not there is an empty one. TUTOR_BAD_INPUT names the line.
/// `progress` must be freed in any case.
tutor_status tutor_progress_read(tutor_progress *progress, const char *path, tutor_diag *diag);
/// The same from text; `name` stands for the file in messages.
tutor_status tutor_progress_parse(tutor_progress *progress, const char *text, const char *name,
                                  tutor_diag *diag);
tutor_status tutor_progress_write(const tutor_progress *progress, const char *path,
                                  tutor_diag *diag);
void tutor_progress_free(tutor_progress *progress);

/// What follows `kind key ` on its line, or NULL.
const char *tutor_progress_find(const tutor_progress *progress, const char *kind, const char *key);
/// Puts or replaces a line. No argument may hold a newline; kind and key no blank.
tutor_status tutor_progress_set(tutor_progress *progress, const char *kind, const char *key,
                                const char *rest, tutor_diag *diag);

tutor_lesson_state tutor_progress_lesson(const tutor_progress *progress, const char *lesson);
/// Records a try that earned `points` of `max_points` on `date`. Best points and a pass stay,
/// whatever comes later.
tutor_status tutor_progress_tried(tutor_progress *progress, const char *lesson, unsigned points,
                                  unsigned max_points, const char *date, tutor_diag *diag);

/// Today, local time, "2026-11-22".
void tutor_today(char out[TUTOR_DATE_BYTES]);

#endif
