// SPDX-License-Identifier: MIT
__device__ void store(int *to, int value) { *to = value; }
