// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// Contexts of the driver API: a stack of them, flags, destroyed ones, the primary one's holders.
// The expected output is an H100's.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
#include <string>
static const char *nm(CUresult r) {
  const char *s = nullptr;
  if (cuGetErrorName(r, &s)) return "?";
  return s;
}
#define D(...)                                                                                     \
  do {                                                                                             \
    CUresult r_ = (__VA_ARGS__);                                                                   \
    printf("%s -> %s\n", #__VA_ARGS__, nm(r_));                                                    \
  } while (0)
int main() {
  CUdevice dev;
  CUcontext a, b, c, prim;
  D(cuInit(0));
  D(cuDeviceGet(&dev, 0));
  D(cuCtxPopCurrent(&c));
#if CUDA_VERSION >= 13000
  D(cuCtxCreate(&a, nullptr, 0, dev));
  D(cuCtxCreate(&b, nullptr, CU_CTX_SCHED_BLOCKING_SYNC, dev));
#else
  D(cuCtxCreate(&a, 0, dev));
  D(cuCtxCreate(&b, CU_CTX_SCHED_BLOCKING_SYNC, dev));
#endif
  D(cuCtxGetCurrent(&c));
  printf("%d\n", c == b);
  unsigned fl;
  D(cuCtxGetFlags(&fl));
  printf("%u\n", fl & 7);
  D(cuCtxPopCurrent(&c));
  printf("%d\n", c == b);
  D(cuCtxGetCurrent(&c));
  printf("%d\n", c == a);
  D(cuCtxPushCurrent(b));
  CUdeviceptr p;
  D(cuMemAlloc(&p, 64));
  D(cuMemsetD8(p, 0x41, 64));
  D(cuCtxSetCurrent(a));
  char h[65] = {};
  D(cuMemcpyDtoH(h, p, 64));
  printf("%c%c\n", h[0], h[63]);
  D(cuCtxDestroy(b));
  D(cuCtxGetCurrent(&c));
  printf("%d\n", c == a);
  size_t lim;
  D(cuCtxGetLimit(&lim, CU_LIMIT_MALLOC_HEAP_SIZE));
  printf("%zu\n", lim);
  D(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  D(cuCtxGetLimit(&lim, CU_LIMIT_STACK_SIZE));
  printf("%zu\n", lim);
  int lo, hi;
  D(cuCtxGetStreamPriorityRange(&lo, &hi));
  printf("%d %d\n", lo, hi);
  unsigned ver;
  D(cuCtxGetApiVersion(a, &ver));
  printf("%u\n", ver);
  CUfunc_cache fc;
  D(cuCtxSetCacheConfig(CU_FUNC_CACHE_PREFER_L1));
  D(cuCtxGetCacheConfig(&fc));
  printf("%d\n", fc);
  D(cuCtxDestroy(a));
  D(cuCtxGetCurrent(&c));
  printf("%d\n", c == nullptr);
  D(cuMemAlloc(&p, 64));
  D(cuCtxSynchronize());
  D(cuCtxGetDevice(&dev));
  unsigned f2;
  int act;
  D(cuDevicePrimaryCtxGetState(0, &f2, &act));
  printf("%u %d\n", f2, act);
  D(cuDevicePrimaryCtxSetFlags(0, CU_CTX_SCHED_YIELD));
  D(cuDevicePrimaryCtxRetain(&prim, 0));
  D(cuDevicePrimaryCtxGetState(0, &f2, &act));
  printf("%u %d\n", f2, act);
  D(cuCtxPushCurrent(prim));
  D(cuMemAlloc(&p, 64));
  D(cuDevicePrimaryCtxReset(0));
  D(cuDevicePrimaryCtxGetState(0, &f2, &act));
  printf("%u %d\n", f2, act);
  D(cuDevicePrimaryCtxRelease(0));
  D(cuDevicePrimaryCtxRelease(0));
  D(cuCtxSetCurrent(nullptr));
  D(cuCtxDestroy(nullptr));
  const char *s = nullptr;
  D(cuGetErrorName((CUresult)12345, &s));
  printf("%d\n", s == nullptr);
}
