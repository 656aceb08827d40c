# SPDX-License-Identifier: MIT
# How device code is built, on either backend.
#
#   add_lesson(NN_name program.cu [HEADER...])
#     HEADER: files of the lesson's own that the program includes.
#     Program build/lessons/NN_name (target NN_name) and the module of its kernels for its suite
#     (target module_lesson_NN_name, part of the default build). `programs` builds all programs.
#
#   add_module(NAME source.cu [ALL] [DEPENDS file...])
#     Device code alone, to be loaded by path: target module_NAME makes
#     build/modules/NAME.ptx (software GPU) or build/modules/NAME.fatbin (CUDA).
#     Part of the default build with ALL only: an unfinished exercise need not compile.
#   workbook_module_path(NAME variable)
#     Sets `variable` to that file.

set(WORKBOOK_MODULE_DIR "${PROJECT_BINARY_DIR}/modules" CACHE INTERNAL "compiled device code")

if(NOT TARGET programs)
  add_custom_target(programs)
endif()

function(workbook_module_path name out)
  if(WORKBOOK_BACKEND_RESOLVED STREQUAL "CUDA")
    set(${out} "${WORKBOOK_MODULE_DIR}/${name}.fatbin" PARENT_SCOPE)
  else()
    set(${out} "${WORKBOOK_MODULE_DIR}/${name}.ptx" PARENT_SCOPE)
  endif()
endfunction()

# What device code is compiled with: -I and -D in the spelling all three compilers share. The math
# functions of simtcc's own: what is counted must not depend on a toolkit being installed. The
# architecture is the one that lesson 05's code asks for.
set(WORKBOOK_DEVICE_FLAGS "-I${PROJECT_SOURCE_DIR}/common/workbook")
if(NOT WORKBOOK_BACKEND_RESOLVED STREQUAL "CUDA")
  list(APPEND WORKBOOK_DEVICE_FLAGS -DWORKBOOK_SIMT --maths=own -arch=sm_80)
endif()
set(WORKBOOK_DEVICE_FLAGS "${WORKBOOK_DEVICE_FLAGS}" CACHE INTERNAL "flags for device code")

# The nvcc flags that build machine code for CMAKE_CUDA_ARCHITECTURES, and PTX of the first.
function(workbook_nvcc_targets out)
  set(flags)
  foreach(entry IN LISTS CMAKE_CUDA_ARCHITECTURES)
    string(REGEX MATCH "^[0-9]+" sm "${entry}")
    if(sm)
      if(NOT flags)
        list(APPEND flags "-gencode=arch=compute_${sm},code=compute_${sm}")
      endif()
      list(APPEND flags "-gencode=arch=compute_${sm},code=sm_${sm}")
    endif()
  endforeach()
  if(NOT flags)
    set(flags "-arch=${CMAKE_CUDA_ARCHITECTURES}") # native, all-major
  endif()
  set(${out} "${flags}" PARENT_SCOPE)
endfunction()

function(add_module name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "ALL" "" "DEPENDS")
  set(all)
  if(arg_ALL)
    set(all ALL)
  endif()
  get_filename_component(source "${source}" ABSOLUTE)
  workbook_module_path(${name} module)
  if(WORKBOOK_BACKEND_RESOLVED STREQUAL "CUDA")
    workbook_nvcc_targets(targets)
    set(compile "${CMAKE_CUDA_COMPILER}" -fatbin -O3 -lineinfo ${targets})
    set(compiler)
  else()
    set(compile "${SIMTCC}" -ptx -O3 -Werror=deprecated)
    set(compiler "${SIMTCC}" ${SIMTCC_DEPENDS})
  endif()
  add_custom_command(OUTPUT "${module}"
    COMMAND ${CMAKE_COMMAND} -E make_directory "${WORKBOOK_MODULE_DIR}"
    COMMAND ${compile} ${WORKBOOK_DEVICE_FLAGS} "${source}" -o "${module}"
    DEPENDS "${source}" ${arg_DEPENDS} ${compiler} ${WORKBOOK_HEADERS}
    COMMENT "Compiling module ${name}" VERBATIM)
  add_custom_target(module_${name} ${all} DEPENDS "${module}")
endfunction()

# Object file of a program for the software GPU; CMake knows no language for it.
function(workbook_simt_object source out)
  get_filename_component(base "${source}" NAME_WE)
  set(object "${CMAKE_CURRENT_BINARY_DIR}/${base}.o")
  add_custom_command(OUTPUT "${object}"
    COMMAND "${SIMTCC}" -O3 ${WORKBOOK_DEVICE_FLAGS} -c "${source}" -o "${object}"
      -MD -MF "${object}.d" -MT "${object}"
    DEPENDS "${source}" "${SIMTCC}" ${SIMTCC_DEPENDS}
    DEPFILE "${object}.d"
    COMMENT "Compiling ${base}.cu for the software GPU" VERBATIM)
  set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
  set(${out} "${object}" PARENT_SCOPE)
endfunction()

function(add_lesson name program)
  get_filename_component(source "${program}" ABSOLUTE)
  if(WORKBOOK_BACKEND_RESOLVED STREQUAL "CUDA")
    add_executable(${name} "${source}")
    # The legacy default stream cannot be captured into a graph; the thread's own can (timing.c).
    target_compile_options(${name} PRIVATE
      $<$<COMPILE_LANGUAGE:CUDA>:-O3 -lineinfo --default-stream=per-thread>)
    target_compile_definitions(${name} PRIVATE WORKBOOK_CUB) # CUB's kernels beside our own
  else()
    workbook_simt_object("${source}" object)
    add_executable(${name} "${object}")
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
  endif()
  target_link_libraries(${name} PRIVATE workbook)
  set_target_properties(${name} PROPERTIES
    RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lessons")
  add_dependencies(programs ${name})
  list(TRANSFORM ARGN PREPEND "${CMAKE_CURRENT_SOURCE_DIR}/")
  add_module(lesson_${name} "${source}" ALL DEPENDS ${ARGN})
endfunction()
