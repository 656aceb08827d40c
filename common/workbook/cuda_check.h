// SPDX-License-Identifier: MIT
/// @file cuda_check.h
/// Checks CUDA calls. WB_OK(call) is true when the call succeeded; otherwise it has printed where
/// (file:line), what was called, and the error's name and meaning, and the caller decides.
/// (The file is not named check.h because that is libcheck's header.)
///
///     if (!WB_OK(cudaMalloc((void **)&x, size_bytes))) return false;
#ifndef WB_CUDA_CHECK_H
#define WB_CUDA_CHECK_H

#include <cuda_runtime.h>
#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Prints a failed call on stderr; returns error == cudaSuccess.
bool wb_check_cuda(cudaError_t error, const char *call, const char *file, int line);

#define WB_OK(call) wb_check_cuda((call), #call, __FILE__, __LINE__)

#ifdef __cplusplus
}
#endif
#endif
