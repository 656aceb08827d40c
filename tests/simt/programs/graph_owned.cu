// SPDX-License-Identifier: MIT
//
// Memory, child graphs and user objects of graphs. The expected output is an H100's.
#include <cuda_runtime.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
#define E(...)                                                                                     \
  do {                                                                                             \
    cudaError_t e_ = (__VA_ARGS__);                                                                \
    printf("%s -> %s\n", #__VA_ARGS__, cudaGetErrorName(e_));                                      \
  } while (0)
__global__ void fill(int *p, int v) { p[threadIdx.x] = v + threadIdx.x; }
__global__ void sum(const int *p, int *o) {
  int s = 0;
  for (int i = 0; i < 32; i++) s += p[i];
  *o += s;
}
static void CUDART_CB destroyed(void *p) { printf("destroyed %d\n", *(int *)p); }
int main() {
  cudaGraph_t g, c;
  cudaGraphCreate(&g, 0);
  cudaGraphCreate(&c, 0);
  int *out, h;
  cudaMalloc(&out, 4);
  cudaMemset(out, 0, 4);
  cudaMemAllocNodeParams ap = {};
  ap.poolProps.allocType = cudaMemAllocationTypePinned;
  ap.poolProps.location.type = cudaMemLocationTypeDevice;
  ap.bytesize = 128;
  cudaGraphNode_t al, kn, cn, fr, kc;
  E(cudaGraphAddMemAllocNode(&al, g, nullptr, 0, &ap));
  printf("%d\n", ap.dptr != nullptr);
  int *p = (int *)ap.dptr, v = 10;
  void *args[] = {&p, &v};
  cudaKernelNodeParams k = {};
  k.func = (void *)fill;
  k.gridDim = 1;
  k.blockDim = 32;
  k.kernelParams = args;
  E(cudaGraphAddKernelNode(&kn, g, &al, 1, &k));
  void *args2[] = {&p, &out};
  k.func = (void *)sum;
  k.blockDim = 1;
  k.kernelParams = args2;
  E(cudaGraphAddKernelNode(&kc, c, nullptr, 0, &k));
  E(cudaGraphAddChildGraphNode(&cn, g, &kn, 1, c));
  E(cudaGraphAddMemFreeNode(&fr, g, &cn, 1, p));
  E(cudaGraphAddMemFreeNode(&fr, g, &cn, 1, p));
  cudaGraph_t inner;
  E(cudaGraphChildGraphNodeGetGraph(cn, &inner));
  printf("%d\n", inner != c);
  cudaGraphExec_t e;
  E(cudaGraphInstantiate(&e, g, 0));
  for (int i = 0; i < 3; i++) E(cudaGraphLaunch(e, 0));
  E(cudaMemcpy(&h, out, 4, cudaMemcpyDeviceToHost));
  printf("%d\n", h);
  unsigned long long used = 1, high = 0;
  E(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemCurrent, &used));
  E(cudaDeviceGetGraphMemAttribute(0, cudaGraphMemAttrUsedMemHigh, &high));
  printf("%llu %d\n", used, high > 0);
  E(cudaDeviceGraphMemTrim(0));
  E(cudaGraphMemAllocNodeGetParams(al, &ap));
  printf("%zu %d\n", ap.bytesize, ap.dptr == p);
  void *fp;
  E(cudaGraphMemFreeNodeGetParams(fr, &fp));
  cudaGraph_t clone;
  E(cudaGraphClone(&clone, g));
  E(cudaGraphDestroyNode(al));
  static int id = 42;
  cudaUserObject_t o;
  E(cudaUserObjectCreate(&o, &id, destroyed, 1, cudaUserObjectNoDestructorSync));
  E(cudaUserObjectRetain(o, 1));
  E(cudaGraphRetainUserObject(c, o, 1, cudaGraphUserObjectMove));
  E(cudaUserObjectRelease(o, 1));
  E(cudaGraphDestroy(c));
  E(cudaGraphExecDestroy(e));
  E(cudaGraphDestroy(g));
  E(cudaDeviceSynchronize());
  // a capture with allocations
  cudaStream_t s;
  cudaStreamCreate(&s);
  E(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  E(cudaMallocAsync(&p, 128, s));
  fill<<<1, 32, 0, s>>>(p, 1);
  sum<<<1, 1, 0, s>>>(p, out);
  E(cudaFreeAsync(p, s));
  E(cudaStreamEndCapture(s, &g));
  size_t n = 8;
  cudaGraphNode_t ns[8];
  E(cudaGraphGetNodes(g, ns, &n));
  for (size_t i = 0; i < n; i++) {
    cudaGraphNodeType t;
    cudaGraphNodeGetType(ns[i], &t);
    printf("%d ", t);
  }
  printf("\n");
  E(cudaGraphInstantiate(&e, g, 0));
  E(cudaGraphLaunch(e, s));
  E(cudaMemcpy(&h, out, 4, cudaMemcpyDeviceToHost));
  printf("%d\n", h);
  E(cudaGetLastError());
}
