// SPDX-License-Identifier: MIT
// never_written.h - an array of a kernel's own that is read and in which nothing is ever stored.
// The compiler takes such reads for anything it likes, so that neither the values nor the checkers
// show what is wrong; the text does.
#ifndef WB_NEVER_WRITTEN_H
#define WB_NEVER_WRITTEN_H

#include <stdbool.h>

typedef struct wb_never_written {
  char name[48];
  unsigned line; // where it is read first
} wb_never_written;

// The first such array of a CUDA text. False: there is none, or out of memory. An array that is
// handed on, or whose address is taken, may be written elsewhere and is none.
bool wb_never_written_find(const char *text, wb_never_written *out);

#endif
