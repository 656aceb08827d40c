// SPDX-License-Identifier: MIT
// Structures with padding that no thread writes, and with members that are not set, copied whole:
// between arrays in global memory, into and out of shared memory, by value through functions.
// Copying such bytes uses none of them.
#include <cstdio>
#include <cstdlib>
#include <cstring>

struct sample {
  char tag; // three bytes of padding follow
  int count;
  short low; // six bytes
  double weight;
};

struct alignas(16) vec3 {
  float x, y, z; // and an unused fourth
};

__global__ void make(sample *s, vec3 *v) {
  int i = threadIdx.x;
  s[i].tag = (char)('a' + i % 26);
  s[i].count = i * i;
  s[i].low = (short)-i;
  s[i].weight = 0.5 * i;
  v[i].x = i, v[i].y = 2 * i, v[i].z = 3 * i;
}

__global__ void copy(const sample *from, sample *to, const vec3 *v_from, vec3 *v_to) {
  int i = threadIdx.x;
  to[i] = from[i];
  v_to[i] = v_from[i];
}

__global__ void turn(const sample *from, sample *to, const vec3 *v_from, vec3 *v_to) {
  __shared__ sample s[32];
  __shared__ vec3 v[32];
  int i = threadIdx.x, n = blockDim.x;
  s[i] = from[i];
  v[i] = v_from[i];
  __syncthreads();
  to[i] = s[n - 1 - i];
  v_to[i] = v[n - 1 - i];
}

__device__ sample swapped(sample x) {
  int count = x.count;
  x.count = x.low;
  x.low = (short)count;
  return x;
}

__global__ void change(sample *s, vec3 *v) {
  int i = threadIdx.x;
  s[i] = swapped(s[i]);
  vec3 mine = v[i];
  mine.y += mine.x;
  v[i] = mine;
}

int main() {
  enum { N = 32 };
  sample *a, *b, host[N];
  vec3 *v, *w, points[N];
  cudaMalloc(&a, sizeof host);
  cudaMalloc(&b, sizeof host);
  cudaMalloc(&v, sizeof points);
  cudaMalloc(&w, sizeof points);
  make<<<1, N>>>(a, v);
  copy<<<1, N>>>(a, b, v, w);
  turn<<<1, N>>>(b, a, w, v);
  change<<<1, N>>>(a, v);
  // Member by member, for the padding was never written.
  for (int i = 0; i < N; i++) {
    cudaMemcpy(&host[i].tag, &a[i].tag, 1, cudaMemcpyDeviceToHost);
    cudaMemcpy(&host[i].count, &a[i].count, 4, cudaMemcpyDeviceToHost);
    cudaMemcpy(&host[i].low, &a[i].low, 2, cudaMemcpyDeviceToHost);
    cudaMemcpy(&host[i].weight, &a[i].weight, 8, cudaMemcpyDeviceToHost);
    cudaMemcpy(&points[i], &v[i], 12, cudaMemcpyDeviceToHost);
  }
  for (int i = 0; i < N; i += 5)
    printf("%c %d %d %g  %g %g %g\n", host[i].tag, host[i].count, host[i].low, host[i].weight,
           points[i].x, points[i].y, points[i].z);
  cudaFree(a);
  cudaFree(b);
  cudaFree(v);
  cudaFree(w);
}
