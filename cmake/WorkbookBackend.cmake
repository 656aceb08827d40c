# SPDX-License-Identifier: MIT
# Decides where the lessons run. AUTO takes CUDA only where nvcc *and* a GPU that its programs run
# on are present: a toolkit alone would build programs that cannot run. CUDA builds for the GPUs
# that are present, or for the usual ones when there is none, and only for those that the toolkit
# knows. common/scripts/gpu_state.sh finds this out.
#
# Sets WORKBOOK_BACKEND_RESOLVED to SIMT or CUDA, WORKBOOK_NVCC to nvcc or "".

set(WORKBOOK_BACKEND AUTO CACHE STRING "Where lessons run: AUTO, SIMT (software GPU) or CUDA")
set_property(CACHE WORKBOOK_BACKEND PROPERTY STRINGS AUTO SIMT CUDA)
if(NOT WORKBOOK_BACKEND MATCHES "^(AUTO|SIMT|CUDA)$")
  message(FATAL_ERROR "WORKBOOK_BACKEND is '${WORKBOOK_BACKEND}': use AUTO, SIMT or CUDA")
endif()

find_program(WORKBOOK_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin"
  PATHS /usr/local/cuda/bin DOC "NVIDIA's compiler, for the CUDA backend and its compile tests")
if(NOT WORKBOOK_NVCC)
  set(WORKBOOK_NVCC "")
endif()

# Sets gpu_state, gpu_toolkit, gpu_targets and gpu_message from what gpu_state.sh prints.
function(workbook_look_for_gpus)
  execute_process(
    COMMAND "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../common/scripts/gpu_state.sh" "${WORKBOOK_NVCC}"
    OUTPUT_VARIABLE answer ERROR_QUIET TIMEOUT 60)
  foreach(field state toolkit targets message)
    set(value "")
    if(answer MATCHES "(^|\n)${field} ([^\n]*)")
      set(value "${CMAKE_MATCH_2}")
    endif()
    set(gpu_${field} "${value}" PARENT_SCOPE)
  endforeach()
endfunction()

# Stops at an architecture that was asked for and that the toolkit does not build for.
function(workbook_check_architectures)
  execute_process(COMMAND "${WORKBOOK_NVCC}" --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  string(REGEX MATCHALL "[0-9]+" known "${known}")
  foreach(entry IN LISTS CMAKE_CUDA_ARCHITECTURES)
    string(REGEX MATCH "^[0-9]+" sm "${entry}")
    if(sm AND known AND NOT sm IN_LIST known)
      string(REPLACE ";" " " known "${known}")
      message(FATAL_ERROR "CMAKE_CUDA_ARCHITECTURES asks for ${sm}, which CUDA ${gpu_toolkit} does "
        "not build for. It knows: ${known}")
    endif()
  endforeach()
endfunction()

set(WORKBOOK_BACKEND_RESOLVED SIMT)
set(gpu_state no-toolkit)
set(gpu_message "")
if(NOT WORKBOOK_BACKEND STREQUAL "SIMT")
  workbook_look_for_gpus()
  if(WORKBOOK_BACKEND STREQUAL "CUDA" AND NOT WORKBOOK_NVCC)
    message(FATAL_ERROR "WORKBOOK_BACKEND=CUDA, but nvcc was not found. Install the CUDA toolkit "
      "(https://developer.nvidia.com/cuda-downloads) or set CUDA_HOME; without a GPU use "
      "WORKBOOK_BACKEND=SIMT.")
  elseif(WORKBOOK_BACKEND STREQUAL "CUDA" OR (WORKBOOK_NVCC AND gpu_state STREQUAL "ready"))
    set(WORKBOOK_BACKEND_RESOLVED CUDA)
  endif()
endif()

# Scripts read this from CMakeCache.txt.
set(WORKBOOK_BACKEND_RESOLVED ${WORKBOOK_BACKEND_RESOLVED} CACHE INTERNAL "SIMT or CUDA")

if(WORKBOOK_BACKEND_RESOLVED STREQUAL "CUDA")
  if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER "${WORKBOOK_NVCC}")
  endif()
  if(CMAKE_CUDA_ARCHITECTURES)
    workbook_check_architectures()
  else()
    # Each with machine code and PTX.
    string(REPLACE " " ";" CMAKE_CUDA_ARCHITECTURES "${gpu_targets}")
  endif()
  enable_language(CUDA)
  string(REPLACE ";" ", sm_" workbook_targets "sm_${CMAKE_CUDA_ARCHITECTURES}")
  if(gpu_state STREQUAL "ready")
    message(STATUS "Lessons run on: a GPU (nvcc, ${workbook_targets}); times are measured")
  else()
    message(STATUS
      "Lessons run on: a GPU (nvcc, ${workbook_targets}), but not here. ${gpu_message}")
  endif()
elseif(gpu_state MATCHES "too-old" OR (gpu_state STREQUAL "no-toolkit" AND gpu_message))
  message(STATUS "Lessons run on: the software GPU; times are modelled. ${gpu_message}")
else()
  message(STATUS "Lessons run on: the software GPU; times are modelled")
endif()
