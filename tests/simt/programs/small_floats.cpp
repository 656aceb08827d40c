// SPDX-License-Identifier: MIT
// Small floating-point types in a file of the host alone: classes, conversions and arithmetic.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp8.h>

#include <cstdio>

struct model {
  half *weights;
  __nv_bfloat162 scale;
  __nv_fp8x4_e4m3 four;
};

int main() {
  half h = 3.5f;
  h = h * h + __half(1.0);
  h += __float2half(0.25f);
  model m = {&h, __floats2bfloat162_rn(1.0f, 2.7f), __nv_fp8x4_e4m3(make_float4(1, 2, 3.3f, 500))};
  const float4 four = (float4)m.four;
  const __half2 pair = __halves2half2(h, __int2half_rn(2049));
  printf("%g %d %d\n", (double)__half2float(*m.weights), (int)__half2int_rz(h), h > __half(13.5f));
  printf("%g %g\n", (double)__low2float(pair), (double)__high2float(__hadd2(pair, pair)));
  printf("%g %g\n", (double)__bfloat162float(m.scale.x), (double)(float)(m.scale.y / m.scale.y));
  printf("%g %g %g %g\n", (double)four.x, (double)four.y, (double)four.z, (double)four.w);
  printf("%d %g\n", (int)sizeof m.four, (double)(float)__nv_fp4_e2m1(2.4f));
  return 0;
}
