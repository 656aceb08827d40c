// SPDX-License-Identifier: MIT
//
// The device's heap: malloc, free, new and delete in kernels, a list that outlives its launch, a
// null pointer where the heap is exhausted.
#include <cstdio>

struct Node {
  int value;
  Node *next;
};
struct Shape {
  __device__ virtual float area() const = 0;
  __device__ virtual ~Shape() {}
};
struct Square : Shape {
  float side;
  __device__ explicit Square(float side) : side(side) {}
  __device__ float area() const override { return side * side; }
};
struct Ring : Shape {
  float r;
  __device__ explicit Ring(float r) : r(r) {}
  __device__ float area() const override { return 3.0f * r * r; }
};

__device__ Node *lists[64];

__global__ void build() { // every thread a list of as many nodes as its number
  int t = threadIdx.x;
  Node *head = nullptr;
  for (int i = 0; i < t; i++) head = new Node{i, head};
  lists[t] = head;
}
__global__ void take_apart(int *sums) {
  int t = threadIdx.x, sum = 0;
  for (Node *node = lists[t]; node;) {
    Node *next = node->next;
    sum += node->value;
    delete node;
    node = next;
  }
  sums[t] = sum;
}
__global__ void shapes(float *areas) {
  int t = threadIdx.x;
  Shape *shape = t % 2 ? (Shape *)new Square((float)t) : (Shape *)new Ring((float)t);
  areas[t] = shape->area();
  delete shape;
}
__global__ void arrays(int *sums) { // one thread's array for the whole block
  __shared__ int *array;
  if (threadIdx.x == 0) array = (int *)malloc(blockDim.x * sizeof *array);
  __syncthreads();
  array[threadIdx.x] = threadIdx.x * (blockIdx.x + 1);
  __syncthreads();
  if (threadIdx.x == 0) {
    int sum = 0;
    for (int i = 0; i < (int)blockDim.x; i++) sum += array[i];
    sums[blockIdx.x] = sum;
    free(array);
  }
}
__device__ void *kept[2]; // else a compiler may leave the allocations out
__global__ void exhaust(size_t large, int *got) {
  kept[0] = malloc(large);
  kept[1] = malloc(64);
  got[0] = kept[0] != nullptr;
  got[1] = kept[1] != nullptr;
  got[2] = (size_t)kept[1] % 16 == 0;
}
__global__ void release() {
  free(kept[0]);
  free(kept[1]);
  free(nullptr);
}

int main() {
  int *sums;
  float *areas;
  size_t limit;
  cudaMallocManaged(&sums, 64 * sizeof *sums);
  cudaMallocManaged(&areas, 32 * sizeof *areas);
  cudaDeviceGetLimit(&limit, cudaLimitMallocHeapSize);
  printf("limit: %zu\n", limit);
  printf("set: %s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20)));
  build<<<1, 64>>>();
  take_apart<<<1, 64>>>(sums);
  printf("lists: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 64; i += 9) printf(" %d", sums[i]);
  shapes<<<1, 32>>>(areas);
  printf("\nshapes: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 8; i++) printf(" %g", areas[i]);
  arrays<<<8, 128>>>(sums);
  printf("\narrays: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 8; i++) printf(" %d", sums[i]);
  exhaust<<<1, 1>>>((size_t)1 << 40, sums);
  release<<<1, 1>>>();
  printf("\nexhausted: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  printf(" %d %d %d\n", sums[0], sums[1], sums[2]);
  cudaFree(sums);
  cudaFree(areas);
}
