// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// Streams and events of the driver API, words that streams write and wait for, in batches too.
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
static void CUDA_CB fn(void *u) { printf("host %d\n", ++*(int *)u); }
static void CUDA_CB cb(CUstream, CUresult r, void *u) {
  printf("callback %s %d\n", nm(r), *(int *)u);
}
int main() {
  CUdevice dev;
  CUcontext ctx;
  cuInit(0);
  cuDeviceGet(&dev, 0);
  cuDevicePrimaryCtxRetain(&ctx, dev);
  cuCtxSetCurrent(ctx);
  CUstream s, t;
  CUevent e, f;
  int x = 1, pr;
  unsigned fl;
  D(cuStreamCreate(&s, 4));
  D(cuStreamCreate(nullptr, 0));
  D(cuStreamCreate(&s, CU_STREAM_NON_BLOCKING));
  D(cuStreamCreateWithPriority(&t, 0, -3));
  D(cuStreamGetPriority(t, &pr));
  printf("%d\n", pr);
  D(cuStreamGetFlags(s, &fl));
  printf("%u\n", fl);
  CUcontext c2;
  D(cuStreamGetCtx(s, &c2));
  printf("%d\n", c2 == ctx);
  D(cuEventCreate(&e, CU_EVENT_DEFAULT));
  D(cuEventCreate(&f, CU_EVENT_DISABLE_TIMING));
  D(cuEventCreate(&f, 1 << 10));
  float ms = -1;
  D(cuEventElapsedTime(&ms, e, e));
  D(cuEventQuery(e));
  D(cuEventRecord(e, s));
  D(cuEventSynchronize(e));
  D(cuEventElapsedTime(&ms, e, e));
  printf("%g\n", ms);
  D(cuStreamWaitEvent(t, e, 0));
  D(cuStreamQuery(t));
  D(cuLaunchHostFunc(s, fn, &x));
  D(cuStreamAddCallback(s, cb, &x, 0));
  D(cuStreamSynchronize(s));
  CUdeviceptr p;
  D(cuMemAllocAsync(&p, 256, s));
  D(cuMemsetD32Async(p, 5, 64, s));
  unsigned h[64];
  D(cuMemcpyDtoHAsync(h, p, 256, s));
  D(cuMemFreeAsync(p, s));
  D(cuStreamSynchronize(s));
  printf("%u %u\n", h[0], h[63]);
  CUdeviceptr w;
  D(cuMemAlloc(&w, 16));
  D(cuMemsetD32(w, 0, 4));
  D(cuStreamWriteValue32(s, w, 7, 0));
  D(cuStreamWaitValue32(t, w, 7, CU_STREAM_WAIT_VALUE_EQ));
  D(cuStreamWriteValue64(t, w + 8, 0x1122334455667788ull, 0));
  D(cuStreamSynchronize(t));
  D(cuMemcpyDtoH(h, w, 16));
  printf("%x %x %x\n", h[0], h[2], h[3]);
  CUstreamBatchMemOpParams op[2] = {};
  op[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  op[0].writeValue.address = w;
  op[0].writeValue.value = 99;
  op[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  op[1].waitValue.address = w;
  op[1].waitValue.value = 50;
  op[1].waitValue.flags = CU_STREAM_WAIT_VALUE_GEQ;
  D(cuStreamBatchMemOp(s, 2, op, 0));
  D(cuStreamSynchronize(s));
  D(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  D(cuMemsetD32Async(w, 3, 4, s));
  CUstreamCaptureStatus st;
  D(cuStreamIsCapturing(s, &st));
  printf("%d\n", st);
  CUgraph g;
  D(cuStreamEndCapture(s, &g));
  CUgraphExec ge;
  D(cuGraphInstantiate(&ge, g, 0));
  D(cuGraphLaunch(ge, s));
  D(cuStreamSynchronize(s));
  D(cuMemcpyDtoH(h, w, 16));
  printf("%u %u\n", h[0], h[3]);
  D(cuGraphExecDestroy(ge));
  D(cuGraphDestroy(g));
  D(cuEventDestroy(e));
  D(cuStreamDestroy(s));
  D(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  D(cuStreamSynchronize(CU_STREAM_LEGACY));
}
