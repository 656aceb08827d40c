// SPDX-License-Identifier: MIT
/// @file archives.h
/// Runs the program that reads archives (unpack.c) behind the fence, and reads its list, which is
/// as little trusted as the archive. Private to the intake.
#ifndef GRADE_ARCHIVES_H
#define GRADE_ARCHIVES_H

#include <stdint.h>

#include "grade.h"

enum { GRADE_ENTRY_BYTES = 1024 };

typedef struct grade_unpacked {
  char *text; ///< owned
  const char *at;
} grade_unpacked;

typedef struct grade_unpacked_line {
  unsigned number;              ///< of the file that holds it; 0: it was not taken
  char path[GRADE_ENTRY_BYTES]; ///< as the archive has it: not trusted
  const char *why;              ///< it was not taken
  bool minor;                   ///< it was nothing that anyone would expect to be taken
} grade_unpacked_line;

typedef struct grade_unpack_call {
  const char *unpacker;  ///< the program; "": this build has none
  const char *archive;   ///< an absolute path
  const char *place;     ///< a folder that is made
  unsigned limit_mib;    ///< of what may come out
  uint64_t memory_bytes; ///< of the program; 0: no limit
} grade_unpack_call;

/// Unpacks an archive. NULL: it is whole, and
/// the caller frees unpacked->text. Else a sentence that says why nothing of it is taken.
const char *grade_unpack(grade_unpacked *unpacked, const grade_unpack_call *call);

/// The next entry. False: there are no more.
bool grade_unpacked_next(grade_unpacked *unpacked, grade_unpacked_line *line);

/// The text of a regular file of a folder, malloc'ed, or NULL. No link is followed.
char *grade_read_below(int folder, const char *name, size_t limit_bytes);

#endif
