// SPDX-License-Identifier: MIT
/// @file store.h
/// Verdicts by what they were made from. The key of a verdict is a hash of student, source, suite,
/// rubric, seed and versions; a verdict is used only for the very same of all of them. So the store
/// is a cache, the journal of a run that was killed, and what shards are merged from, all in one.
#ifndef GRADE_STORE_H
#define GRADE_STORE_H

#include <cjson/cJSON.h>

#include "grade.h"
#include "hash.h"

/// Whose verdict it is, and on what.
typedef struct grade_subject {
  const char *student; ///< the folder's name, as the file system has it
  const char *text;    ///< the source, as it is compiled
  size_t size_bytes;   ///< of the source
  const char *judge;   ///< hash of all that judges: suite, rubric, compiler, options, versions
  char key[GRADE_HEX_BYTES]; ///< filled by grade_store_key
} grade_subject;

void grade_store_key(grade_subject *subject, const grade_exercise *exercise);

/// Writes a verdict; it is on the disk when this returns.
grade_status grade_store_save(const char *folder, const grade_subject *subject,
                              const grade_exercise *exercise, grade_diag *diag);

/// Reads the subject's verdict into `exercise`, which holds the plan. False: there is none, or what
/// lies there is damaged, another subject's, or does not fit the plan; `exercise` is unchanged
/// then.
bool grade_store_load(const char *folder, const grade_subject *subject, grade_exercise *exercise);

/// Removes the subject's verdict, if there is one.
void grade_store_forget(const char *folder, const grade_subject *subject);

/// One exercise as JSON, as it stands in results; NULL: out of memory.
cJSON *grade_exercise_to_json(const grade_exercise *exercise);

#endif
