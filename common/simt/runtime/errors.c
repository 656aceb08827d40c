// SPDX-License-Identifier: MIT
// runtime/errors.c - CUDA's error codes: their names and texts, and the code of each status of the
// engine.
#include "runtime/runtime.h"

typedef struct error_text {
  cudaError_t error;
  const char *name, *text;
} error_text;

static const error_text error_texts[] = {
#define CUDART_ERROR(name, value, text) {name, #name, text},
#include "include/simt_cuda/cuda_errors.def"
#undef CUDART_ERROR
};

static const error_text *find_text(cudaError_t error) {
  for (size_t i = 0; i < sizeof error_texts / sizeof *error_texts; i++)
    if (error_texts[i].error == error) return &error_texts[i];
  return NULL;
}

const char *cudaGetErrorName(cudaError_t error) {
  const error_text *row = find_text(error);
  return row ? row->name : "unrecognized error code";
}

const char *cudaGetErrorString(cudaError_t error) {
  const error_text *row = find_text(error);
  return row ? row->text : "unrecognized error code";
}

cudaError_t simt_rt_error_of(simt_status status) {
  switch (status) {
  case SIMT_OK: return cudaSuccess;
  case SIMT_OUT_OF_MEMORY: return cudaErrorMemoryAllocation;
  case SIMT_SYNTAX_ERROR:
  case SIMT_UNSUPPORTED: return cudaErrorInvalidPtx;
  case SIMT_NOT_FOUND: return cudaErrorSymbolNotFound;
  case SIMT_INVALID_ARGUMENT: return cudaErrorInvalidValue;
  case SIMT_INVALID_CONFIGURATION: return cudaErrorInvalidConfiguration;
  case SIMT_OUT_OF_RESOURCES: return cudaErrorLaunchOutOfResources;
  case SIMT_TOO_LARGE: return cudaErrorCooperativeLaunchTooLarge;
  case SIMT_ILLEGAL_ADDRESS:
  case SIMT_FREED_MEMORY:
  case SIMT_HOST_POINTER:
  case SIMT_STACK_OVERFLOW: // as on an H200
  case SIMT_PEER_MEMORY:
  case SIMT_READ_ONLY_MEMORY: return cudaErrorIllegalAddress;
  case SIMT_MISALIGNED_ADDRESS: return cudaErrorMisalignedAddress;
  case SIMT_OWN_MEMORY_ONLY: // these three as on an H200
  case SIMT_INVALID_BARRIER:
  case SIMT_UNNAMED_LANE: return cudaErrorIllegalInstruction;
  case SIMT_DEADLOCK:
  case SIMT_PRINT_LIMIT:
  case SIMT_TIMEOUT: return cudaErrorLaunchTimeout;
  case SIMT_ASSERT: return cudaErrorAssert;
  case SIMT_INVALID_CALL: return cudaErrorInvalidPc;
  case SIMT_BLOCK_EXITED:
  case SIMT_CLUSTER_ADDRESS:
  case SIMT_INVALID_FREE:
  case SIMT_NOT_COOPERATIVE: // NVIDIA's grid.sync() traps
  case SIMT_TRAP: return cudaErrorLaunchFailure;
  case SIMT_STATUS_COUNT: break;
  }
  return cudaErrorUnknown;
}
