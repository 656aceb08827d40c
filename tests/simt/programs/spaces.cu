// SPDX-License-Identifier: MIT
// Where data can be: constant and device variables with initialisers, static and dynamic shared
// memory together, local arrays, pinned and managed memory, vector types, volatile.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

struct Pair {
  int key;
  float value;
};
__constant__ float weights[4] = {0.5f, 1.5f, 2.5f, 3.5f};
__constant__ Pair pairs[3] = {{1, 1.25f}, {2, 2.25f}, {3, 3.25f}};
__device__ int counter = 42;
__device__ int matrix[2][3] = {{1, 2, 3}, {4, 5, 6}};
__device__ int *pointer_to_counter = &counter;
__device__ const char *names[] = {"zero", "one", "two"};
__device__ unsigned long long big = 0x123456789abcdefull;

__global__ void variables(double *out) {
  const int t = threadIdx.x;
  if (t < 4) out[t] = weights[t];
  if (t < 3) out[4 + t] = pairs[t].key * 100 + pairs[t].value;
  if (t < 6) out[7 + t] = matrix[t / 3][t % 3];
  if (t == 0) {
    *pointer_to_counter += 8;
    out[13] = counter;
    out[14] = names[2][0] * 256 + names[1][2];
    out[15] = (double)(big >> 32);
  }
}

// A table of addresses whose element is chosen at run time.
__global__ void table_of_texts(int n) {
  const char *texts[] = {"none", "one", "two", "three"};
  printf("texts: %s %s\n", texts[n % 4], texts[(n + 1) % 4]);
}

__global__ void shared_kinds(int *out, int n) {
  __shared__ int fixed[64];
  __shared__ double wide[4];
  extern __shared__ int dynamic[];
  const int t = threadIdx.x;
  fixed[t] = t * t;
  if (t < 4) wide[t] = 0.25 * t;
  for (int i = t; i < n; i += blockDim.x) dynamic[i] = i;
  __syncthreads();
  out[t] = fixed[63 - t] + dynamic[n - 1 - t] + (int)(8 * wide[t % 4]);
}

__global__ void local_array(const int *index, int *out) {
  int local[16];
  for (int i = 0; i < 16; i++) local[i] = i * 10 + threadIdx.x;
  out[threadIdx.x] = local[index[threadIdx.x] & 15]; // indexed at run time: stays in memory
}

__global__ void vectors(const float4 *in, float4 *out, int2 *pairs_out, uchar4 *bytes) {
  const int t = threadIdx.x;
  float4 v = in[t];
  v.x += v.w;
  out[t] = make_float4(v.y, v.z, v.x, v.w * 2);
  pairs_out[t] = make_int2(t, -t);
  bytes[t] = make_uchar4(t, t + 1, t + 2, 255);
}

__global__ void volatile_flag(volatile int *flag, volatile float *value) {
  if (threadIdx.x == 0) {
    *value = 1.5f;
    __threadfence_block();
    *flag = 1;
  }
  __syncthreads();
  if (threadIdx.x == 32 && *flag == 1) *value += 1.0f;
}

__global__ void add_one(int *a, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) a[i]++;
}

template <typename T> static T *device(const T *from, int n) {
  T *d;
  cudaMalloc(&d, n * sizeof(T));
  if (from) cudaMemcpy(d, from, n * sizeof(T), cudaMemcpyHostToDevice);
  return d;
}

int main() {
  double *d = device<double>(nullptr, 16), h[16];
  variables<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 16; i++) printf("%.10g ", h[i]);
  int back = 0, table[2][3];
  cudaMemcpyFromSymbol(&back, counter, sizeof back);
  const float better[2] = {7.0f, 8.0f};
  cudaMemcpyToSymbol(weights, better, sizeof better, sizeof(float));
  cudaMemcpyFromSymbol(table, matrix, sizeof table);
  variables<<<1, 32>>>(d);
  cudaMemcpy(h, d, sizeof h, cudaMemcpyDeviceToHost);
  size_t bytes = 0;
  void *address = nullptr;
  cudaGetSymbolSize(&bytes, pairs);
  cudaGetSymbolAddress(&address, counter);
  cudaMemset(address, 0, sizeof(int));
  printf("\n%d | %g %g %g %g | %g | %d | %zu\n", back, h[0], h[1], h[2], h[3], h[13], table[1][2],
         bytes);
  cudaMemcpyFromSymbol(&back, counter, sizeof back);
  printf("cleared: %d\n", back);

  table_of_texts<<<1, 1>>>(6);
  cudaDeviceSynchronize();

  int *out = device<int>(nullptr, 64), host[64];
  shared_kinds<<<1, 64, 500 * sizeof(int)>>>(out, 500);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("shared: %d %d %d %d\n", host[0], host[1], host[31], host[63]);

  int index[32];
  for (int i = 0; i < 32; i++) index[i] = i * 7;
  local_array<<<1, 32>>>(device(index, 32), out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("local: %d %d %d\n", host[0], host[5], host[31]);

  float4 in[8], moved[8];
  int2 pair[8];
  uchar4 four[8];
  for (int i = 0; i < 8; i++) in[i] = make_float4(i, i + 0.25f, i + 0.5f, i + 0.75f);
  float4 *d_moved = device<float4>(nullptr, 8);
  int2 *d_pair = device<int2>(nullptr, 8);
  uchar4 *d_four = device<uchar4>(nullptr, 8);
  vectors<<<1, 8>>>(device(in, 8), d_moved, d_pair, d_four);
  cudaMemcpy(moved, d_moved, sizeof moved, cudaMemcpyDeviceToHost);
  cudaMemcpy(pair, d_pair, sizeof pair, cudaMemcpyDeviceToHost);
  cudaMemcpy(four, d_four, sizeof four, cudaMemcpyDeviceToHost);
  printf("vectors: %g %g %g %g, %d %d, %d %d %d %d\n", moved[3].x, moved[3].y, moved[3].z,
         moved[3].w, pair[5].x, pair[5].y, four[7].x, four[7].y, four[7].z, four[7].w);

  int zero = 0;
  float value = 0;
  float *d_value = device(&value, 1);
  volatile_flag<<<1, 64>>>(device(&zero, 1), d_value);
  cudaMemcpy(&value, d_value, sizeof value, cudaMemcpyDeviceToHost);
  printf("volatile: %g\n", value);

  int *pinned, *managed, *alias;
  cudaMallocHost(&pinned, 100 * sizeof(int));
  cudaMallocManaged(&managed, 100 * sizeof(int));
  for (int i = 0; i < 100; i++) pinned[i] = managed[i] = i;
  cudaHostGetDevicePointer(&alias, pinned, 0);
  add_one<<<1, 64>>>(alias, 100);
  add_one<<<1, 64>>>(managed, 100);
  cudaDeviceSynchronize();
  printf("host memory: %d %d\n", pinned[99], managed[99]);

  size_t pitch = 0;
  char *rows, text[4][8];
  cudaMallocPitch(&rows, &pitch, 5, 4);
  cudaMemset2D(rows, pitch, '.', 5, 4);
  cudaMemcpy2D(rows + pitch + 1, pitch, "abcdef", 3, 3, 2, cudaMemcpyHostToDevice);
  memset(text, 0, sizeof text);
  cudaMemcpy2D(text, 8, rows, pitch, 5, 4, cudaMemcpyDeviceToHost);
  printf("rows: %s %s %s %s\n", text[0], text[1], text[2], text[3]);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
