// SPDX-License-Identifier: MIT
//
// Ranges that are prefetched, discarded and copied, many in one call.
#include <cuda_runtime.h>
#include "runtime_calls.h"

int main() {
  // prefetch and discard in batches, copies in batches
  cudaStream_t s;
  CK(cudaStreamCreate(&s));
  int *m[3];
  void *ptr[3];
  size_t sz[3];
  for (int i = 0; i < 3; i++) {
    CK(cudaMallocManaged(&m[i], 4096));
    for (int k = 0; k < 1024; k++) m[i][k] = i * 1000 + k;
    ptr[i] = m[i];
    sz[i] = 4096;
  }
  cudaMemLocation loc[2] = {{cudaMemLocationTypeDevice, 0}, {cudaMemLocationTypeHost, 0}};
  size_t idx[2] = {0, 2};
  E(cudaMemPrefetchBatchAsync(ptr, sz, 3, loc, idx, 2, 0, s));
  CK(cudaStreamSynchronize(s));
  int t[3];
  for (int i = 0; i < 3; i++) {
    CK(cudaMemRangeGetAttribute(&t[i], 4, cudaMemRangeAttributeLastPrefetchLocationType, m[i],
                                4096));
  }
  printf("%d %d %d\n", t[0], t[1], t[2]);
  printf("%d %d %d\n", m[0][5], m[1][6], m[2][7]);
  size_t bad[2] = {1, 2};
  E(cudaMemPrefetchBatchAsync(ptr, sz, 3, loc, bad, 2, 0, s));
  E(cudaMemPrefetchBatchAsync(ptr, sz, 0, loc, idx, 2, 0, s));
  E(cudaMemPrefetchBatchAsync(ptr, sz, 3, loc, idx, 2, 1, s));
  int *d[3], h[3][8], o[3][8];
  void *dst[3];
  const void *src[3];
  size_t cs[3] = {32, 16, 8};
  for (int i = 0; i < 3; i++) {
    CK(cudaMalloc(&d[i], 32));
    CK(cudaMemset(d[i], 0xff, 32));
    for (int k = 0; k < 8; k++) h[i][k] = i * 10 + k;
    dst[i] = d[i];
    src[i] = h[i];
  }
  cudaMemcpyAttributes at = {};
  at.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  size_t ai = 0;
  E(cudaMemcpyBatchAsync(dst, src, cs, 3, &at, &ai, 1, s));
  CK(cudaStreamSynchronize(s));
  for (int i = 0; i < 3; i++) {
    CK(cudaMemcpy(o[i], d[i], 32, cudaMemcpyDeviceToHost));
    for (int k = 0; k < 8; k++) printf("%d ", o[i][k]);
    printf("\n");
  }
  E(cudaMemDiscardBatchAsync(ptr, sz, 3, 0, s));
  CK(cudaStreamSynchronize(s));
  for (int k = 0; k < 1024; k++) m[0][k] = k;
  size_t z = 0;
  E(cudaMemDiscardAndPrefetchBatchAsync(ptr + 1, sz + 1, 2, loc, &z, 1, 0, s));
  CK(cudaStreamSynchronize(s));
  CK(cudaMemset(m[1], 0, 4096));
  CK(cudaDeviceSynchronize());
  printf("%d %d\n", m[0][77], m[1][3]);
  E(cudaMemPrefetchBatchAsync(ptr, sz, 3, loc, idx, 2, 0, 0));
  E(cudaMemcpyBatchAsync(dst, src, cs, 3, &at, &ai, 1, 0));
  void *dd[1] = {d[0]};
  size_t ds[1] = {32};
  E(cudaMemDiscardBatchAsync(dd, ds, 1, 0, s));
  return 0;
}
