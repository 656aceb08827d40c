// SPDX-License-Identifier: MIT
// An exercise is compiled with -Werror=deprecated: an old name is an error there.
// nvcc: skip
// flags: -Werror=deprecated
// refused: error: '__shfl_down<int>' is deprecated: call __shfl_down_sync
__global__ void sum(int *out) { out[threadIdx.x] = __shfl_down(out[threadIdx.x], 1); }
int main() { return 0; }
