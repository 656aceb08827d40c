// SPDX-License-Identifier: MIT
// -ftz=true: floats that are too small for normal ones are zeros where a conversion reads or makes
// one, in nextafterf(), and in functions of constants.
// flags: -ftz=true
#include <cstdio>

static __device__ unsigned bits(float x) { return __float_as_uint(x); }

__global__ void convert(const unsigned *patterns, int n) {
  for (int i = 0; i < n; ++i) {
    const float x = __uint_as_float(patterns[i]);
    const double d = x * 0.6;
    printf("%08x: %d %d %u %lld %llu", patterns[i], __float2int_ru(x), __float2int_rd(x),
           __float2uint_ru(x), __float2ll_rd(x), __float2ull_ru(x));
    printf(" %x %x %x %x\n", bits(__double2float_ru(d)), bits(__double2float_rd(d)),
           bits(__double2float_rz(d)), bits(__double2float_rn(d)));
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j)
      printf(" %x", bits(nextafterf(__uint_as_float(patterns[i]), __uint_as_float(patterns[j]))));
    printf("\n");
  }
  printf("%x %x %x %x\n", bits(ldexpf(1e-40f, 5)), bits(scalbnf(-1e-40f, 5)),
         bits(ldexpf(1.0f, -130)), bits(ldexpf(1.0f, -126)));
}

int main() {
  const unsigned list[] = {0,        0x80000000u, 1,          0x80000001u, 0x7fffff,  0x807fffffu,
                           0x800000, 0x80800000u, 0x3f800000, 0xbf800000u, 0x7f7fffff};
  const int n = sizeof list / sizeof *list;
  unsigned *patterns;
  cudaMallocManaged(&patterns, sizeof list);
  for (int i = 0; i < n; ++i) patterns[i] = list[i];
  convert<<<1, 1>>>(patterns, n);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaFree(patterns);
}
