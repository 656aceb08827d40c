// SPDX-License-Identifier: MIT
//
// Peers, shared memory and bus numbers where there is one GPU. The expected output is an H100's.
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
int main() {
  int n, can = 9;
  E(cudaGetDeviceCount(&n));
  printf("%d\n", n);
  E(cudaDeviceCanAccessPeer(&can, 0, 0));
  printf("%d\n", can);
  E(cudaDeviceCanAccessPeer(&can, 0, 1));
  E(cudaDeviceCanAccessPeer(nullptr, 0, 0));
  E(cudaDeviceEnablePeerAccess(0, 0));
  E(cudaDeviceEnablePeerAccess(0, 1));
  E(cudaDeviceEnablePeerAccess(1, 0));
  E(cudaDeviceDisablePeerAccess(0));
  E(cudaDeviceDisablePeerAccess(1));
  E(cudaSetDevice(1));
  E(cudaSetDevice(-1));
  int dev = -1;
  E(cudaGetDevice(&dev));
  printf("%d\n", dev);
  E(cudaGetDevice(nullptr));
  int v;
  E(cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 0));
  E(cudaDeviceGetP2PAttribute(&v, cudaDevP2PAttrAccessSupported, 0, 1));
  int *a, *b, h[4] = {1, 2, 3, 4}, r[4] = {};
  cudaMalloc(&a, 16);
  cudaMalloc(&b, 16);
  E(cudaMemcpy(a, h, 16, cudaMemcpyHostToDevice));
  E(cudaMemcpyPeer(b, 0, a, 0, 16));
  E(cudaMemcpyPeerAsync(b, 0, a, 0, 16, 0));
  E(cudaMemcpyPeer(b, 1, a, 0, 16));
  E(cudaMemcpyPeer(b, 0, a, -1, 16));
  E(cudaMemcpy(r, b, 16, cudaMemcpyDeviceToHost));
  printf("%d %d\n", r[0], r[3]);
  cudaIpcMemHandle_t m;
  cudaIpcEventHandle_t ev;
  E(cudaIpcGetMemHandle(&m, a));
  void *p;
  E(cudaIpcOpenMemHandle(&p, m, cudaIpcMemLazyEnablePeerAccess));
  E(cudaIpcOpenMemHandle(&p, m, 0));
  E(cudaIpcGetMemHandle(&m, h));
  E(cudaIpcCloseMemHandle(a));
  cudaEvent_t e;
  E(cudaEventCreate(&e));
  E(cudaIpcGetEventHandle(&ev, e));
  E(cudaEventCreateWithFlags(&e, cudaEventInterprocess));
  E(cudaEventCreateWithFlags(&e, cudaEventInterprocess | cudaEventDisableTiming));
  E(cudaIpcGetEventHandle(&ev, e));
  cudaEvent_t e2;
  E(cudaIpcOpenEventHandle(&e2, ev));
  char bus[64] = "";
  E(cudaDeviceGetPCIBusId(bus, 64, 0));
  printf("%zu %c %c\n", strlen(bus), bus[4], bus[10]);
  E(cudaDeviceGetByPCIBusId(&dev, bus));
  printf("%d\n", dev);
  E(cudaDeviceGetByPCIBusId(&dev, "ffff:ff:1f.0"));
  E(cudaDeviceGetByPCIBusId(&dev, "nonsense"));
  E(cudaDeviceGetPCIBusId(bus, 5, 0));
  E(cudaDeviceGetPCIBusId(bus, 13, 3));
  cudaDeviceProp want = {};
  want.major = 8;
  E(cudaChooseDevice(&dev, &want));
  printf("%d\n", dev);
  int list[1] = {0};
  E(cudaSetValidDevices(list, 1));
  E(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
  unsigned fl;
  E(cudaGetDeviceFlags(&fl));
  printf("%u\n", fl);
  E(cudaSetDeviceFlags(1 << 20));
  E(cudaInitDevice(0, 0, 0));
  E(cudaInitDevice(3, 0, 0));
  E(cudaGetLastError());
}
