// SPDX-License-Identifier: MIT
//
// Copies of every kind between every two kinds of memory, and symbols. The expected output is an
// H100's.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
#define E(...)                                                                                     \
  do {                                                                                             \
    cudaError_t e_ = (__VA_ARGS__);                                                                \
    printf("%s -> %s\n", #__VA_ARGS__, cudaGetErrorName(e_));                                      \
  } while (0)
__device__ int dsym[16];
__constant__ int csym[16];
__managed__ int msym[16];
static int unbuffered = setvbuf(stdout, nullptr, _IONBF, 0);
int main() {
  int *d, *e, *pin, *man, h[16], g[16];
  for (int i = 0; i < 16; i++) h[i] = i + 1;
  cudaMalloc(&d, 64);
  cudaMalloc(&e, 64);
  cudaMallocHost(&pin, 64);
  cudaMallocManaged(&man, 64);
  struct P {
    const char *name;
    void *p;
  } ps[] = {{"dev", d}, {"host", h}, {"pinned", pin}, {"managed", man}, {"host2", g}, {"dev2", e}};
  for (auto &a : ps)
    for (auto &b : ps)
      for (int k = 0; k <= 4; k++) {
        if (a.p == b.p) continue;
        cudaMemset(d, 1, 64);
        cudaMemset(e, 2, 64);
        for (int i = 0; i < 16; i++) h[i] = i + 1, g[i] = -i, pin[i] = i + 100, man[i] = i + 200;
        cudaError_t r = cudaMemcpy(a.p, b.p, 60, (cudaMemcpyKind)k);
        int v[16] = {};
        cudaMemcpy(v, a.p, 64, cudaMemcpyDefault);
        printf("%s <- %s kind %d: %s %d %d %d\n", a.name, b.name, k, cudaGetErrorName(r), v[0],
               v[14], v[15]);
      }
  E(cudaGetLastError());
  E(cudaMemcpyToSymbol(dsym, h, 32, 16));
  E(cudaMemcpyFromSymbol(g, dsym, 64));
  printf("%d %d\n", g[3], g[4]);
  E(cudaMemcpyToSymbol(csym, d, 64, 0, cudaMemcpyDeviceToDevice));
  E(cudaMemcpyFromSymbol(g, csym, 64, 0, cudaMemcpyDefault));
  printf("%x\n", g[3]);
  E(cudaMemcpyToSymbol(msym, h, 64));
  printf("%d\n", msym[5]);
  E(cudaMemcpyToSymbol(dsym, h, 64, 4));
  E(cudaMemcpyToSymbol(dsym, h, 64, 0, cudaMemcpyDeviceToHost));
  E(cudaMemcpyFromSymbol(h, dsym, 68));
  E(cudaMemcpyToSymbol(h, g, 4));
  void *p;
  size_t n;
  E(cudaGetSymbolAddress(&p, dsym));
  E(cudaMemset(p, 3, 64));
  E(cudaMemcpyFromSymbol(g, dsym, 4, 60));
  printf("%x\n", g[0]);
  E(cudaGetSymbolSize(&n, dsym));
  printf("%zu\n", n);
  E(cudaGetSymbolSize(&n, h));
  E(cudaGetSymbolAddress(&p, h));
  E(cudaMemcpyToSymbolAsync(dsym, h, 16, 0, cudaMemcpyHostToDevice, 0));
  E(cudaMemcpyFromSymbolAsync(g, dsym, 16, 0, cudaMemcpyDeviceToHost, 0));
  E(cudaDeviceSynchronize());
  printf("%d\n", g[3] == h[3]);
}
