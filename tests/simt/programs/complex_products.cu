// SPDX-License-Identifier: MIT
// Which product of a complex multiplication is fused with the sum: bits that show it, of numbers
// that are loaded as pairs, passed as pairs, and taken one by one.
#include <cstdio>
#include <cuComplex.h>

static __global__ void transform(cuFloatComplex *d) { // of eight numbers, radix 2
  __shared__ cuFloatComplex s[8];
  const int t = (int)threadIdx.x;
  s[__brev(t) >> 29] = d[t];
  s[__brev(t + 4) >> 29] = d[t + 4];
  __syncthreads();
  const float w = .70710678f;
  const cuFloatComplex factors[4] = {{1, 0}, {w, -w}, {0, -1}, {-w, -w}};
  for (int h = 1; h < 8; h *= 2) {
    const int i = (t / h) * 2 * h + t % h;
    const cuFloatComplex u = s[i], v = cuCmulf(s[i + h], factors[(t % h) * (4 / h)]);
    __syncthreads();
    s[i] = cuCaddf(u, v);
    s[i + h] = cuCsubf(u, v);
    __syncthreads();
  }
  d[t] = s[t];
  d[t + 4] = s[t + 4];
}

static __global__ void by_field(float2 *o, const float2 *__restrict__ x,
                                const float2 *__restrict__ y) {
  const int i = (int)threadIdx.x;
  const float re = x[i].x * y[i].x - x[i].y * y[i].y, im = x[i].x * y[i].y + x[i].y * y[i].x;
  o[i] = make_float2(re, im);
}

static __global__ void by_value(float2 *o, float2 x, float2 y) {
  *o = make_float2(x.x * y.x - x.y * y.y, x.x * y.y + x.y * y.x);
}

static __global__ void one_by_one(float *o, const float *x, int n) {
  const float a = x[0], b = x[n], c = x[2 * n], d = x[3 * n];
  o[threadIdx.x] = a * d + b * c;
}

int main() {
  cuFloatComplex f[8], g[8], *d, *e;
  for (int i = 0; i < 8; i++) f[i] = make_cuFloatComplex((float)(i * i % 5), (float)-i);
  cudaMalloc(&d, sizeof f);
  cudaMalloc(&e, sizeof f);
  cudaMemcpy(d, f, sizeof f, cudaMemcpyHostToDevice);
  transform<<<1, 4>>>(d);
  cudaMemcpy(f, d, sizeof f, cudaMemcpyDeviceToHost);
  for (const auto &c : f) printf("%a %a\n", c.x, c.y);
  for (int i = 0; i < 8; i++) f[i] = make_cuFloatComplex(1.1f + .3f * i, .7f - .9f * i);
  cudaMemcpy(d, f, sizeof f, cudaMemcpyHostToDevice);
  by_field<<<1, 7>>>(e, d, d + 1);
  by_value<<<1, 1>>>(e + 7, f[2], f[3]);
  cudaMemcpy(g, e, sizeof g, cudaMemcpyDeviceToHost);
  for (const auto &c : g) printf("%a %a\n", c.x, c.y);
  one_by_one<<<1, 1>>>((float *)e, (const float *)d, 3);
  cudaMemcpy(g, e, sizeof(float), cudaMemcpyDeviceToHost);
  printf("%a %s\n", g[0].x, cudaGetErrorName(cudaGetLastError()));
  cudaFree(d);
  cudaFree(e);
}
