// SPDX-License-Identifier: MIT
/// @file tree.h
/// Files put into a folder by names that are not trusted: no link is ever followed, no name leads
/// out. Private to the intake.
#ifndef GRADE_TREE_H
#define GRADE_TREE_H

#include "grade.h"

/// Opens a folder below `root`, making what is missing; -1: errno says why not (EINVAL: the path
/// holds "..", is absolute or too deep).
int grade_tree_folder(int root, const char *path);

/// Copies the regular file `from_folder`/`from`, at most `limit_bytes` of it, to `root`/`path`. A
/// link, a FIFO or a device becomes one that leads nowhere, and is refused when it is read.
bool grade_tree_copy(int root, const char *path, int from_folder, const char *from,
                     size_t limit_bytes);

#endif
