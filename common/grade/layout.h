// SPDX-License-Identifier: MIT
/// @file layout.h
/// How learning platforms name what they hand out: whose file it is, from its name. Pure functions.
///
///   Moodle      "Ada Byron_1234_assignsubmission_file_" (a folder), or the same before a file's
///   name Canvas      "byronada_LATE_5678_91011_01_x-1.cu": name, late or not, user, submission,
///   file Gradescope  "submission_1234" (a folder), and submission_metadata.yml, which says whose
///   it is by hand     "ada" (a folder), or "ada.zip"
#ifndef GRADE_LAYOUT_H
#define GRADE_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

enum { GRADE_OWNER_BYTES = 256 };
#define GRADE_GRADESCOPE_LIST "submission_metadata.yml"

/// Whether a file's name is that of an archive, as "x.zip" or "x.tar.gz".
bool grade_layout_is_archive(const char *name);
/// Whether it may be an exercise: "x.cu", "x.cu.txt", of any case.
bool grade_layout_is_source(const char *name);

typedef struct grade_owner {
  char student[GRADE_OWNER_BYTES]; ///< the folder's name in the class
  char file[GRADE_OWNER_BYTES];    ///< its name for the student; "": a whole folder
  bool late;                       ///< the platform says so
} grade_owner;

/// Whose an entry of the submissions' folder is. False: no student's.
bool grade_layout_owner(const char *name, bool is_folder, grade_owner *owner);

/// Reads Gradescope's list, one submitter of one submission at a time: the folder's name, and the
/// student's identifier (:sid:, or else :email:, or else :name:). `*at` begins as the file's text.
/// False: there are no more.
bool grade_layout_next_submitter(const char **at, char folder[GRADE_OWNER_BYTES],
                                 char student[GRADE_OWNER_BYTES]);

#endif
