// SPDX-License-Identifier: MIT
/// @file roll.h
/// Who there is in a class: one entry per folder of submissions, or per line of a roster.
#ifndef GRADE_ROLL_H
#define GRADE_ROLL_H

#include "grade.h"

enum { GRADE_ID_BYTES = 64, GRADE_SHOWN_BYTES = 1100 };

typedef struct grade_student {
  char *name;                    ///< the folder's name, any bytes a file system allows; owned
  char shown[GRADE_SHOWN_BYTES]; ///< the same as people see it
  char id[GRADE_ID_BYTES];       ///< the same as a name for files: different for different names
  bool present;                  ///< has a folder
  bool unlisted;                 ///< has one, but is not on the roster
  bool selected;                 ///< is judged in this run
} grade_student;

typedef struct grade_roll {
  grade_student *students; ///< [n]: the roster's order, then by name; owned
  size_t n;
} grade_roll;

/// The name for files: letters, digits, '.', '_' and '-' stay; where anything had to change, a hash
/// of the name is added.
void grade_student_id(char id[GRADE_ID_BYTES], const char *name);

/// Reads the folder's entries and, unless NULL, the roster: a CSV file whose first line names its
/// columns, one of them `id` or `student`, which holds the folder's name. A student of the roster
/// without a folder is listed as not present.
grade_status grade_roll_read(grade_roll *roll, int folder, const char *roster, grade_diag *diag);

/// Selects who is judged: `student` alone, or shard `shard` of `n_shards` (1 to n_shards), or all
/// (NULL, 1, 1). Returns how many have a folder.
size_t grade_roll_select(grade_roll *roll, const char *student, unsigned shard, unsigned n_shards);

void grade_roll_free(grade_roll *roll);

#endif
