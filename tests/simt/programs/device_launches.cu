// SPDX-License-Identifier: MIT
// flags: -rdc=true -arch=sm_90 -lcudadevrt
// checked: what children write and read is in order
//
// Kernels that launch kernels: arguments of every kind, grids and blocks of three dimensions,
// shared memory of each child's own, templates, kernels by address, device functions that launch.
#include <cstdint>
#include <cstdio>

struct Pair {
  double wide;
  char narrow;
};
struct Empty {};
struct Matrix {
  float at[3][3];
  Pair pair;
};

__device__ unsigned long long seen[16];

__global__ void take(char c, int16_t s, Pair p, float f, Empty, Matrix m, const int *q, bool b,
                     uint64_t last) {
  seen[0] = (unsigned long long)c;
  seen[1] = (unsigned long long)(s + 40000);
  seen[2] = (unsigned long long)(p.wide * 2) + (unsigned char)p.narrow;
  seen[3] = (unsigned long long)(f * 4);
  seen[4] = (unsigned long long)(m.at[2][1] * 10 + m.pair.wide) + (unsigned char)m.pair.narrow;
  seen[5] = (unsigned long long)(q[1] + b);
  seen[6] = last;
}

__global__ void where(int *out) {
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  out[block * blockDim.x * blockDim.y * blockDim.z + thread] = (int)(100 * block + thread);
}

// Every child reverses its part in shared memory, static and dynamic.
__global__ void reverse(int *data, int n) {
  __shared__ int fixed[64];
  extern __shared__ int given[];
  const int i = (int)threadIdx.x;
  fixed[i] = data[i];
  given[i] = 1000 * data[i];
  __syncthreads();
  data[i] = fixed[n - 1 - i] + given[n - 1 - i];
}

template <typename T> __global__ void fill(T *out, T value) { out[threadIdx.x] = value; }

template <typename T> __device__ void launch_fill(T *out, T value) {
  fill<T><<<1, 4>>>(out, value);
}

typedef void (*kernel)(int *);
__global__ void add_one(int *p) { atomicAdd(p, 1); }
__global__ void add_ten(int *p) { atomicAdd(p, 10); }
__device__ kernel const chosen[] = {add_one, add_ten, add_one};

__global__ void parent(int *out, double *doubles, int *sum) {
  Matrix m = {};
  m.at[2][1] = 2.5f;
  m.pair = Pair{7.0, 'b'};
  out[1] = 41;
  take<<<1, 1>>>('a', -300, Pair{1.5, 'z'}, 0.25f, Empty(), m, out, true, 0x123456789abcdefULL);
  where<<<dim3(2, 1, 2), dim3(2, 3, 1)>>>(out + 16);
  launch_fill(doubles, 2.75);
  launch_fill(out + 2, 5);
  for (int i = 0; i < 3; i++) chosen[i]<<<1, 32>>>(sum);
}

__global__ void halves(int *data, int n) {
  const int first = (int)(threadIdx.x + blockIdx.x * blockDim.x) * n;
  reverse<<<1, n, n * sizeof(int)>>>(data + first, n);
}

int main() {
  int *out;
  double *doubles;
  unsigned long long values[7];
  cudaMallocManaged(&out, 256 * sizeof(int));
  cudaMallocManaged(&doubles, 4 * sizeof(double));
  for (int i = 0; i < 256; i++) out[i] = 0;
  parent<<<1, 1>>>(out, doubles, out + 100);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaMemcpyFromSymbol(values, seen, sizeof values);
  for (unsigned long long value : values) printf("%llu ", value);
  printf("\n%g %d %d\n", doubles[3], out[5], out[100]);
  for (int i = 0; i < 24; i++) printf("%d ", out[16 + i]);
  printf("\n");
  for (int i = 0; i < 192; i++) out[i] = i;
  halves<<<2, 3>>>(out, 32); // six children
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 192; i += 31) printf("%d ", out[i]);
  printf("\n");
  cudaFree(out);
  cudaFree(doubles);
  return 0;
}
