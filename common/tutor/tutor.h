// SPDX-License-Identifier: MIT
/// @file tutor.h
/// What all parts of the tutor share: statuses with a sentence for the user, and sizes.
#ifndef TUTOR_H
#define TUTOR_H

#include <stdbool.h>
#include <stddef.h>

enum { TUTOR_NAME_BYTES = 64, TUTOR_DATE_BYTES = 11, TUTOR_PATH_BYTES = 4096 };

typedef enum tutor_status {
  TUTOR_OK,
  TUTOR_NO_MEMORY,
  TUTOR_IO_ERROR,  ///< the system refused; the sentence says what and why
  TUTOR_BAD_INPUT, ///< a file that cannot be read as what it should be
  TUTOR_NOT_FOUND
} tutor_status;

typedef struct tutor_diag {
  char text[1024];
} tutor_diag;

/// Fills `diag` (may be NULL), printf-style, and returns `status`.
tutor_status tutor_fail(tutor_diag *diag, tutor_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
