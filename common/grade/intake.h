// SPDX-License-Identifier: MIT
/// @file intake.h
/// Turns what an instructor has downloaded into a folder with one folder per student. A plain
/// folder of folders is taken as it is; archives are unpacked behind the fence, and the layouts of
/// learning platforms (layout.h) are sorted by student, into a copy in the work folder.
#ifndef GRADE_INTAKE_H
#define GRADE_INTAKE_H

#include <stdint.h>

#include "grade.h"

/// Something that was handed in and not taken, or taken with a remark. All strings are owned.
typedef struct grade_remark {
  char *student; ///< the folder's name in the class; "": no student's
  char *path;    ///< as it was handed in, made safe to show
  const char *what;
  bool minor; ///< needs no attention: such files are not meant to be graded
} grade_remark;

typedef struct grade_intake {
  int folder; ///< open: one folder per student
  grade_remark *remarks;
  size_t n_remarks;
} grade_intake;

typedef struct grade_intake_from {
  const char *submissions;     ///< a folder, or an archive of one
  const char *work;            ///< for a copy; made when it is needed
  const char *unpacker;        ///< the program that reads archives; "": this build has none
  uint64_t memory_bytes;       ///< that program's; 0: no limit
  const grade_exercise *plans; ///< [n_plans], whose names count
  size_t n_plans;
} grade_intake_from;

/// Opens the class. GRADE_IO_ERROR: there is nothing that can be read.
grade_status grade_intake_open(grade_intake *intake, const grade_intake_from *from,
                               grade_diag *diag);
void grade_intake_close(grade_intake *intake);

/// Remarks as CSV: student,path,what. malloc'ed; NULL: out of memory.
char *grade_intake_csv(const grade_intake *intake);
/// How many remarks that are not minor are about the student, and the first of them (NULL: none).
size_t grade_intake_count(const grade_intake *intake, const char *student,
                          const grade_remark **first);

#endif
