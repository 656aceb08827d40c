// SPDX-License-Identifier: MIT
//
// The Programming Guide's loop around a compare-and-swap of 16 bits, and a cuda::atomic in shared
// memory to which values are assigned.
// checked: a first read that only makes a guess is no race, and an assignment is an atomic store
#include <cstdio>
#include <cuda/atomic>

__global__ void count(unsigned short *counter) {
  unsigned short old = *counter, assumed;
  do {
    assumed = old;
    old = atomicCAS(counter, assumed, (unsigned short)(assumed + 1));
  } while (assumed != old);
}

__global__ void assign(int *out) {
  __shared__ cuda::atomic<int, cuda::thread_scope_block> sum;
  __shared__ cuda::atomic<float, cuda::thread_scope_block> last;
  if (threadIdx.x == 0) {
    sum = 5;
    last = 0.5f;
  }
  __syncthreads();
  sum += (int)threadIdx.x;
  __syncthreads();
  if (threadIdx.x == 0) {
    out[0] = sum;
    out[1] = (int)(2 * (last = 1.5f));
    out[2] = (int)(2 * last.load());
  }
}

int main() {
  unsigned short *counter, n = 0;
  int *out, host[3];
  cudaMalloc(&counter, sizeof *counter);
  cudaMalloc(&out, sizeof host);
  cudaMemset(counter, 0, sizeof *counter);
  count<<<2, 64>>>(counter);
  cudaMemcpy(&n, counter, sizeof n, cudaMemcpyDeviceToHost);
  assign<<<1, 64>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("counted %d, assigned %d %d %d\n", n, host[0], host[1], host[2]);
  cudaFree(counter);
  cudaFree(out);
}
