// SPDX-License-Identifier: MIT
/// @file files.h
/// The grader's own files: written whole or not at all, read whole, locked, and gone afterwards.
#ifndef GRADE_FILES_H
#define GRADE_FILES_H

#include <stdint.h>

#include "grade.h"

/// Writes `text` to `path` in one step: a temporary file beside it, flushed to the disk, then
/// renamed. A reader sees the old bytes or the new ones, also after a kill or a loss of power.
grade_status grade_file_write(const char *path, const char *text, grade_diag *diag);

/// The whole of a regular file, NUL-terminated, malloc'ed; NULL when there is none, when it is
/// longer than `limit_bytes` or holds a NUL.
char *grade_file_read(const char *path, size_t limit_bytes);

/// Makes a folder that may exist already.
grade_status grade_folder_make(const char *path, grade_diag *diag);

/// Locks a folder for this process and those it forks: at most one grader writes there. Returns a
/// descriptor that holds the lock until it is closed everywhere, or -1: another one has it, or
/// `diag` says why not.
int grade_folder_lock(const char *path, grade_diag *diag);

/// Removes a folder with all that is in it. Links are removed, not followed.
void grade_folder_remove(const char *path);

/// Bytes that a user without privileges can still write to the file system of `path`.
uint64_t grade_folder_room(const char *path);

/// Makes an empty folder like mkdtemp(`path`, which ends in XXXXXX), and starts a process whose
/// only work is to remove it when this process and all that it forks have ended, however they end.
grade_status grade_folder_make_temporary(char *path, grade_diag *diag);

#endif
