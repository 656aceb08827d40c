// SPDX-License-Identifier: MIT
// base/names.h - names of kernels and variables as their author wrote them.
#ifndef SIMT_NAMES_H
#define SIMT_NAMES_H

#include <stddef.h>

// Writes the readable part of a C++ symbol: "_Z4treePKfPf" becomes "tree", "_ZN2ns4treeIfEEvPT_"
// becomes "ns::tree<float>". Names of other shapes, and those that are not mangled, are copied.
// Not a demangler: parameters are left out, and template arguments that are neither numbers nor
// plain types become "...". Returns `out`.
const char *simt_display_name(const char *symbol, char *out, size_t out_bytes);

// The same for a variable; for one that is local to a function, only its own name:
// "_ZZ4treePKfPfE3sum" becomes "sum". `symbol` need not be NUL-terminated.
const char *simt_display_variable(const char *symbol, size_t symbol_bytes, char *out,
                                  size_t out_bytes);

#endif
