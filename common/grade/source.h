// SPDX-License-Identifier: MIT
/// @file source.h
/// Takes a submission's file out of a folder that is not trusted: regular, bounded, without
/// following links, copied once so that it cannot change while it is judged.
#ifndef GRADE_SOURCE_H
#define GRADE_SOURCE_H

#include "grade.h"

enum { GRADE_SOURCE_MAX_BYTES = 1 << 20 };

/// Opens a submission's folder (no link is followed for its last part), or -1 with an explanation.
int grade_source_open_folder(int parent, const char *name, grade_diag *diag);

/// Reads `folder`/`file`, or what is near it (search.h; not for AT_FDCWD), into `*text` (malloc'ed,
/// `*size_bytes` long, a NUL behind it). A byte-order mark is dropped, CRLF becomes LF, UTF-16
/// UTF-8. GRADE_JUDGED: it was read; `diag` says what was done to get it, or is empty.
/// GRADE_MISSING and GRADE_REFUSED: `diag` says why, for the student. GRADE_NOT_JUDGED: the grader
/// could not read what it should be able to read.
grade_state grade_source_read(int folder, const char *file, char **text, size_t *size_bytes,
                              grade_diag *diag);

#endif
