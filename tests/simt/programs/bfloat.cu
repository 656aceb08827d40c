// SPDX-License-Identifier: MIT
// Conversions of bfloat16, in every direction of rounding.
#include <cuda_bf16.h>
#include <cstdio>

enum { N = 10 };
__constant__ float values[N] = {0.f,     1.f,    -1.00390625f, 1.00390625f, 3.3895314e38f,
                                -1e-40f, 1e-40f, -123456.7f,   0.3f,        -2.5f};

__global__ void convert(unsigned *out) {
  const float f = values[threadIdx.x];
  unsigned *o = out + threadIdx.x * 8;
  o[0] = __bfloat16_as_ushort(__float2bfloat16_rn(f));
  o[1] = __bfloat16_as_ushort(__float2bfloat16_rz(f));
  o[2] = __bfloat16_as_ushort(__float2bfloat16_ru(f));
  o[3] = __bfloat16_as_ushort(__float2bfloat16_rd(f));
  const __nv_bfloat16 h = __float2bfloat16(f);
  o[4] = (unsigned)__bfloat162int_rn(h);
  o[5] = (unsigned)__bfloat162int_rd(h) ^ (unsigned)__bfloat162int_ru(h) << 16;
  const __nv_bfloat162 a = __floats2bfloat162_rn(f, 2.f), b = __lowhigh2highlow(a);
  const __nv_bfloat162 lows = __lows2bfloat162(a, b), highs = __highs2bfloat162(a, b);
  o[6] = __bfloat16_as_ushort(lows.x) << 16 | __bfloat16_as_ushort(lows.y);
  o[7] = __bfloat16_as_ushort(highs.x) << 16 | __bfloat16_as_ushort(highs.y);
}

int main() {
  unsigned *out;
  if (cudaMallocManaged(&out, N * 8 * sizeof *out) != cudaSuccess) return 1;
  convert<<<1, N>>>(out);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  for (int i = 0; i < N; i++)
    for (int k = 0; k < 8; k++) printf("%08x%c", out[i * 8 + k], k < 7 ? ' ' : '\n');
  cudaFree(out);
  return 0;
}
