// SPDX-License-Identifier: MIT
/// @file results.h
/// The judge's records, as the grader writes them (results.json): what of them the tutor shows.
/// The verdict is these records, never the words of a message.
#ifndef TUTOR_RESULTS_H
#define TUTOR_RESULTS_H

#include "tutor.h"

typedef enum tutor_outcome { TUTOR_PASSED, TUTOR_FAILED, TUTOR_BROKEN } tutor_outcome;

/// One check. Texts are owned, "" when there is nothing to say.
typedef struct tutor_check {
  char *name, *about;
  tutor_outcome outcome;
  unsigned points, max_points, line; ///< line 0: unknown
  char *reason, *explanation, *file, *same_as, *hint;
} tutor_check;

/// One exercise.
typedef struct tutor_result {
  char name[TUTOR_NAME_BYTES];
  bool judged;       ///< the suite has run; otherwise `message` says why not
  bool grader_error; ///< some verdict is neither passed nor failed: points are not final
  unsigned points, max_points;
  char *message;
  tutor_check *checks; ///< [n_checks]; owned
  size_t n_checks;
} tutor_result;

typedef struct tutor_results {
  tutor_result *exercises; ///< [n_exercises]; owned
  size_t n_exercises;
} tutor_results;

/// Reads a file of results. `results` must be freed in any case.
tutor_status tutor_results_read(tutor_results *results, const char *path, tutor_diag *diag);
tutor_status tutor_results_parse(tutor_results *results, const char *text, const char *name,
                                 tutor_diag *diag);
void tutor_results_free(tutor_results *results);

/// Whether every check has passed.
bool tutor_result_passed(const tutor_result *result);

#endif
