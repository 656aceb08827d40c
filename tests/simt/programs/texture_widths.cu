// SPDX-License-Identifier: MIT
//
// How wide memory that is read as a texture may be, by its format.
#include <cuda_runtime.h>
#include <cstdio>
int main() {
  size_t w;
#define W(t)                                                                                       \
  {                                                                                                \
    auto d = cudaCreateChannelDesc<t>();                                                           \
    w = 0;                                                                                         \
    cudaError_t e = cudaDeviceGetTexture1DLinearMaxWidth(&w, &d, 0);                               \
    printf(#t " %s %zu\n", cudaGetErrorName(e), w);                                                \
  }
  W(char)
  W(uchar2)
  W(uchar4) W(short) W(ushort2) W(short4) W(int) W(int2) W(int4) W(float) W(float2) W(float4)
      cudaChannelFormatDesc odd = {8, 8, 8, 0, cudaChannelFormatKindUnsigned};
  printf("%s\n", cudaGetErrorName(cudaDeviceGetTexture1DLinearMaxWidth(&w, &odd, 0)));
  printf("%s\n", cudaGetErrorName(cudaDeviceGetTexture1DLinearMaxWidth(&w, &odd, 3)));
}
