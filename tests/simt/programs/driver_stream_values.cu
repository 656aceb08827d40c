// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// Streams of the driver API: attributes, words that they write and wait for, events, captures.
#include <cuda.h>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>
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

int main() {
  CUcontext ctx = start();
  CUstream s, t;
  int lo, hi, pr;
  CK(cuCtxGetStreamPriorityRange(&lo, &hi));
  printf("%d %d\n", lo, hi);
  E(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, hi));
  E(cuStreamGetPriority(s, &pr));
  printf("%d\n", pr);
  unsigned fl;
  E(cuStreamGetFlags(s, &fl));
  printf("%u\n", fl);
  E(cuStreamCreateWithPriority(&t, 0, -100));
  E(cuStreamGetPriority(t, &pr));
  printf("%d\n", pr);
  CUcontext c2;
  E(cuStreamGetCtx(s, &c2));
  printf("%d\n", c2 == ctx);
  CUdevice d;
  E(cuStreamGetDevice(s, &d));
  printf("%d\n", d);
  unsigned long long i1, i2;
  E(cuStreamGetId(s, &i1));
  E(cuStreamGetId(t, &i2));
  printf("%d\n", i1 != i2);
  CUstreamAttrValue av;
  memset(&av, 0, sizeof av);
  E(cuStreamGetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &av));
  printf("%d\n", av.syncPolicy);
  av.syncPolicy = CU_SYNC_POLICY_YIELD;
  E(cuStreamSetAttribute(s, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &av));
  E(cuStreamCopyAttributes(t, s));
  memset(&av, 0, sizeof av);
  E(cuStreamGetAttribute(t, CU_STREAM_ATTRIBUTE_SYNCHRONIZATION_POLICY, &av));
  printf("%d\n", av.syncPolicy);
  E(cuStreamGetAttribute(t, CU_STREAM_ATTRIBUTE_PRIORITY, &av));
  printf("%d\n", av.priority);
  CUdeviceptr w;
  CK(cuMemAlloc(&w, 16));
  CK(cuMemsetD32(w, 0, 4));
  E(cuStreamWriteValue32(s, w, 17, 0));
  E(cuStreamWaitValue32(s, w, 17, CU_STREAM_WAIT_VALUE_EQ));
  E(cuStreamWaitValue32(s, w, 10, CU_STREAM_WAIT_VALUE_GEQ));
  E(cuStreamWriteValue64(s, w + 8, 1ull << 40, 0));
  E(cuStreamWaitValue64(s, w + 8, 1ull << 40, CU_STREAM_WAIT_VALUE_AND));
  E(cuStreamWriteValue32(s, w + 2, 1, 0));
  CUstreamBatchMemOpParams op[2];
  memset(op, 0, sizeof op);
  op[0].operation = CU_STREAM_MEM_OP_WRITE_VALUE_32;
  op[0].writeValue.address = w + 4;
  op[0].writeValue.value = 5;
  op[1].operation = CU_STREAM_MEM_OP_WAIT_VALUE_32;
  op[1].waitValue.address = w + 4;
  op[1].waitValue.value = 5;
  op[1].waitValue.flags = CU_STREAM_WAIT_VALUE_EQ;
  E(cuStreamBatchMemOp(s, 2, op, 0));
  E(cuStreamSynchronize(s));
  unsigned h[4];
  CK(cuMemcpyDtoH(h, w, 16));
  printf("%u %u %u %u\n", h[0], h[1], h[2], h[3]);
  CUevent e, f;
  E(cuEventCreate(&e, CU_EVENT_DEFAULT));
  E(cuEventCreate(&f, CU_EVENT_BLOCKING_SYNC));
  E(cuEventQuery(e));
  E(cuEventRecord(e, s));
  E(cuEventRecordWithFlags(f, s, CU_EVENT_RECORD_DEFAULT));
  E(cuEventSynchronize(f));
  float ms;
  E(cuEventElapsedTime(&ms, e, f));
  printf("%d\n", ms >= 0);
  E(cuStreamWaitEvent(t, f, 0));
  E(cuStreamWaitEvent(t, f, 77));
  E(cuStreamQuery(t));
  E(cuEventDestroy(e));
  E(cuEventCreate(&e, 0x4));
  E(cuEventCreate(&e, 0x10));
  E(cuEventRecordWithFlags(f, s, 2));
  E(cuStreamWaitEvent(t, 0, 0));
  E(cuStreamCreate(&t, 8));
  E(cuStreamDestroy(s));
  E(cuStreamSynchronize(0));
  E(cuStreamSynchronize(CU_STREAM_PER_THREAD));
  E(cuStreamSynchronize(CU_STREAM_LEGACY));
  CUstreamCaptureMode m = CU_STREAM_CAPTURE_MODE_RELAXED;
  E(cuThreadExchangeStreamCaptureMode(&m));
  printf("%d\n", m);
  E(cuThreadExchangeStreamCaptureMode(&m));
  printf("%d\n", m);
  CK(cuStreamCreate(&s, 0));
  CUgraph g;
  CUstreamCaptureStatus st;
  E(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_GLOBAL));
  E(cuMemsetD32Async(w, 3, 4, s));
  cuuint64_t id;
  const CUgraphNode *dep;
  size_t count;
  E(cuStreamGetCaptureInfo(s, &st, &id, &g, &dep, nullptr, &count));
  printf("%d %zu\n", st, count);
  E(cuStreamSynchronize(s));
  E(cuStreamEndCapture(s, &g));
  E(cuStreamIsCapturing(s, &st));
  printf("%d\n", st);
  E(cuStreamBeginCapture(s, CU_STREAM_CAPTURE_MODE_RELAXED));
  E(cuMemsetD32Async(w, 3, 4, s));
  E(cuStreamUpdateCaptureDependencies(s, nullptr, nullptr, 0, CU_STREAM_SET_CAPTURE_DEPENDENCIES));
  E(cuMemsetD32Async(w + 4, 4, 1, s));
  E(cuStreamEndCapture(s, &g));
  E(cuGraphGetEdges(g, 0, 0, 0, &count));
  printf("%zu\n", count);
  E(cuStreamBeginCapture(0, CU_STREAM_CAPTURE_MODE_GLOBAL));
  CUgraph tg;
  CK(cuGraphCreate(&tg, 0));
  E(cuStreamBeginCaptureToGraph(s, tg, 0, 0, 0, CU_STREAM_CAPTURE_MODE_RELAXED));
  E(cuMemsetD32Async(w, 3, 4, s));
  E(cuStreamEndCapture(s, &g));
  printf("%d\n", g == tg);
  return 0;
}
