// SPDX-License-Identifier: MIT
//
// Host code computes with long double, also with structures that hold one, where there is device
// code that does not see them. In device code a long double that stays there is a double.
#include <cstdio>

struct mixed {
  int first;
  long double exact;
  int last;
  long double twice() const { return exact * 2; }
};
template <class T> __host__ __device__ T cubed(T x) { return x * x * x; }
static const long double third = 1.0L / 3;
static long double parts[3] = {1, .5L, .25L};

__global__ void look(int *out, double x) { out[threadIdx.x] = (int)(cubed(x) + threadIdx.x); }

__global__ void locals(const double *c, double *o, int n) {
  int t = threadIdx.x;
  long double x = c[t], y = 1.0L / (t + 3), s = 0;
  for (int i = 0; i < n; i++) s += (long double)c[i] * y;
  long double p = x * y + s;
  bool b = p > s;
  p = -p;
  p += 0.1L;
  if (b) p *= 2;
  o[t * 4] = (double)p;
  o[t * 4 + 1] = (double)(long long)(s * 1000.0L);
  o[t * 4 + 2] = (float)(x - y);
  o[t * 4 + 3] = (double)sizeof(long double) * 0 + (int)(x / y);
}

int main() {
  const double numbers[8] = {1.25, -3.5, 0.1, 7, 1e-3, 2.75, -0.6, 1e5};
  double *c, *o;
  cudaMallocManaged(&c, sizeof numbers);
  cudaMallocManaged(&o, 4 * sizeof numbers);
  for (int i = 0; i < 8; i++) c[i] = numbers[i];
  locals<<<1, 8>>>(c, o, 8);
  cudaDeviceSynchronize();
  for (int i = 0; i < 32; i++) printf("%.17g%c", o[i], i % 4 == 3 ? '\n' : ' ');
  cudaFree(c);
  cudaFree(o);
  mixed *m = new mixed{1, third, 7};
  int *out;
  cudaMallocManaged(&out, 32 * sizeof *out);
  look<<<1, 32>>>(out, 2.0);
  const cudaError_t error = cudaDeviceSynchronize();
  printf("%s %d\n", cudaGetErrorName(error), out[31]);
  printf("%d %d %Lg %d\n", (int)sizeof *m, m->last, m->twice() + parts[1],
         cubed(third) == cubed(m->exact));
  cudaFree(out);
  delete m;
}
