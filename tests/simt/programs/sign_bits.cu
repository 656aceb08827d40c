// SPDX-License-Identifier: MIT
// Integer operations on the bits of floats and doubles: they keep the bits of a NaN and denormals,
// which arithmetic does not. Beside them arithmetic, and copies of four words.
// flags: -ftz=true
#include <cstdio>
#include <cstring>

enum { N = 8 };
static const unsigned singles[N] = {0x7fc12345, 0xffc00001, 0x7f812345, 0x80000001,
                                    0x00000001, 0x3f800000, 0x00000000, 0xff800000};
static const unsigned long long doubles[N] = {
    0x7ff8000012345678, 0xfff8000000000001, 0x7ff0000000000002, 0x8000000000000001,
    0x0000000000000001, 0x3ff0000000000000, 0x8000000000000000, 0xfff0000000000000};

union word {
  float value;
  unsigned bits;
};

// The order of unsigned numbers is that of the floats: keys of a radix sort.
__device__ unsigned key_of(float x) {
  const unsigned bits = __float_as_uint(x);
  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

__global__ void of_singles(unsigned out[][N], const float *in, float *signs) {
  const int i = threadIdx.x;
  const float x = in[i];
  word both;
  unsigned copied;
  both.value = x;
  memcpy(&copied, &x, sizeof copied);
  out[0][i] = __float_as_uint(x) & 0x7fffffff;
  out[1][i] = __float_as_uint(x) ^ 0x80000000;
  out[2][i] = __float_as_uint(x) | 0x80000000;
  out[3][i] = both.bits & ~(1u << 31);
  out[4][i] = copied ^ (1u << 31);
  out[5][i] = *(const unsigned *)&in[i] | 1u << 31;
  out[6][i] = key_of(x);
  out[7][i] = __float_as_uint(__uint_as_float(__float_as_uint(x) & 0x7fffffff));
  out[8][i] = __float_as_uint(copysignf(x, signs[i]));
  out[9][i] = __float_as_uint(fabsf(x)); // arithmetic
  out[10][i] = __float_as_uint(-x);
}

__global__ void of_doubles(unsigned long long out[][N], const double *in) {
  const int i = threadIdx.x;
  const unsigned long long bits = (unsigned long long)__double_as_longlong(in[i]);
  out[0][i] = bits & ~(1ull << 63);
  out[1][i] = bits ^ 1ull << 63;
  out[2][i] = bits | 1ull << 63;
  out[3][i] = (unsigned long long)__double_as_longlong(fabs(in[i]));
}

__global__ void copy(float4 *out, const float4 *in) { out[threadIdx.x] = in[threadIdx.x]; }

int main() {
  enum { SINGLE_ROWS = 11, DOUBLE_ROWS = 4 };
  static unsigned of_float[SINGLE_ROWS][N], copied[N];
  static unsigned long long of_double[DOUBLE_ROWS][N];
  void *in, *out, *copies;
  cudaMalloc(&in, sizeof doubles);
  cudaMalloc(&out, sizeof of_float + sizeof of_double);
  cudaMalloc(&copies, sizeof singles);

  cudaMemcpy(in, singles, sizeof singles, cudaMemcpyHostToDevice);
  of_singles<<<1, N>>>((unsigned(*)[N])out, (const float *)in, (float *)in);
  cudaMemcpy(of_float, out, sizeof of_float, cudaMemcpyDeviceToHost);
  copy<<<1, N / 4>>>((float4 *)copies, (const float4 *)in);
  cudaMemcpy(copied, copies, sizeof copied, cudaMemcpyDeviceToHost);
  cudaMemcpy(in, doubles, sizeof doubles, cudaMemcpyHostToDevice);
  of_doubles<<<1, N>>>((unsigned long long(*)[N])out, (const double *)in);
  cudaMemcpy(of_double, out, sizeof of_double, cudaMemcpyDeviceToHost);

  for (int row = 0; row < SINGLE_ROWS; row++)
    for (int i = 0; i < N; i++) printf("%08x%c", of_float[row][i], i < N - 1 ? ' ' : '\n');
  for (int row = 0; row < DOUBLE_ROWS; row++)
    for (int i = 0; i < N; i++) printf("%016llx%c", of_double[row][i], i % 4 < 3 ? ' ' : '\n');
  printf("%s\n", memcmp(copied, singles, sizeof copied) ? "other words" : "the same words");
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
