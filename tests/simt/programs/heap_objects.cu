// SPDX-License-Identifier: MIT
//
// Objects on the device heap that outlive their kernel, and the limit of its size.
#include <cstdio>
#include <new>
struct Node {
  int v;
  Node *next;
  __device__ Node(int v, Node *n) : v(v), next(n) {}
  __device__ ~Node() {}
};
__device__ Node *heads[64];
__device__ int *kept;
__global__ void build() {
  Node *h = nullptr;
  for (int i = 0; i < 5; i++) h = new Node(threadIdx.x * 10 + i, h);
  heads[threadIdx.x] = h;
  if (!threadIdx.x) {
    kept = (int *)malloc(40);
    for (int i = 0; i < 10; i++) kept[i] = i * i;
  }
}
__global__ void use(int *sums) {
  int s = 0;
  for (Node *n = heads[threadIdx.x]; n;) {
    s += n->v;
    Node *x = n->next;
    delete n;
    n = x;
  }
  sums[threadIdx.x] = s;
  if (!threadIdx.x) {
    printf("%d %d\n", kept[3], kept[9]);
    free(kept);
    int *a = new int[100];
    a[99] = 4;
    printf("%d %d\n", a[99], (int)((size_t)a % 16));
    delete[] a;
    alignas(Node) char raw[sizeof(Node)];
    Node *p = new (raw) Node(3, nullptr);
    printf("%d\n", p->v);
    p->~Node();
    free(nullptr);
    delete (Node *)nullptr;
    void *page = __nv_aligned_device_malloc(100, 4096);
    printf("%d\n", (int)((size_t)page % 4096));
    free(page);
    void *big = malloc(1ull << 33);
    printf("%d\n", big == nullptr);
  }
}
int main() {
  size_t l;
  cudaDeviceGetLimit(&l, cudaLimitMallocHeapSize);
  printf("%zu\n", l);
  printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 16 << 20)));
  int *s;
  cudaMallocManaged(&s, 256);
  build<<<1, 64>>>();
  use<<<1, 64>>>(s);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  printf("%d %d\n", s[0], s[63]);
  cudaFree(s);
  printf("%s\n", cudaGetErrorName(cudaDeviceSetLimit(cudaLimitMallocHeapSize, 32 << 20)));
  cudaDeviceGetLimit(&l, cudaLimitMallocHeapSize);
  printf("%zu\n", l);
  cudaGetLastError();
}
