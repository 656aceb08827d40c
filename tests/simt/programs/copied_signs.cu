// SPDX-License-Identifier: MIT
// A sign that is copied, from a variable and from a constant, with NaNs among the numbers; NaNs
// made with a number; functions of floats in namespace std.
#include <cmath>
#include <cstdio>
#include <cstring>

__global__ void copy(const float *x, unsigned *out) {
  const int i = (int)threadIdx.x;
  out[i] = __float_as_uint(copysignf(x[i], -1.0f));
  out[8 + i] = __float_as_uint(std::copysign(x[i], 2.5f));
  out[16 + i] = __float_as_uint(copysignf(x[i], x[7 - i]));
  out[24 + i] = __float_as_uint(copysignf(1.0f, x[i]));
}
__global__ void make(unsigned *out, unsigned long long *wide) {
  out[0] = __float_as_uint(std::nanf("")), out[1] = __float_as_uint(nanf("77"));
  out[2] = __float_as_uint(nanf("0x1fFffF12")), out[3] = __float_as_uint(nanf("017"));
  out[4] = __float_as_uint(nanf("18g")), out[5] = __float_as_uint(nanf("09"));
  wide[0] = (unsigned long long)__double_as_longlong(std::nan(""));
  wide[1] = (unsigned long long)__double_as_longlong(nan("0x1234567890abc"));
  wide[2] = (unsigned long long)std::lrintf(2.5f) + 10 * (unsigned long long)std::llroundf(2.5f);
  wide[3] = (unsigned long long)(std::scalbnf(3.0f, 2) + std::scalblnf(1.0f, 5l));
  wide[4] = (unsigned long long)(std::ilogbf(33.0f) * 100 + std::lroundf(1.5f));
}

int main() {
  const unsigned bits[8] = {0x7fc00001, 0xffc12345, 0x7f800001, 0x3f800000,
                            0x80000000, 0xff800000, 0x00000001, 0x7fffffff};
  float *x;
  unsigned *out;
  unsigned long long *wide;
  if (cudaMallocManaged(&x, sizeof bits) || cudaMallocManaged(&out, 32 * sizeof *out)) return 1;
  if (cudaMallocManaged(&wide, 5 * sizeof *wide)) return 1;
  memcpy(x, bits, sizeof bits);
  copy<<<1, 8>>>(x, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; i++) printf("%08x%c", out[i], i % 8 == 7 ? '\n' : ' ');
  make<<<1, 1>>>(out, wide);
  cudaDeviceSynchronize();
  for (int i = 0; i < 6; i++) printf("%08x%c", out[i], i == 5 ? '\n' : ' ');
  for (int i = 0; i < 5; i++) printf("%llx%c", wide[i], i == 4 ? '\n' : ' ');
  cudaFree(x);
  cudaFree(out);
  cudaFree(wide);
  return 0;
}
