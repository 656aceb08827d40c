// SPDX-License-Identifier: MIT
//
// Libraries are read when something of them is first asked for. The expected output is an H100's.
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
static const char ptx[] = R"(
.version 7.8
.target sm_80
.address_size 64
.visible .global .align 4 .b8 table[40];
.visible .entry set(.param .u64 p, .param .f32 v) {
  .reg .u64 %a;
  .reg .f32 %f;
  ld.param.u64 %a, [p];
  ld.param.f32 %f, [v];
  st.global.f32 [%a], %f;
  ret;
}
.visible .entry get(.param .u64 p) {
  .reg .u64 %a;
  .reg .u32 %x;
  ld.param.u64 %a, [p];
  ld.global.u32 %x, [table+8];
  st.global.u32 [%a], %x;
  ret;
}
)";
int main() {
  cudaLibrary_t lib;
  cudaKernel_t set, get, none;
  E(cudaLibraryLoadData(&lib, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  E(cudaLibraryGetKernel(&set, lib, "set"));
  E(cudaLibraryGetKernel(&get, lib, "get"));
  E(cudaLibraryGetKernel(&none, lib, "none"));
  E(cudaGetLastError());
  unsigned n = 0;
  E(cudaLibraryGetKernelCount(&n, lib));
  printf("%u\n", n);
  cudaKernel_t ks[4];
  E(cudaLibraryEnumerateKernels(ks, 2, lib));
  float *d, h;
  cudaMalloc(&d, 4);
  float v = 2.5f;
  void *args[] = {&d, &v};
  E(cudaLaunchKernel((void *)set, 1, 1, args, 0, 0));
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  printf("%g\n", h);
  void *g;
  size_t bytes;
  E(cudaLibraryGetGlobal(&g, &bytes, lib, "table"));
  printf("%zu\n", bytes);
  E(cudaMemset(g, 3, bytes));
  E(cudaLaunchKernel((void *)get, 1, 1, args, 0, 0));
  E(cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost));
  unsigned u;
  memcpy(&u, &h, 4);
  printf("%x\n", u);
  E(cudaLibraryGetGlobal(&g, &bytes, lib, "nope"));
  E(cudaLibraryGetManaged(&g, &bytes, lib, "table"));
  cudaFuncAttributes a;
  E(cudaFuncGetAttributes(&a, (void *)set));
  printf("%d %zu\n", a.maxThreadsPerBlock, a.sharedSizeBytes);
  const char *name;
  E(cudaFuncGetName(&name, (void *)set));
  printf("%s\n", name);
  E(cudaKernelSetAttributeForDevice(set, cudaFuncAttributeMaxDynamicSharedMemorySize, 80000, 0));
  E(cudaFuncGetAttributes(&a, (void *)set));
  printf("%d\n", a.maxDynamicSharedSizeBytes);
  E(cudaLaunchKernel((void *)set, 1, 1, args, 80000, 0));
  E(cudaLaunchKernel((void *)get, 1, 1, args, 80000, 0));
  E(cudaKernelSetAttributeForDevice(set, cudaFuncAttributeMaxDynamicSharedMemorySize, 80000, 4));
  int blocks;
  E(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, (void *)set, 256, 0));
  printf("%d\n", blocks);
  E(cudaLibraryUnload(lib));
  E(cudaLibraryLoadData(&lib, "bad text", nullptr, nullptr, 0, nullptr, nullptr, 0));
  E(cudaLibraryLoadData(nullptr, ptx, nullptr, nullptr, 0, nullptr, nullptr, 0));
  E(cudaLibraryLoadFromFile(&lib, "/no/such/file", nullptr, nullptr, 0, nullptr, nullptr, 0));
  E(cudaDeviceSynchronize());
  E(cudaGetLastError());
}
