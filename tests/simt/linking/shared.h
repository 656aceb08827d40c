// SPDX-License-Identifier: MIT
// shared.h - what the files of the program declare for each other.
#ifndef LINKING_SHARED_H
#define LINKING_SHARED_H

extern __device__ int counter;        // tables.cu
extern __constant__ float weights[4]; // tables.cu
extern __managed__ int from_host;     // tables.cu
extern __shared__ int scratch[];

struct shape {
  __device__ virtual int area() const = 0;
};
typedef int (*operation)(int);
extern __device__ operation operations[2]; // functions.cu

__device__ int doubled(int x);          // functions.cu
__device__ int sum_of_digits(int x);    // functions.cu: recursive
__device__ int area_of(const shape *s); // functions.cu
template <typename T> __device__ __noinline__ T tripled(T x) { return 3 * x; } // in every file
void run_functions(int *out, int n); // functions.cu: launches a kernel of its own

#endif
