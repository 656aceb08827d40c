// SPDX-License-Identifier: MIT
/// @file includes.h
/// Which files a compiled submission was made of, by the compiler's own account (-MD).
#ifndef GRADE_INCLUDES_H
#define GRADE_INCLUDES_H

#include <stdbool.h>
#include <stddef.h>

/// Looks for a file that a submission may not include: one below a folder of `forbidden` (resolved
/// paths, NULL-terminated), unless it is below `allowed` (NULL: no exception) or is `own` itself, a
/// resolved path. `dependencies`, a make rule, is consumed; names in it are relative to
/// `directory`. True: there is one, and `shown` [shown_bytes] has its resolved path.
bool grade_include_forbidden(char *dependencies, const char *directory, const char *own,
                             const char *const *forbidden, const char *allowed, char *shown,
                             size_t shown_bytes);

#endif
