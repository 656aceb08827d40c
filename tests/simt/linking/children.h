// SPDX-License-Identifier: MIT
// What parents.cu and children.cu share: a kernel of the one, and a template of both.
#pragma once

template <typename T> __global__ void add(T *p, T value) { atomicAdd(p, value); }
__global__ void there(int *p);
__device__ void launch_there(int *p);
