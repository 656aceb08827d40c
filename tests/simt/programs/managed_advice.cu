// SPDX-License-Identifier: MIT
//
// Advice for managed memory, prefetching, and what is read back of both.
#include <cuda_runtime.h>
#include "runtime_calls.h"

__global__ void sum(const int *p, int n, int *out) {
  int s = 0;
  for (int i = 0; i < n; i++) s += p[i];
  *out = s;
}
int main() {
  const int N = 4096;
  int *p, *q;
  CK(cudaMallocManaged(&p, N * 4));
  CK(cudaMallocManaged(&q, 4096));
  for (int i = 0; i < N; i++) p[i] = i & 15;
  cudaMemLocation dev = {cudaMemLocationTypeDevice, 0}, host = {cudaMemLocationTypeHost, 0};
  E(cudaMemAdvise(p, N * 4, cudaMemAdviseSetReadMostly, dev));
  E(cudaMemAdvise(p, N * 4, cudaMemAdviseSetPreferredLocation, dev));
  E(cudaMemAdvise(p, N * 4, cudaMemAdviseSetAccessedBy, host));
  int rm = -1, plt = -1, pli = -1, lpt = -1, lpi = -1, ab[2] = {-9, -9}, pl = -9, lp = -9;
  void *data[] = {&rm, ab, &pl, &lp};
  size_t sz[] = {4, 8, 4, 4};
  cudaMemRangeAttribute at[] = {cudaMemRangeAttributeReadMostly, cudaMemRangeAttributeAccessedBy,
                                cudaMemRangeAttributePreferredLocation,
                                cudaMemRangeAttributeLastPrefetchLocation};
  E(cudaMemRangeGetAttributes(data, sz, at, 4, p, N * 4));
  printf("rm %d ab %d %d pl %d lp %d\n", rm, ab[0], ab[1], pl, lp);
  E(cudaMemPrefetchAsync(p, N * 4, dev, 0, 0));
  CK(cudaDeviceSynchronize());
  E(cudaMemRangeGetAttribute(&lpt, 4, cudaMemRangeAttributeLastPrefetchLocationType, p, N * 4));
  printf("%d\n", lpt);
  E(cudaMemRangeGetAttribute(&lpi, 4, cudaMemRangeAttributeLastPrefetchLocationId, p, N * 4));
  printf("%d\n", lpi);
  E(cudaMemRangeGetAttribute(&plt, 4, cudaMemRangeAttributePreferredLocationType, p, N * 4));
  printf("%d\n", plt);
  E(cudaMemRangeGetAttribute(&pli, 4, cudaMemRangeAttributePreferredLocationId, p, N * 4));
  printf("%d\n", pli);
  sum<<<1, 1>>>(p, N, q);
  CK(cudaDeviceSynchronize());
  printf("%d\n", *q);
  E(cudaMemPrefetchAsync(p, N * 4, host, 0, 0));
  CK(cudaDeviceSynchronize());
  E(cudaMemRangeGetAttribute(&lpt, 4, cudaMemRangeAttributeLastPrefetchLocationType, p, N * 4));
  printf("%d\n", lpt);
  E(cudaMemAdvise(p, N * 4, cudaMemAdviseUnsetReadMostly, dev));
  E(cudaMemAdvise(p, N * 4, cudaMemAdviseUnsetPreferredLocation, dev));
  E(cudaMemAdvise(p, N * 4, cudaMemAdviseUnsetAccessedBy, host));
  E(cudaMemRangeGetAttributes(data, sz, at, 4, p, N * 4));
  printf("rm %d ab %d %d pl %d\n", rm, ab[0], ab[1], pl);
  E(cudaMemAdvise(p, 0, cudaMemAdviseSetReadMostly, dev));
  int *d;
  CK(cudaMalloc(&d, 64));
  E(cudaMemAdvise(d, 64, cudaMemAdviseSetReadMostly, dev));
  E(cudaMemPrefetchAsync(d, 64, dev, 0, 0));
  E(cudaMemRangeGetAttribute(&rm, 3, cudaMemRangeAttributeReadMostly, p, 4096));
  dev.id = 5;
  E(cudaMemPrefetchAsync(p, 64, dev, 0, 0));
  E(cudaMemAdvise(p, 64, cudaMemAdviseSetPreferredLocation, dev));
  E(cudaGetLastError());
  return 0;
}
