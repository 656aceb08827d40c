# SPDX-License-Identifier: MIT
# CMake's own language CUDA with simtcc as its compiler, for projects that are not to be changed:
#
#   cmake -S . -B build -DCMAKE_TOOLCHAIN_FILE=.../SimtToolchain.cmake
#
# simtcc is looked for beside this file (as it is installed), then in PATH; SIMTCC names it.
# CMake's tests of the compiler are left out: what they ask of nvcc's output simtcc does not print.
find_program(SIMTCC simtcc REQUIRED DOC "compiler of CUDA files for the software GPU"
  HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin" "${CMAKE_CURRENT_LIST_DIR}/../../../../bin")
get_filename_component(simt_bin "${SIMTCC}" DIRECTORY)
file(GLOB simt_folders "${simt_bin}/../lib" "${simt_bin}/../lib64" "${simt_bin}/../lib/*-linux-gnu")
find_library(SIMT_LIBRARY libsimt.a REQUIRED HINTS "${simt_bin}" ${simt_folders})
set(CMAKE_CUDA_COMPILER "${SIMTCC}")
set(CMAKE_CUDA_COMPILER_ID Simt)
set(CMAKE_CUDA_COMPILER_ID_RUN TRUE)
set(CMAKE_CUDA_COMPILER_FORCED TRUE)
set(CMAKE_CUDA_COMPILER_VERSION 13.0) # of the toolkit whose calls and macros there are
set(CMAKE_CUDA_STANDARD_COMPUTED_DEFAULT 17)
set(CMAKE_CUDA_ARCHITECTURES 80 CACHE STRING "what device code is compiled for")
# What a linker of another language must be given.
set(CMAKE_CUDA_IMPLICIT_LINK_LIBRARIES "${SIMT_LIBRARY};pthread;m")
list(APPEND CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES SIMTCC SIMT_LIBRARY)
