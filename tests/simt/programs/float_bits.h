// SPDX-License-Identifier: MIT
// float_bits.h - the program of float_bits.cu and float_bits_plain.cu: the bits of sums of
// products, on the host, where no multiplication is fused with an addition, and on the device,
// where -fmad decides.
#include <cstdio>
#include <cstring>

enum { N = 1000 };

static __host__ __device__ float mixed(float a, float b, float c) { return a * b + c + b * c; }
static __host__ __device__ double mixed(double a, double b, double c) { return a * b + c + b * c; }

__global__ void fill(float *f, double *d) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const float x = 1.f + i * .0317f;
  const double y = 1. + i * .0317;
  f[i] = mixed(x, x * x - .3f, 1.f / x);
  d[i] = mixed(y, y * y - .3, 1. / y);
}

// Rounded one by one, whatever -fmad says.
__global__ void fill_rounded(float *f, double *d) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  const float x = __fadd_rn(1.f, __fmul_rn((float)i, .0317f));
  const double y = __dadd_rn(1., __dmul_rn((double)i, .0317));
  f[i] = __fsub_rn(__fadd_rn(__fmul_rn(x, x), -.3f), __fdiv_rn(__frsqrt_rn(x), x));
  d[i] = __dsub_rn(__dadd_rn(__dmul_rn(y, y), -.3), __ddiv_rn(1., y));
}

template <typename T> static unsigned long long mix(const T *values) {
  unsigned long long sum = 0;
  for (int i = 0; i < N; i++) {
    unsigned long long bits = 0;
    memcpy(&bits, &values[i], sizeof(T));
    sum = (sum ^ bits) * 0x9e3779b97f4a7c15ull;
    sum ^= sum >> 29;
  }
  return sum;
}

static void show(const char *what, const float *f, const double *d) {
  unsigned bits;
  memcpy(&bits, &f[7], sizeof bits);
  printf("%s: float [7] %08x, all %016llx; double all %016llx\n", what, bits, mix(f), mix(d));
}

int main() {
  static float host_f[N];
  static double host_d[N];
  volatile float step = .0317f;
  volatile double long_step = .0317;
  for (int i = 0; i < N; i++) {
    const float x = 1.f + i * step;
    const double y = 1. + i * long_step;
    host_f[i] = mixed(x, x * x - .3f, 1.f / x);
    host_d[i] = mixed(y, y * y - .3, 1. / y);
  }
  show("host", host_f, host_d);
  float *f;
  double *d;
  if (cudaMallocManaged(&f, N * sizeof *f) || cudaMallocManaged(&d, N * sizeof *d)) return 1;
  fill<<<(N + 127) / 128, 128>>>(f, d);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  show("device", f, d);
  fill_rounded<<<(N + 127) / 128, 128>>>(f, d);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  show("rounded", f, d);
  cudaFree(f);
  cudaFree(d);
  return 0;
}
