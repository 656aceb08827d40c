// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
//
// __half and __nv_bfloat16: saturated, rectified, unordered and masked forms, NaN included. One sum
// over all pairs of special values for each function.
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdio>
#include <cstring>

constexpr int n = 48;

template <class H> __device__ unsigned bits(H h) {
  unsigned b = 0;
  memcpy(&b, &h, sizeof h);
  return b;
}
template <class H> __device__ H of(unsigned short b) {
  H h;
  memcpy(&h, &b, sizeof h);
  return h;
}

template <class H, class H2>
__global__ void functions(unsigned long long *sums, const unsigned short *special) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  const H a = of<H>(special[t / n]), b = of<H>(special[t % n]), c = of<H>(special[(7 * t + 3) % n]);
  const H2 p(a, b), q(b, c), r(c, a);
  int next = 0;
  auto add = [&](unsigned long long value) { atomicAdd(&sums[next++], value * (t + 1)); };
  add(bits(__hadd_sat(a, b)));
  add(bits(__hsub_sat(a, b)));
  add(bits(__hmul_sat(a, b)));
  add(bits(__hadd_rn(a, b)));
  add(bits(__hfma_sat(a, b, c)));
  add(bits(__hfma_relu(a, b, c)));
  add(bits(__hadd2_sat(p, q)));
  add(bits(__hfma2_sat(p, q, r)));
  add(bits(__hfma2_relu(p, q, r)));
  add(bits(__hcmadd(p, q, r)));
  add(__hequ(a, b) + 2 * __hneu(a, b) + 4 * __hltu(a, b) + 8 * __hleu(a, b));
  add(__hgtu(a, b) + 2 * __hgeu(a, b) + 4 * __hne(a, b) + 8 * __heq(a, b));
  add(__hbequ2(p, q) + 2 * __hbneu2(p, q) + 4 * __hbltu2(p, q) + 8 * __hbne2(p, q));
  add(bits(__hequ2(p, q)));
  add(bits(__hgeu2(p, q)));
  add(bits(__hne2(p, q)));
  add(__heq2_mask(p, q));
  add(__hne2_mask(p, q));
  add(__hltu2_mask(p, q));
  add(bits(__hmax_nan(a, b)));
  add(bits(__hmin_nan(a, b)));
  add(bits(__hmax2_nan(p, q)));
  add(bits(__hmin2_nan(p, q)));
  add(bits(__hisnan2(p)));
  add((a != b) + 2 * (p == q) + 4 * (p != q) + 8 * (p < q) + 16 * (p >= q));
}

template <class H> __global__ void conversions(float *out) {
  H h = H(1.5f), i = (short)-7, j = 123456789ll, k = 3ul, l = (unsigned short)65535;
  h++;
  ++h;
  out[0] = (float)(h--);
  out[1] = (float)h;
  out[2] = (float)i;
  out[3] = (float)j;
  out[4] = (float)k;
  out[5] = (float)l;
  out[6] = (float)htanh(H(0.5f));
  out[7] = (float)hexp10(H(2.0f));
}

template <class H, class H2> void show(const char *name, const unsigned short *special) {
  unsigned long long *sums, h[25];
  float *d, f[8];
  cudaMalloc(&sums, sizeof h);
  cudaMalloc(&d, sizeof f);
  cudaMemset(sums, 0, sizeof h);
  functions<H, H2><<<n * n / 256, 256>>>(sums, special);
  conversions<H><<<1, 1>>>(d);
  cudaMemcpy(h, sums, sizeof h, cudaMemcpyDeviceToHost);
  cudaMemcpy(f, d, sizeof f, cudaMemcpyDeviceToHost);
  printf("%s\n", name);
  for (unsigned long long x : h) printf("%llx\n", x);
  for (float x : f) printf("%g ", x);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  cudaFree(sums);
  cudaFree(d);
}

int main() {
  unsigned short special[n] = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 0x7fff, 0xfe01,
                               1, 0x8001, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 0x7bff, 0xfbff};
  for (int i = 18; i < n; i++) special[i] = (unsigned short)(2647 * i + 17 * (i % 5));
  unsigned short *d;
  cudaMalloc(&d, sizeof special);
  cudaMemcpy(d, special, sizeof special, cudaMemcpyHostToDevice);
  show<__half, __half2>("half", d);
  show<__nv_bfloat16, __nv_bfloat162>("bfloat16", d);
  __half_raw raw;
  raw.x = 0x4200;
  const __half three(raw);
  printf("%g %x\n", (double)__half2float(three), __half_raw(three).x);
  cudaFree(d);
  return 0;
}
