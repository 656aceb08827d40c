// SPDX-License-Identifier: MIT
// The GNU header writes __attribute__((__noinline__)), which the macro __noinline__ that clang 14
// needs for CUDA would break: undone for the length of the header.
#pragma GCC system_header
#pragma push_macro("__noinline__")
#undef __noinline__
#include_next <bits/shared_ptr_base.h>
#pragma pop_macro("__noinline__")
