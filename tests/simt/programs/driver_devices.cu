// SPDX-License-Identifier: MIT
// env: SIMT_DEVICES=2
// flags: -lcuda
//
// The driver API with two devices: a thread's stack of contexts, memory in each, peer access and
// copies between them.
#include <cuda.h>
#include <cstdio>

static const char *name_of(CUresult result) {
  const char *name = "?";
  cuGetErrorName(result, &name);
  return name;
}
#define SAY(call) printf("%s: %s\n", #call, name_of(call))

int main() {
  CUdevice first, second, current;
  CUcontext a, b, top;
  CUdeviceptr on_a, on_b;
  int n = 0, can = 0, value = 41;
  cuInit(0);
  cuDeviceGetCount(&n);
  printf("two or more: %d\n", n >= 2);
  SAY(cuDeviceGet(&first, 0));
  SAY(cuDeviceGet(&second, 1));
  SAY(cuDeviceGet(&current, 99));
  cuDevicePrimaryCtxRetain(&a, first);
  cuDevicePrimaryCtxRetain(&b, second);
  SAY(cuCtxPushCurrent(a));
  SAY(cuMemAlloc(&on_a, 64));
  SAY(cuCtxPushCurrent(b));
  cuCtxGetDevice(&current);
  printf("device %d\n", current);
  SAY(cuMemAlloc(&on_b, 64));
  SAY(cuMemcpyHtoD(on_b, &value, sizeof value));
  SAY(cuMemcpyPeer(on_a, a, on_b, b, sizeof value));
  SAY(cuDeviceCanAccessPeer(&can, second, first));
  printf("can %d\n", can);
  SAY(cuCtxDisablePeerAccess(a));
  SAY(cuCtxEnablePeerAccess(a, 0));
  SAY(cuCtxEnablePeerAccess(a, 0));
  SAY(cuCtxEnablePeerAccess(b, 0));
  SAY(cuCtxPopCurrent(&top));
  cuCtxGetDevice(&current);
  printf("popped the second: %d, device %d\n", top == b, current);
  value = 0;
  SAY(cuMemcpyDtoH(&value, on_a, sizeof value));
  printf("%d\n", value);
  SAY(cuMemFree(on_a));
  SAY(cuMemFree(on_b));
  SAY(cuCtxPopCurrent(&top));
  SAY(cuCtxPopCurrent(&top));
  SAY(cuCtxSynchronize());
  SAY(cuDevicePrimaryCtxRelease(first));
  SAY(cuDevicePrimaryCtxRelease(second));
}
