// SPDX-License-Identifier: MIT
// toolkit: libdevice
// simtcc: --maths=toolkit
// Functions of constants, which compilers compute: the nearest numbers, where libdevice is an ulp
// off; and expf(), whose way to its approximation is computed up to that.
#include <cstdio>

__global__ void floats(unsigned *out) {
  int n = 0;
  auto add = [&](float x) { out[n++] = __float_as_uint(x); };
  add(sinf(1.0f));
  add(cosf(2.0f));
  add(tanf(1.0f));
  add(logf(5.0f));
  add(powf(2.0f, 0.5f));
  add(tanhf(1.3f));
  add(expf(-0.03f));
  add(expf(-3.7f));
  add(sinhf(0.8f));
}
__global__ void doubles(unsigned long long *out) {
  int n = 0;
  auto add = [&](double x) { out[n++] = __double_as_longlong(x); };
  add(pow(2.0, 0.5));
  add(pow(3.0, 0.3));
  add(sin(1.0));
  add(exp(0.5));
  add(log10(7.0));
  add(pow(10.0, 400.0));
  add(exp(1000.0));
}

int main() {
  unsigned *f;
  unsigned long long *d;
  cudaMallocManaged(&f, 9 * sizeof *f);
  cudaMallocManaged(&d, 7 * sizeof *d);
  floats<<<1, 1>>>(f);
  doubles<<<1, 1>>>(d);
  cudaDeviceSynchronize();
  for (int i = 0; i < 9; i++) printf("%08x\n", f[i]);
  for (int i = 0; i < 7; i++) printf("%016llx\n", d[i]);
  cudaFree(f);
  cudaFree(d);
}
