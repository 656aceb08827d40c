# SPDX-License-Identifier: MIT
# CUDA programs for the software GPU from CMake. Needs target Simt::simt and SIMTCC, the path of
# simtcc: both come from find_package(Simt), or from this project's own build.
#
#   simt_add_program(NAME SOURCE... [OPTIONS FLAG...])
#     Executable NAME. .cu files are compiled by simtcc (which rebuilds them when a header changes),
#     the others by the project's own compilers. OPTIONS go to simtcc (-I, -D, -O, -std …). More may
#     be said with target_link_libraries(NAME …).
#   simt_add_ptx(NAME SOURCE [OUTPUT FILE] [OPTIONS FLAG...])
#     Target NAME, part of `all`: device code alone, for cudaLibraryLoadFromFile.
#     FILE defaults to NAME.ptx in the current build directory.

# One call of simtcc that makes `output`; `mode` is -c or -ptx.
function(simt_compile_cuda output source mode options)
  get_filename_component(source "${source}" ABSOLUTE)
  set(depfile "${output}.d")
  add_custom_command(OUTPUT "${output}"
    COMMAND "${SIMTCC}" ${mode} ${options} -MD -MF "${depfile}" -MT "${output}"
            "${source}" -o "${output}"
    DEPENDS "${source}" "${SIMTCC}" ${SIMTCC_DEPENDS}
    DEPFILE "${depfile}"
    COMMENT "Compiling ${source} for the software GPU" VERBATIM)
endfunction()

function(simt_add_program name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "OPTIONS")
  set(sources)
  foreach(source IN LISTS arg_UNPARSED_ARGUMENTS)
    if(source MATCHES "\\.cu$")
      get_filename_component(stem "${source}" NAME)
      set(object "${CMAKE_CURRENT_BINARY_DIR}/${name}.${stem}.o")
      simt_compile_cuda("${object}" "${source}" -c "${arg_OPTIONS}")
      set_source_files_properties("${object}" PROPERTIES EXTERNAL_OBJECT TRUE GENERATED TRUE)
      list(APPEND sources "${object}")
    else()
      list(APPEND sources "${source}")
    endif()
  endforeach()
  add_executable(${name} ${sources})
  if(CMAKE_CXX_COMPILER)
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE CXX)
  else()
    set_target_properties(${name} PROPERTIES LINKER_LANGUAGE C)
    target_link_libraries(${name} PRIVATE stdc++)
  endif()
  target_link_libraries(${name} PRIVATE Simt::simt)
endfunction()

function(simt_add_ptx name source)
  cmake_parse_arguments(PARSE_ARGV 2 arg "" "OUTPUT" "OPTIONS")
  if(NOT arg_OUTPUT)
    set(arg_OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/${name}.ptx")
  endif()
  simt_compile_cuda("${arg_OUTPUT}" "${source}" -ptx "${arg_OPTIONS}")
  add_custom_target(${name} ALL DEPENDS "${arg_OUTPUT}")
endfunction()
