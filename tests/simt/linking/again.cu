// SPDX-License-Identifier: MIT
// Defines what tables.cu and functions.cu define as well.
__device__ int counter = 5;
__device__ int doubled(int x) { return x + x; }
