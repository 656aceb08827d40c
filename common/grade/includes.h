// SPDX-License-Identifier: MIT
/// @file includes.h
/// What a submission was made of, by the compiler's own account (-MD): its own file, the compiler's
/// headers and the system's, and nothing else.
#ifndef GRADE_INCLUDES_H
#define GRADE_INCLUDES_H

#include <stdbool.h>
#include <stddef.h>

/// Reads the make rule `dependencies`, which is taken apart. True: it names a file that is neither
/// `own` (as the compiler was given it) nor below the system's folders of headers nor below
/// `headers` (NULL: there are none), or cannot be read as a rule; `shown` gets the name. Names are
/// compared without resolving links, which may mean other files to the compiler than to the grader;
/// where both see the same files (`same_view`), what a name resolves to must be allowed as well.
bool grade_include_forbidden(char *dependencies, const char *own, const char *headers,
                             bool same_view, char *shown, size_t shown_bytes);

#endif
