// SPDX-License-Identifier: MIT
/// @file search.h
/// Finds an exercise's file where students and learning platforms put it: some folders down, with a
/// name that a browser or an editor has changed.
#ifndef GRADE_SEARCH_H
#define GRADE_SEARCH_H

#include <stddef.h>

enum { GRADE_FOUND_BYTES = 600 };

typedef struct grade_found {
  size_t n;                        ///< files that could be meant; 0: none
  char path[GRADE_FOUND_BYTES];    ///< the first of them, from the folder
  char other[GRADE_FOUND_BYTES];   ///< another one, when n > 1
  char archive[GRADE_FOUND_BYTES]; ///< an archive that lies there; "": none
} grade_found;

/// Searches three levels below `folder`; links and hidden entries are passed over. Exact names
/// count before others: when there is one, the others are not counted.
void grade_search(int folder, const char *file, grade_found *found);

/// Whether `name` is "NN_name.cu" but for its case, a number or "copy" that was added, or ".txt".
int grade_search_is_near(const char *name, const char *file);

#endif
