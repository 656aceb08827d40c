// SPDX-License-Identifier: MIT
//
// Priorities, attributes and flags of streams and events, with those that are refused.
#include <cuda_runtime.h>
#include <cstring>
#include "runtime_calls.h"

int main() {
  // stream and event queries and flags with the runtime API
  int lo, hi;
  E(cudaDeviceGetStreamPriorityRange(&lo, &hi));
  printf("%d %d\n", lo, hi);
  E(cudaDeviceGetStreamPriorityRange(nullptr, nullptr));
  for (int p : {lo, hi, hi - 10, lo + 10}) {
    cudaStream_t s;
    int q;
    CK(cudaStreamCreateWithPriority(&s, cudaStreamNonBlocking, p));
    CK(cudaStreamGetPriority(s, &q));
    unsigned f;
    CK(cudaStreamGetFlags(s, &f));
    int dev;
    CK(cudaStreamGetDevice(s, &dev));
    printf("%d -> %d flags %u dev %d\n", p, q, f, dev);
    CK(cudaStreamDestroy(s));
  }
  cudaStream_t s, t;
  E(cudaStreamCreateWithFlags(&s, 5));
  CK(cudaStreamCreate(&s));
  CK(cudaStreamCreate(&t));
  cudaStreamAttrValue v = {};
  v.accessPolicyWindow.hitRatio = .5f;
  v.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  v.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  v.accessPolicyWindow.num_bytes = 4096;
  char *d;
  CK(cudaMalloc(&d, 8192));
  v.accessPolicyWindow.base_ptr = d;
  E(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
  E(cudaStreamCopyAttributes(t, s));
  cudaStreamAttrValue g = {};
  E(cudaStreamGetAttribute(t, cudaStreamAttributeAccessPolicyWindow, &g));
  printf("%zu %g %d %d %d\n", g.accessPolicyWindow.num_bytes, g.accessPolicyWindow.hitRatio,
         g.accessPolicyWindow.hitProp, g.accessPolicyWindow.missProp,
         g.accessPolicyWindow.base_ptr == d);
  v.accessPolicyWindow.hitRatio = 3;
  E(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
  v.accessPolicyWindow.hitRatio = 1;
  v.accessPolicyWindow.missProp = cudaAccessPropertyPersisting;
  E(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &v));
  memset(&g, 0, sizeof g);
  E(cudaStreamGetAttribute(s, cudaStreamAttributePriority, &g));
  printf("%d\n", g.priority);
  g.priority = hi;
  E(cudaStreamSetAttribute(s, cudaStreamAttributePriority, &g));
  int pq;
  CK(cudaStreamGetPriority(s, &pq));
  printf("%d\n", pq);
  g.syncPolicy = cudaSyncPolicyBlockingSync;
  E(cudaStreamSetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &g));
  memset(&g, 0, sizeof g);
  E(cudaStreamGetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &g));
  printf("%d\n", g.syncPolicy);
  E(cudaStreamGetAttribute(s, (cudaStreamAttrID)99, &g));
  E(cudaStreamGetAttribute(s, cudaStreamAttributeMemSyncDomain, &g));
  printf("%d\n", g.memSyncDomain);
  E(cudaStreamGetAttribute(s, cudaStreamAttributeMemSyncDomainMap, &g));
  printf("%d %d\n", g.memSyncDomainMap.default_, g.memSyncDomainMap.remote);
  cudaEvent_t e;
  for (unsigned f : {0u, 1u, 2u, 3u, 4u, 6u, 7u, 8u, 16u}) {
    cudaError_t r = cudaEventCreateWithFlags(&e, f);
    printf("event flags %u: %s\n", f, cudaGetErrorName(r));
  }
  CK(cudaEventCreate(&e));
  E(cudaEventQuery(e));
  E(cudaEventSynchronize(e));
  E(cudaStreamWaitEvent(s, e, 0));
  E(cudaEventRecordWithFlags(e, s, cudaEventRecordDefault));
  E(cudaEventRecordWithFlags(e, s, 4));
  E(cudaEventRecordWithFlags(e, s, cudaEventRecordExternal));
  E(cudaStreamWaitEvent(s, e, 2));
  E(cudaEventDestroy(e));
  cudaEvent_t a, b;
  CK(cudaEventCreate(&a));
  CK(cudaEventCreate(&b));
  CK(cudaEventRecord(a, s));
  CK(cudaEventRecord(b, t));
  CK(cudaStreamSynchronize(s));
  CK(cudaStreamSynchronize(t));
  float ms;
  E(cudaEventElapsedTime(&ms, a, b));
  CK(cudaEventRecord(a, s));
  CK(cudaStreamSynchronize(s));
  E(cudaEventElapsedTime(&ms, a, a));
  printf("%g\n", ms);
  cudaIpcEventHandle_t ih;
  E(cudaIpcGetEventHandle(&ih, a));
  cudaIpcMemHandle_t mh;
  E(cudaIpcGetMemHandle(&mh, d));
  void *op;
  E(cudaIpcOpenMemHandle(&op, mh, cudaIpcMemLazyEnablePeerAccess));
  E(cudaIpcCloseMemHandle(d));
  E(cudaStreamQuery(s));
  CK(cudaStreamDestroy(s));
  return 0;
}
