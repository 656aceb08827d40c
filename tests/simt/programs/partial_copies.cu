// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
//
// Asynchronous copies whose source is shorter than the copy: the rest is zero, and what lies behind
// the source is not read.
#include <cstdint>
#include <cstdio>

static __device__ uint32_t at(const void *p) { return (uint32_t)__cvta_generic_to_shared(p); }

static __global__ void rows(const int *in, int *out, int n) {
  __shared__ alignas(16) int s[3][128];
  const int t = (int)threadIdx.x;
  for (int g = 0; g < 3; g++) {
    const int bytes = g * 128 + t * 4 + 4 <= n ? 16 : 4;
    if (t < 32)
      asm volatile("cp.async.ca.shared.global [%0], [%1], 16, %2;" ::"r"(at(&s[g][t * 4])),
                   "l"(in + g * 128 + t * 4), "r"(bytes));
    asm volatile("cp.async.commit_group;");
  }
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[t] = (s[0][127 - t] * 3 + s[1][127 - t]) * 3 + s[2][127 - t];
}

static __global__ void end(const char *in, char *out, int n) { // n is no multiple of 16
  __shared__ alignas(16) char s[512];
  const int t = (int)threadIdx.x, left = n - t * 16, bytes = left < 0 ? 0 : left > 16 ? 16 : left;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at(s + t * 16)),
               "l"(in + (bytes ? t * 16 : 0)), "r"(bytes));
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncwarp();
  for (int i = t; i < 512; i += 32) out[i] = s[i];
}

int main() {
  int *in, *out, h[384];
  char *text, *copy, back[513] = "";
  cudaMalloc(&in, sizeof h);
  cudaMalloc(&out, 512);
  cudaMalloc(&text, 443);
  cudaMalloc(&copy, 512);
  for (int i = 0; i < 384; i++) h[i] = i + 1;
  cudaMemcpy(in, h, sizeof h, cudaMemcpyHostToDevice);
  cudaMemset(text, 'x', 443);
  rows<<<1, 128>>>(in, out, 300);
  end<<<1, 32>>>(text, copy, 443);
  cudaMemcpy(h, out, 512, cudaMemcpyDeviceToHost);
  cudaMemcpy(back, copy, 512, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 128; i += 13) printf("%d ", h[i]);
  int n = 0, others = 0;
  for (int i = 0; i < 512; i++) n += back[i] == 'x', others += back[i] != 'x' && back[i] != 0;
  printf("\n%d %d %s\n", n, others, cudaGetErrorName(cudaGetLastError()));
  cudaFree(in);
  cudaFree(out);
  cudaFree(text);
  cudaFree(copy);
}
