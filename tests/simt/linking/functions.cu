// SPDX-License-Identifier: MIT
#include "shared.h"

static __device__ int hidden = 1000;
static __device__ __noinline__ int own(int x) { return x * hidden; }

__device__ int doubled(int x) { return 2 * x; }
__device__ int sum_of_digits(int x) { return x ? x % 10 + sum_of_digits(x / 10) : 0; }
__device__ int area_of(const shape *s) { return s->area(); }
__device__ operation operations[2] = {doubled, tripled<int>};

__global__ void scale(int *out) { out[threadIdx.x] = own(threadIdx.x) + tripled(counter); }
void run_functions(int *out, int n) { scale<<<1, n>>>(out); }
