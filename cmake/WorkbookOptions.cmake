# SPDX-License-Identifier: MIT
# How the C code of this project is compiled: C11 without extensions, warnings, optimisation and,
# on request, sanitizers. Device code has its own rules (common/simt/simtcc, nvcc).

set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo" FORCE)
endif()

option(WORKBOOK_SANITIZE "Build the C code with AddressSanitizer and UBSan" OFF)
option(WORKBOOK_WERROR "Warnings are errors" OFF)

# Results must not depend on whether the host has fused multiply-add.
add_compile_options($<$<COMPILE_LANGUAGE:C>:-ffp-contract=off>)
add_compile_options("$<$<COMPILE_LANGUAGE:C>:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion>")
if(WORKBOOK_WERROR)
  add_compile_options($<$<COMPILE_LANGUAGE:C>:-Werror>)
endif()

if(WORKBOOK_SANITIZE)
  set(WORKBOOK_SANITIZE_FLAGS -fsanitize=address,undefined -fno-sanitize-recover=undefined)
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:C>:${WORKBOOK_SANITIZE_FLAGS};-fno-omit-frame-pointer;-O1;-g>")
  add_link_options(${WORKBOOK_SANITIZE_FLAGS})
endif()
