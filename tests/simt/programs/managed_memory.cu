// SPDX-License-Identifier: MIT
// Managed memory: zero when it is fresh, shared by host and device without copies, also in pieces
// and through pointers inside it.
#include <cstdio>

struct node {
  node *next;
  int value;
};

__global__ void scale(float *x, int n, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] *= by;
}

__global__ void walk(const node *first, int *sum) {
  int total = 0;
  for (const node *at = first; at; at = at->next) total += at->value;
  *sum = total;
}

__global__ void count(int *counters, int n) { atomicAdd(&counters[threadIdx.x % n], 1); }

int main() {
  int *fresh;
  size_t bytes = 3 << 20, wrong = 0;
  printf("%s\n", cudaGetErrorName(cudaMallocManaged(&fresh, bytes)));
  for (size_t i = 0; i < bytes / sizeof *fresh; i++) wrong += fresh[i] != 0;
  printf("fresh: %zu words are not zero\n", wrong);

  for (int i = 0; i < 4; i++) fresh[i] = 0;
  count<<<1, 100>>>(fresh, 4);
  cudaDeviceSynchronize();
  printf("counted: %d %d %d %d\n", fresh[0], fresh[1], fresh[2], fresh[3]);

  float *x;
  cudaMallocManaged(&x, 1000 * sizeof *x);
  for (int i = 0; i < 1000; i++) x[i] = i;
  scale<<<4, 256>>>(x, 1000, 0.5f);
  cudaDeviceSynchronize();
  printf("scaled: %g %g %g\n", x[1], x[500], x[999]);

  node *nodes;
  int *sum;
  cudaMallocManaged(&nodes, 10 * sizeof *nodes);
  cudaMallocManaged(&sum, sizeof *sum);
  for (int i = 0; i < 10; i++) {
    nodes[i].value = i * i;
    nodes[i].next = i < 9 ? &nodes[i + 1] : nullptr;
  }
  walk<<<1, 1>>>(nodes, sum);
  cudaDeviceSynchronize();
  printf("walked: %d\n", *sum);

  printf("attached: %s, %s, %s\n", cudaGetErrorName(cudaStreamAttachMemAsync(0, sum)),
         cudaGetErrorName(cudaStreamAttachMemAsync(0, x, 0, cudaMemAttachGlobal)),
         cudaGetErrorName(cudaStreamAttachMemAsync(0, x, 0, 64)));
  cudaGetLastError();

  cudaPointerAttributes attributes;
  cudaPointerGetAttributes(&attributes, sum);
  printf("%d %d %d\n", attributes.type == cudaMemoryTypeManaged, attributes.hostPointer == sum,
         attributes.devicePointer == sum);
  cudaFree(fresh);
  cudaFree(x);
  cudaFree(nodes);
  cudaFree(sum);
}
