// SPDX-License-Identifier: MIT
// Arithmetic whose rounding is asked for: __fadd_rn and its kin are never fused into FMAs, so that
// compensated sums and exact products come out; directed rounding; what the compiler may fuse.
#include <cmath>
#include <cstdio>
#include <cstring>

__device__ unsigned bits(float x) { return __float_as_uint(x); }
__device__ unsigned long long bits(double x) { return __double_as_longlong(x); }

__global__ void floats(const float *x, unsigned *out) {
  float a = x[0], b = x[1], c = x[2];
  int n = 0;
  out[n++] = bits(__fadd_rn(__fmul_rn(a, b), c)); // two roundings
  out[n++] = bits(__fmaf_rn(a, b, c));            // one
  out[n++] = bits(a * b + c);                     // fused by default
  out[n++] = bits(__fsub_rn(__fmul_rn(a, b), c));
  out[n++] = bits(__fadd_rd(a, c));
  out[n++] = bits(__fadd_ru(a, c));
  out[n++] = bits(__fadd_rz(-a, -c));
  out[n++] = bits(__fmul_rd(a, b));
  out[n++] = bits(__fmul_ru(a, b));
  out[n++] = bits(__fmul_rz(-a, b));
  out[n++] = bits(__fdiv_rn(a, b));
  out[n++] = bits(__frcp_rn(b));
  out[n++] = bits(__fsqrt_rn(b));
  out[n++] = bits(__fmaf_rd(a, b, c));
  out[n++] = bits(__fmaf_ru(a, b, c));
}

__global__ void doubles(const double *x, unsigned long long *out) {
  double a = x[0], b = x[1], c = x[2];
  int n = 0;
  out[n++] = bits(__dadd_rn(__dmul_rn(a, b), c));
  out[n++] = bits(__fma_rn(a, b, c));
  out[n++] = bits(__dsub_rn(__dmul_rn(a, b), c));
  out[n++] = bits(__dadd_rd(a, c));
  out[n++] = bits(__dadd_ru(a, c));
  out[n++] = bits(__dmul_rz(-a, b));
  out[n++] = bits(__ddiv_rn(a, b));
  out[n++] = bits(__dsqrt_rn(b));
  double product = __dmul_rn(a, b); // exact: product + error
  out[n++] = bits(product);
  out[n++] = bits(__fma_rn(a, b, -product));
}

// Kahan's sum and the error-free sum of two.
__global__ void sums(int n, float *out) {
  float sum = 0, lost = 0, plain = 0;
  for (int i = 1; i <= n; i++) {
    float x = 1.0f / i, y = __fsub_rn(x, lost), t = __fadd_rn(sum, y);
    lost = __fsub_rn(__fsub_rn(t, sum), y);
    sum = t;
    plain += x;
  }
  float a = 1e8f, b = 3.14159f, s = __fadd_rn(a, b), v = __fsub_rn(s, a);
  float error = __fadd_rn(__fsub_rn(a, __fsub_rn(s, v)), __fsub_rn(b, v));
  out[0] = sum, out[1] = plain, out[2] = s, out[3] = error;
}

int main() {
  const float f[] = {1.0000001f, 3.3333333f, -3.3333335f};
  const double d[] = {1.0000000000000002, 3.3333333333333333, -3.3333333333333339};
  float *fx, *sum, hs[4];
  double *dx;
  unsigned *fo, hf[15];
  unsigned long long *dout, hd[10];
  cudaMalloc(&fx, sizeof f);
  cudaMalloc(&dx, sizeof d);
  cudaMalloc(&fo, sizeof hf);
  cudaMalloc(&dout, sizeof hd);
  cudaMalloc(&sum, sizeof hs);
  cudaMemcpy(fx, f, sizeof f, cudaMemcpyHostToDevice);
  cudaMemcpy(dx, d, sizeof d, cudaMemcpyHostToDevice);
  floats<<<1, 1>>>(fx, fo);
  doubles<<<1, 1>>>(dx, dout);
  sums<<<1, 1>>>(100000, sum);
  cudaMemcpy(hf, fo, sizeof hf, cudaMemcpyDeviceToHost);
  cudaMemcpy(hd, dout, sizeof hd, cudaMemcpyDeviceToHost);
  cudaMemcpy(hs, sum, sizeof hs, cudaMemcpyDeviceToHost);
  for (unsigned x : hf) printf("%08x ", x);
  printf("\n");
  for (unsigned long long x : hd) printf("%016llx ", x);
  printf("\n%.9g %.9g %.9g %.9g\n", hs[0], hs[1], hs[2], hs[3]);
  cudaFree(fx);
  cudaFree(dx);
  cudaFree(fo);
  cudaFree(dout);
  cudaFree(sum);
}
