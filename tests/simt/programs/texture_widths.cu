// SPDX-License-Identifier: MIT
//
// How wide memory that is read as a texture may be, by its format.
#include <cuda_runtime.h>

#include <cstdio>

template <class T> static void ask(const char *name) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  size_t width = 0;
  const cudaError_t error = cudaDeviceGetTexture1DLinearMaxWidth(&width, &format, 0);
  printf("%s %s %zu\n", name, cudaGetErrorName(error), width);
}

int main() {
  ask<char>("char");
  ask<uchar2>("uchar2");
  ask<uchar4>("uchar4");
  ask<short>("short");
  ask<ushort2>("ushort2");
  ask<short4>("short4");
  ask<int>("int");
  ask<int2>("int2");
  ask<int4>("int4");
  ask<float>("float");
  ask<float2>("float2");
  ask<float4>("float4");
  const cudaChannelFormatDesc odd = {8, 8, 8, 0, cudaChannelFormatKindUnsigned};
  size_t width = 0;
  for (int device : {0, 3}) {
    const cudaError_t error = cudaDeviceGetTexture1DLinearMaxWidth(&width, &odd, device);
    printf("%s\n", cudaGetErrorName(error));
  }
  return 0;
}
