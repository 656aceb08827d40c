// SPDX-License-Identifier: MIT
// Read-modify-write operations made of atomicCAS, as the Programming Guide makes them: a plain
// first read, and a swap that succeeds only while the value is still the one that was read. Lists
// that are built so, of addresses and of indices.
#include <cstdio>

__device__ double add_double(double *address, double value) {
  unsigned long long *word = (unsigned long long *)address, old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __double_as_longlong(value + __longlong_as_double(assumed)));
  } while (assumed != old);
  return __longlong_as_double(old);
}

__device__ float max_float(float *address, float value) {
  int *word = (int *)address, old = *word, assumed;
  while (value > __int_as_float(old)) {
    assumed = old;
    old = atomicCAS(word, assumed, __float_as_int(value));
    if (old == assumed) break;
  }
  return __int_as_float(old);
}

__device__ void add_byte(unsigned char *address, unsigned value) {
  unsigned *word = (unsigned *)((size_t)address & ~(size_t)3);
  unsigned shift = 8 * ((size_t)address & 3), old = *word, assumed;
  do {
    assumed = old;
    unsigned byte = ((assumed >> shift) + value) & 0xff;
    old = atomicCAS(word, assumed, (assumed & ~(0xffu << shift)) | byte << shift);
  } while (assumed != old);
}

__global__ void all(double *sum, float *most, unsigned char *bytes) {
  // sum[0]: the total; sum[1]: how many
  __shared__ double part;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  add_double(&part, i);
  max_float(most, (float)(i * 37 % 1000));
  add_byte(&bytes[i % 8], 1);
  add_double(&sum[1], 1);
  __syncthreads();
  if (threadIdx.x == 0) add_double(sum, part);
}

struct node {
  int value;
  node *next;
};
__device__ node *head;
__device__ int first = -1;

__global__ void push(node *nodes, int *next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  node *me = nodes + i, *old = head, *assumed;
  me->value = i;
  do {
    assumed = old;
    me->next = assumed;
    __threadfence();
    old = (node *)atomicCAS((unsigned long long *)&head, (unsigned long long)assumed,
                            (unsigned long long)me);
  } while (old != assumed);
  int expected, seen = first;
  do {
    expected = seen;
    next[i] = expected;
    seen = atomicCAS(&first, expected, i);
  } while (seen != expected);
}

__global__ void walk(const int *next) {
  int n = 0, sum = 0;
  for (node *at = head; at; at = at->next) n++, sum += at->value;
  for (int at = first; at >= 0; at = next[at]) n++, sum += at;
  printf("%d %d\n", n, sum);
}

int main() {
  double *sum, total[2];
  float *most, top;
  unsigned char *bytes, counts[8];
  cudaMalloc(&sum, sizeof total);
  cudaMalloc(&most, sizeof *most);
  cudaMalloc(&bytes, sizeof counts);
  cudaMemset(sum, 0, sizeof total);
  cudaMemset(most, 0, sizeof *most);
  cudaMemset(bytes, 0, sizeof counts);
  all<<<8, 128>>>(sum, most, bytes);
  cudaMemcpy(total, sum, sizeof total, cudaMemcpyDeviceToHost);
  cudaMemcpy(&top, most, sizeof top, cudaMemcpyDeviceToHost);
  cudaMemcpy(counts, bytes, sizeof counts, cudaMemcpyDeviceToHost);
  printf("%g %g %g", total[0], total[1], top);
  for (unsigned count : counts) printf(" %u", count);
  printf("\n");
  cudaFree(sum);
  cudaFree(most);
  cudaFree(bytes);
  node *nodes;
  int *next;
  cudaMalloc(&nodes, 500 * sizeof(node));
  cudaMalloc(&next, 500 * sizeof(int));
  push<<<4, 128>>>(nodes, next, 500);
  walk<<<1, 1>>>(next);
  cudaDeviceSynchronize();
  cudaFree(nodes);
  cudaFree(next);
}
