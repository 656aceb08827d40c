// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
// Half precision: conversions of every bit pattern on both sides, arithmetic, pairs, bfloat16.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

__global__ void all_halves(unsigned long long *sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const __half h = __ushort_as_half((unsigned short)i);
  const float f = __half2float(h);
  if (f != f) return;
  atomicAdd(&sums[0], (unsigned long long)__float_as_uint(f) * (i + 1));
  atomicAdd(&sums[1], (unsigned long long)__half_as_ushort(__float2half(f * 1.0003f)) * (i + 1));
  atomicAdd(&sums[2], (unsigned long long)__half_as_ushort(__float2half_rz(f * 0.9997f)) * (i + 1));
  const __half g = __float2half(3.3f);
  atomicAdd(&sums[3], (unsigned long long)__half_as_ushort(__hadd(h, g)) * (i + 1));
  atomicAdd(&sums[4], (unsigned long long)__half_as_ushort(__hmul(h, g)) * (i + 1));
  atomicAdd(&sums[5], (unsigned long long)__half_as_ushort(__hfma(h, g, g)) * (i + 1));
  atomicAdd(&sums[6], (unsigned long long)__hlt(h, g) + 2 * __hge(h, g));
  const float b = __uint_as_float(i << 16 | 0x8000u | (i & 1));
  if (b == b)
    atomicAdd(&sums[7], (unsigned long long)__bfloat16_as_ushort(__float2bfloat16(b)) * (i + 1));
}

__global__ void arithmetic(float *out) {
  const int t = threadIdx.x;
  const __half x = __float2half(0.1f * t), y = x + __float2half(1.0f);
  out[t] = __half2float(__hfma(x, y, y));
  out[32 + t] = __half2float(__shfl_down_sync(0xffffffffu, y, 3) - x / y);
  __half2 p = __floats2half2_rn(t, t + 0.25f);
  p = __hfma2(p, p, __hneg2(p));
  out[64 + t] = __low2float(p) + 1000.0f * __high2float(p);
  const __nv_bfloat16 q =
      __hfma(__float2bfloat16(1.1f), __float2bfloat16((float)t), __float2bfloat16(0.3f));
  out[96 + t] = __bfloat162float(__hmax(q, __float2bfloat16(7.0f)));
  out[128 + t] = (float)(x < y) + __half2float(hsqrt(__float2half((float)t)));
}

int main() {
  unsigned long long *d, h[8];
  cudaMalloc(&d, sizeof h);
  cudaMemset(d, 0, sizeof h);
  all_halves<<<256, 256>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 8; i++) printf("%016llx\n", h[i]);

  unsigned long long sum = 0;
  for (unsigned i = 0; i < 65536; i++) { // the same on the host
    const float f = __half2float(__ushort_as_half((unsigned short)i));
    unsigned bits;
    memcpy(&bits, &f, sizeof bits);
    if (f == f)
      sum += (unsigned long long)bits * (i + 1) + __half_as_ushort(__float2half(f * 1.0003f));
  }
  printf("host %016llx %g\n", sum, (double)__half2float(__double2half(0.1) + __float2half(2.5f)));

  float *out, values[160];
  cudaMalloc(&out, sizeof values);
  arithmetic<<<1, 32>>>(out);
  cudaMemcpy(values, out, sizeof values, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 160; i += 5) printf("%.9g%s", values[i], i % 40 == 35 ? "\n" : " ");
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
