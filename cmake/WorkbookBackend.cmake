# SPDX-License-Identifier: MIT
# Decides where the lessons run. AUTO takes CUDA only where nvcc *and* a GPU that answers are
# present: a toolkit alone would build programs that cannot run.
#
# Sets WORKBOOK_BACKEND_RESOLVED to SIMT or CUDA, WORKBOOK_NVCC to nvcc or "".

set(WORKBOOK_BACKEND AUTO CACHE STRING "Where lessons run: AUTO, SIMT (software GPU) or CUDA")
set_property(CACHE WORKBOOK_BACKEND PROPERTY STRINGS AUTO SIMT CUDA)
if(NOT WORKBOOK_BACKEND MATCHES "^(AUTO|SIMT|CUDA)$")
  message(FATAL_ERROR "WORKBOOK_BACKEND is '${WORKBOOK_BACKEND}': use AUTO, SIMT or CUDA")
endif()

find_program(WORKBOOK_NVCC nvcc HINTS "$ENV{CUDA_HOME}/bin" "$ENV{CUDA_PATH}/bin"
  /usr/local/cuda/bin DOC "NVIDIA's compiler, for the CUDA backend and its compile tests")
if(NOT WORKBOOK_NVCC)
  set(WORKBOOK_NVCC "")
endif()

# Compute capabilities of the GPUs that answer, e.g. "90" or "75;90"; empty when there is none.
function(workbook_find_gpus out)
  set(${out} "" PARENT_SCOPE)
  find_program(WORKBOOK_NVIDIA_SMI nvidia-smi DOC "asked for the GPUs' compute capability")
  mark_as_advanced(WORKBOOK_NVIDIA_SMI)
  if(NOT WORKBOOK_NVIDIA_SMI)
    return()
  endif()
  execute_process(
    COMMAND "${WORKBOOK_NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE answer ERROR_QUIET RESULT_VARIABLE status TIMEOUT 20
    OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT status EQUAL 0)
    return()
  endif()
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" capabilities "${answer}")
  string(REPLACE "." "" capabilities "${capabilities}")
  list(REMOVE_DUPLICATES capabilities)
  set(${out} "${capabilities}" PARENT_SCOPE)
endfunction()

set(WORKBOOK_BACKEND_RESOLVED SIMT)
if(NOT WORKBOOK_BACKEND STREQUAL "SIMT")
  workbook_find_gpus(workbook_gpus)
  if(WORKBOOK_BACKEND STREQUAL "CUDA")
    if(NOT WORKBOOK_NVCC)
      message(FATAL_ERROR "WORKBOOK_BACKEND=CUDA, but nvcc was not found. Install the CUDA toolkit "
        "(https://developer.nvidia.com/cuda-downloads) or set CUDA_HOME; without a GPU use "
        "WORKBOOK_BACKEND=SIMT.")
    endif()
    set(WORKBOOK_BACKEND_RESOLVED CUDA)
  elseif(WORKBOOK_NVCC AND workbook_gpus)
    set(WORKBOOK_BACKEND_RESOLVED CUDA)
  endif()
endif()

if(WORKBOOK_BACKEND_RESOLVED STREQUAL "CUDA")
  if(NOT CMAKE_CUDA_COMPILER)
    set(CMAKE_CUDA_COMPILER "${WORKBOOK_NVCC}")
  endif()
  if(NOT CMAKE_CUDA_ARCHITECTURES)
    if(workbook_gpus)
      set(CMAKE_CUDA_ARCHITECTURES "${workbook_gpus}")
    else()
      set(CMAKE_CUDA_ARCHITECTURES 75 90)
    endif()
  endif()
  enable_language(CUDA)
  message(STATUS "Lessons run on: a GPU (nvcc, sm_${CMAKE_CUDA_ARCHITECTURES}); times are measured")
else()
  message(STATUS "Lessons run on: the software GPU; times are modelled")
endif()
