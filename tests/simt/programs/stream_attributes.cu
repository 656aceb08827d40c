// SPDX-License-Identifier: MIT
//
// Attributes of streams and of graphs' kernels, advice on managed memory, copies in a batch, entry
// points of the driver API: what is set comes back, and results stay what they are.
#include <cstdio>

__global__ void twice(float *a, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] *= 2;
}

static const char *name(cudaError_t error) {
  cudaGetLastError();
  return cudaGetErrorName(error);
}

static void windows(float *a, size_t bytes) {
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaStreamAttrValue set = {}, got = {};
  set.accessPolicyWindow.base_ptr = a;
  set.accessPolicyWindow.num_bytes = bytes;
  set.accessPolicyWindow.hitRatio = 0.5f;
  set.accessPolicyWindow.hitProp = cudaAccessPropertyPersisting;
  set.accessPolicyWindow.missProp = cudaAccessPropertyStreaming;
  printf("limit: %s\n", name(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 1 << 20)));
  printf("window: %s\n",
         name(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &set)));
  twice<<<4, 256, 0, s>>>(a, 1000);
  printf("copied: %s, ", name(cudaStreamCopyAttributes(t, s)));
  printf("read: %s\n",
         name(cudaStreamGetAttribute(t, cudaStreamAttributeAccessPolicyWindow, &got)));
  printf("%d %d %g %d %d\n", got.accessPolicyWindow.base_ptr == a,
         got.accessPolicyWindow.num_bytes == bytes, got.accessPolicyWindow.hitRatio,
         got.accessPolicyWindow.hitProp, got.accessPolicyWindow.missProp);
  set.accessPolicyWindow.hitRatio = 1.5f;
  printf("more than all: %s\n",
         name(cudaStreamSetAttribute(s, cudaStreamAttributeAccessPolicyWindow, &set)));
  set = {};
  set.syncPolicy = cudaSyncPolicyYield;
  printf("policy: %s, ",
         name(cudaStreamSetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &set)));
  cudaStreamGetAttribute(s, cudaStreamAttributeSynchronizationPolicy, &got);
  printf("%d\n", got.syncPolicy);
  printf("reset: %s\n", name(cudaCtxResetPersistingL2Cache()));
  cudaStreamDestroy(s);
  cudaStreamDestroy(t);
}

static void advice() {
  int *m, read_mostly = 9, preferred = 9, prefetched = 9, accessors[3] = {9, 9, 9};
  cudaMallocManaged(&m, 1 << 20);
  cudaMemLocation here = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  printf("advise: %s, ", name(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetReadMostly, here)));
  printf("%s, ", name(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetPreferredLocation, host)));
  printf("%s\n", name(cudaMemAdvise(m, 1 << 20, cudaMemAdviseSetAccessedBy, here)));
  printf("prefetch: %s\n", name(cudaMemPrefetchAsync(m, 1 << 20, here, 0)));
  cudaDeviceSynchronize();
  cudaMemRangeGetAttribute(&read_mostly, 4, cudaMemRangeAttributeReadMostly, m, 1 << 20);
  cudaMemRangeGetAttribute(&preferred, 4, cudaMemRangeAttributePreferredLocation, m, 1 << 20);
  cudaMemRangeGetAttribute(&prefetched, 4, cudaMemRangeAttributeLastPrefetchLocation, m, 1 << 20);
  cudaMemRangeGetAttribute(accessors, 12, cudaMemRangeAttributeAccessedBy, m, 1 << 20);
  printf("read mostly %d, preferred %d, last prefetch %d, accessed by %d %d %d\n", read_mostly,
         preferred, prefetched, accessors[0], accessors[1], accessors[2]);
  printf("wrong size: %s\n", name(cudaMemRangeGetAttribute(
                                 &preferred, 8, cudaMemRangeAttributePreferredLocation, m, 4)));
  cudaFree(m);
}

int main() {
  float *a, host[4] = {};
  cudaMalloc(&a, 4096);
  cudaMemset(a, 0, 4096);
  const float one = 1.5f;
  cudaMemcpy(a, &one, sizeof one, cudaMemcpyHostToDevice);
  windows(a, 4096);
  cudaDeviceSynchronize();
  cudaMemcpy(host, a, sizeof host, cudaMemcpyDeviceToHost);
  printf("%g %g\n", host[0], host[1]);
  advice();
  int (*count)(int *) = nullptr, n = 0;
  cudaDriverEntryPointQueryResult status;
  printf("entry point: %s",
         name(cudaGetDriverEntryPointByVersion("cuDeviceGetCount", (void **)&count, 12000,
                                               cudaEnableDefault, &status)));
  printf(", %d, ", status);
  printf("%d\n", count && count(&n) == 0 && n >= 1);
  cudaFree(a);
}
