// SPDX-License-Identifier: MIT
__device__ int scaled(int value) { return 3 * value; }
