// SPDX-License-Identifier: MIT
// flags: -rdc=true -arch=sm_90 -lcudadevrt
// checked: children see what their parents wrote, and parents' tails what children wrote
//
// Kernels that launch themselves: quicksort, a chain of 100 grids, a tree, a chain of tail
// launches, and a sum whose second pass is a tail launch.
#include <algorithm>
#include <cstdio>

__global__ void insertion(int *data, int n) {
  for (int i = 1; i < n; i++)
    for (int k = i; k && data[k - 1] > data[k]; k--) {
      const int swap = data[k];
      data[k] = data[k - 1];
      data[k - 1] = swap;
    }
}

__global__ void quicksort(int *data, int left, int right) {
  if (right - left < 16) {
    insertion<<<1, 1>>>(data + left, right - left + 1);
    return;
  }
  const int pivot = data[(left + right) / 2];
  int low = left, high = right;
  while (low <= high) {
    while (data[low] < pivot) low++;
    while (data[high] > pivot) high--;
    if (low > high) break;
    const int swap = data[low];
    data[low++] = data[high];
    data[high--] = swap;
  }
  cudaStream_t other;
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  if (left < high) quicksort<<<1, 1>>>(data, left, high);
  if (low < right) quicksort<<<1, 1, 0, other>>>(data, low, right);
  cudaStreamDestroy(other);
}

__global__ void deeper(int *depth, int n) {
  *depth = n;
  if (n < 100) deeper<<<1, 1>>>(depth, n + 1);
}

__global__ void tree(int *leaves, int level) {
  if (level == 6) atomicAdd(leaves, 1);
  else tree<<<2, 2>>>(leaves, level + 1); // by every thread
}

// A loop whose end the device decides.
__global__ void halve(int *value, int *steps) {
  *value /= 2;
  ++*steps;
  if (*value > 0) halve<<<1, 1, 0, cudaStreamTailLaunch>>>(value, steps);
}

__global__ void partial(const int *in, int *sums) {
  __shared__ int total;
  if (threadIdx.x == 0) total = 0;
  __syncthreads();
  atomicAdd(&total, in[blockIdx.x * blockDim.x + threadIdx.x]);
  __syncthreads();
  if (threadIdx.x == 0) sums[blockIdx.x] = total;
}
__global__ void finish(const int *sums, int n, int *result) {
  int total = 0;
  for (int i = 0; i < n; i++) total += sums[i];
  *result = total;
}
__global__ void sum(const int *in, int *sums, int *result) {
  finish<<<1, 1, 0, cudaStreamTailLaunch>>>(sums, 8, result); // after all of the rest
  partial<<<8, 64>>>(in, sums);
}

int main() {
  enum { N = 512 };
  int *data, *small;
  cudaMallocManaged(&data, N * sizeof(int));
  cudaMallocManaged(&small, 16 * sizeof(int));
  for (int i = 0; i < N; i++) data[i] = i * 7919 % 1009;
  for (int i = 0; i < 16; i++) small[i] = 0;
  small[2] = 1 << 20;
  quicksort<<<1, 1>>>(data, 0, N - 1);
  deeper<<<1, 1>>>(small, 0);
  tree<<<1, 1>>>(small + 1, 0);
  halve<<<1, 1>>>(small + 2, small + 3);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  printf("sorted %d: %d %d %d\n", std::is_sorted(data, data + N), data[0], data[N / 2],
         data[N - 1]);
  printf("depth %d, leaves %d, %d after %d steps\n", small[0], small[1], small[2], small[3]);
  sum<<<1, 1>>>(data, small + 4, small + 12);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  int expected = 0;
  for (int i = 0; i < N; i++) expected += data[i];
  printf("sum %d\n", small[12] - expected);
  cudaFree(data);
  cudaFree(small);
  return 0;
}
