# SPDX-License-Identifier: MIT
# How the C code of this project is compiled: C11 without extensions, warnings, optimisation and,
# on request, sanitizers. Device code has its own rules (common/simt/compiler/flags.sh, nvcc).

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()

option(WORKBOOK_COVERAGE "Count which lines of C code run (GCC; make coverage)" OFF)
option(WORKBOOK_SANITIZE "Build the C code with AddressSanitizer and UBSan" OFF)
# Warnings are errors with the compilers that are known to give none. Other compilers may warn
# without breaking a user's build, and so may one that instruments the code for a sanitizer or for
# coverage (book/decisions/0016-gates.md).
set(WORKBOOK_WERROR AUTO CACHE STRING "Warnings are errors: ON, OFF, or AUTO for known compilers")
set_property(CACHE WORKBOOK_WERROR PROPERTY STRINGS AUTO ON OFF)
set(workbook_known_compilers "GNU 12" "Clang 14" "Clang 19")
string(REGEX MATCH "^[0-9]+" workbook_compiler "${CMAKE_C_COMPILER_VERSION}")
set(workbook_compiler "${CMAKE_C_COMPILER_ID} ${workbook_compiler}")

# Results must not depend on whether the host has fused multiply-add.
add_compile_options($<$<COMPILE_LANGUAGE:C>:-ffp-contract=off>)
add_compile_options("$<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>")
if((WORKBOOK_WERROR STREQUAL "AUTO" AND workbook_compiler IN_LIST workbook_known_compilers
    AND NOT WORKBOOK_SANITIZE AND NOT WORKBOOK_COVERAGE)
   OR (WORKBOOK_WERROR AND NOT WORKBOOK_WERROR STREQUAL "AUTO"))
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-Werror>)
endif()

if(WORKBOOK_SANITIZE)
  set(WORKBOOK_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:C>:${WORKBOOK_SANITIZE_FLAGS};-fno-omit-frame-pointer;-O1;-g1>")
  add_link_options(${WORKBOOK_SANITIZE_FLAGS})
endif()

if(WORKBOOK_COVERAGE)
  add_compile_options("$<$<COMPILE_LANGUAGE:C>:--coverage;-fprofile-update=atomic;-O0>")
  add_link_options(--coverage)
endif()
