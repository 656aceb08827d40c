// SPDX-License-Identifier: MIT
// runtime_calls.h - for programs that print what calls of the runtime answer: E(call) prints the
// call and its answer, CK(call) ends the program where it fails.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>

#define E(...)                                                                                     \
  do {                                                                                             \
    cudaError_t e_ = (__VA_ARGS__);                                                                \
    printf("%s -> %s\n", #__VA_ARGS__, cudaGetErrorName(e_));                                      \
  } while (0)
#define CK(...)                                                                                    \
  do {                                                                                             \
    cudaError_t e_ = (__VA_ARGS__);                                                                \
    if (e_ != cudaSuccess) {                                                                       \
      printf("line %d: %s\n", __LINE__, cudaGetErrorString(e_));                                   \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
