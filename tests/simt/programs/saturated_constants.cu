// SPDX-License-Identifier: MIT
// Constants converted to integers that they do not fit: the nearest there is, as at run time.
#include <cstdio>

__device__ int truncated(float x) { return (int)x; }

__global__ void convert() {
  const float f = 1e20f, infinite = __int_as_float(0x7f800000), nan = __int_as_float(0x7fffffff);
  const double d = 1e30;
  printf("%d %d %d %d\n", (int)1e20f, (int)f, (int)-1e20f, (int)d);
  printf("%u %u %u\n", (unsigned)1e20f, (unsigned)f, (unsigned)-5.0f);
  printf("%lld %llu %lld\n", (long long)1e30, (unsigned long long)d, (long long)-d);
  printf("%d %d %d\n", (short)70000.f, (signed char)300.0, (unsigned char)-3.f);
  printf("%d %d %d %u\n", (int)nan, (int)infinite, truncated(-2 * f), (unsigned)nan);
  const float values[] = {3e9f, -3e9f, 2.75f, -2.75f};
  for (float v : values) printf("%d %u %lld\n", (int)v, (unsigned)v, (long long)v);
}

int main() {
  convert<<<1, 1>>>();
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
