// SPDX-License-Identifier: MIT
// base/names.h - names of kernels and variables as their author wrote them.
#ifndef SIMT_NAMES_H
#define SIMT_NAMES_H

#include <stddef.h>

// Writes the readable part of a C++ symbol: "_Z4treePKfPf" becomes "tree", "_ZN2ns4treeIfEEvPT_"
// becomes "ns::tree<...>". Names of other shapes, and those that are not mangled, are copied.
// Not a demangler: parameters and template arguments are left out. Returns `out`.
const char *simt_display_name(const char *symbol, char *out, size_t out_bytes);

// The same for a variable; for one that is local to a function, only its own name:
// "_ZZ4treePKfPfE3sum" becomes "sum". `symbol` need not be NUL-terminated.
const char *simt_display_variable(const char *symbol, size_t symbol_bytes, char *out,
                                  size_t out_bytes);

#endif
