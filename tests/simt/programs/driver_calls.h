// SPDX-License-Identifier: MIT
// driver_calls.h - for programs that print what calls of the driver API answer: E(call) prints the
// call and its answer, CK(call) ends the program where it fails; start() makes the first device's
// primary context current.
#include <cuda.h>

#include <cstdio>
#include <cstdlib>

static const char *nm(CUresult r) {
  const char *s = nullptr;
  cuGetErrorName(r, &s);
  return s ? s : "?";
}
#define E(...)                                                                                     \
  do {                                                                                             \
    CUresult e_ = (__VA_ARGS__);                                                                   \
    printf("%s -> %s\n", #__VA_ARGS__, nm(e_));                                                    \
  } while (0)
#define CK(...)                                                                                    \
  do {                                                                                             \
    CUresult e_ = (__VA_ARGS__);                                                                   \
    if (e_ != CUDA_SUCCESS) {                                                                      \
      printf("line %d: %s\n", __LINE__, nm(e_));                                                   \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)
static CUcontext start() {
  CUdevice d;
  CUcontext c;
  CK(cuInit(0));
  CK(cuDeviceGet(&d, 0));
  CK(cuDevicePrimaryCtxRetain(&c, d));
  CK(cuCtxSetCurrent(c));
  return c;
}
