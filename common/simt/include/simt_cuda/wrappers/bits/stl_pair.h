// SPDX-License-Identifier: MIT
// Goes with <tuple>, which defines constructors of pairs: constexpr, and so for device code.
#pragma GCC system_header
#include <bits/c++config.h>
#pragma push_macro("_GLIBCXX20_CONSTEXPR")
#undef _GLIBCXX20_CONSTEXPR
#if __cplusplus >= 201402L
#define _GLIBCXX20_CONSTEXPR constexpr
#else // where no constexpr function may change anything
#define _GLIBCXX20_CONSTEXPR __attribute__((host, device))
#endif
#include_next <bits/stl_pair.h>
#pragma pop_macro("_GLIBCXX20_CONSTEXPR")
