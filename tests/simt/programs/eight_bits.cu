// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
//
// Floating-point numbers of 8 bits: all bit patterns to float, floats of all sizes to both formats,
// one, two and four together, on the device and on the host.
#include <cuda_fp8.h>

#include <cstdio>

__global__ void convert(unsigned *bits, float *values) {
  const int i = (int)threadIdx.x;
  const float x = (float)(i - 128) * 0.37f * (i % 7 ? i % 5 ? 1.0f : 0.001f : 400.0f);
  __nv_fp8_e4m3 a;
  __nv_fp8_e5m2 b;
  a.__x = b.__x = (__nv_fp8_storage_t)i;
  values[i] = (float)a;
  values[256 + i] = (float)b;
  bits[i] = __nv_fp8_e4m3(x).__x | __nv_fp8_e5m2(x).__x << 8 |
            __nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E4M3) << 16 |
            (unsigned)__nv_cvt_float_to_fp8(x, __NV_NOSAT, __NV_E5M2) << 24;
  const __nv_fp8x4_e4m3 four(make_float4(x, -x, 2 * x, 0.5f));
  const float4 back = (float4)four;
  bits[256 + i] = four.__x ^ __nv_fp8x2_e5m2(make_float2(x, 3.0f)).__x;
  values[512 + i] = back.x == back.x ? back.x + back.y + back.z + back.w : -1.0f;
}

int main() {
  unsigned *bits, h[512], hash = 0;
  float *values, f[768], sum = 0;
  cudaMalloc(&bits, sizeof h);
  cudaMalloc(&values, sizeof f);
  convert<<<1, 256>>>(bits, values);
  cudaMemcpy(h, bits, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(f, values, sizeof f, cudaMemcpyDeviceToHost);
  for (unsigned x : h) hash = hash * 31 + x;
  for (int i = 0; i < 768; i++)
    if (f[i] - f[i] == 0) sum += f[i] * (float)(i % 13 + 1);
  for (int i = 0; i < 512; i += 23) printf("%08x %g\n", h[i], (double)f[i]);
  printf("%08x %.9g\n", hash, (double)sum);
  printf("%g %g %s\n", (double)(float)__nv_fp8_e4m3(3.3f), (double)(float)__nv_fp8_e5m2(-1e9),
         cudaGetErrorName(cudaGetLastError()));
  cudaFree(bits);
  cudaFree(values);
  return 0;
}
