// SPDX-License-Identifier: MIT
// Its own assertion fails: the row says which, and the checkers why.
#include <cassert>
#include <cstdio>

__global__ void total(const int *x, int *out) {
  if (threadIdx.x == 0) *out = x[64]; // the mistake: the element behind the last that was copied
}

int main() {
  int host[64] = {}, *device, *out, sum = 0;
  cudaMalloc(&device, 65 * sizeof(int));
  cudaMalloc(&out, sizeof(int));
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  total<<<1, 64>>>(device, out);
  cudaMemcpy(&sum, out, sizeof sum, cudaMemcpyDeviceToHost);
  assert(sum == 0);
}
