// SPDX-License-Identifier: MIT
// case.h - what every program of the corpus shares: device arrays and the verdict on the result.
//
// A case is one small program, wrong with MENDED = 0 and right with MENDED = 1:
//
//   simtcc -DMENDED=0 tree.cu -o tree && SIMT_CHECK=all ./tree
//
// It prints `result: right`, `result: wrong` or `result: <CUDA error>`; comments of the case say
// what the checkers must report (see run_checks.py).
#ifndef CASE_H
#define CASE_H

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

#ifndef MENDED
#define MENDED 0
#endif

static void *case_arrays[16]; // on the device; freed at the end
static int n_case_arrays;

// n elements, uninitialised.
template <typename T> static inline T *case_unwritten(size_t n) {
  void *array = nullptr;
  cudaMalloc(&array, n * sizeof(T));
  case_arrays[n_case_arrays++] = array;
  return (T *)array;
}

template <typename T> static inline T *case_zeros(size_t n) {
  T *array = case_unwritten<T>(n);
  cudaMemset(array, 0, n * sizeof(T));
  return array;
}

// 0, 1, 2 …
template <typename T> static inline T *case_numbers(size_t n) {
  T *array = case_unwritten<T>(n), *host = (T *)malloc(n * sizeof(T));
  for (size_t i = 0; i < n; i++) host[i] = (T)(int)i;
  cudaMemcpy(array, host, n * sizeof(T), cudaMemcpyHostToDevice);
  free(host);
  return array;
}

// The array as it is now, on the host. Lives as long as the program.
template <typename T> static inline const T *case_fetch(const T *array, size_t n) {
  T *host = (T *)calloc(n, sizeof(T));
  cudaMemcpy(host, array, n * sizeof(T), cudaMemcpyDeviceToHost);
  return host;
}

// Blocks that run together, as those that wait for each other must.
template <typename... P>
static inline void case_together(void (*kernel)(P...), unsigned blocks, unsigned threads, P... p) {
  void *parameters[] = {(void *)&p...};
  cudaLaunchCooperativeKernel((const void *)kernel, dim3(blocks), dim3(threads), parameters, 0, 0);
}

static inline int case_end(bool right) {
  const cudaError_t error = cudaDeviceSynchronize();
  while (n_case_arrays > 0) cudaFree(case_arrays[--n_case_arrays]);
  printf("result: %s\n", error ? cudaGetErrorName(error) : right ? "right" : "wrong");
  return error || !right;
}

#endif
