// SPDX-License-Identifier: MIT
// peak.cu - the read ceiling of a real GPU: how fast it can read memory when nothing else is done.
// Built for the CUDA backend only. The buffer is far larger than any L2; the best of several reads
// counts, because a ceiling that other work pushed down would flatter the kernels under it.
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "device.h"

static const size_t buffer_bytes = (size_t)512 << 20;

// Four 16-byte loads in flight per thread. The sum is never -1, so that nothing is written, but the
// compiler cannot know.
__global__ void read_all(const float4 *in, size_t n, float *out) {
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  float sum = 0.0f;
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i + 3 * stride < n;
       i += 4 * stride) {
    const float4 a = in[i], b = in[i + stride], c = in[i + 2 * stride], d = in[i + 3 * stride];
    sum += (a.x + b.x + c.x + d.x) + (a.y + b.y + c.y + d.y);
    sum += (a.z + b.z + c.z + d.z) + (a.w + b.w + c.w + d.w);
  }
  if (sum == -1.0f) *out = sum;
}

static float best_of_ten_ms(float *buffer, int n_blocks, cudaEvent_t begin, cudaEvent_t end) {
  float best_ms = 0.0f;
  for (int i = 0; i < 11; i++) { // the first one warms up
    float ms = 0.0f;
    cudaEventRecord(begin, 0);
    read_all<<<n_blocks, 256>>>((const float4 *)buffer, buffer_bytes / sizeof(float4), buffer);
    cudaEventRecord(end, 0);
    if (!WB_OK(cudaEventSynchronize(end)) || !WB_OK(cudaEventElapsedTime(&ms, begin, end)))
      return 0.0f;
    if (i > 0 && (best_ms == 0.0f || ms < best_ms)) best_ms = ms;
  }
  return best_ms;
}

extern "C" double wb_measure_read_gb_per_s(void) {
  float *buffer = NULL;
  cudaEvent_t begin = NULL, end = NULL;
  int n_multiprocessors = 0;
  float ms = 0.0f;
  if (cudaMalloc((void **)&buffer, buffer_bytes) != cudaSuccess) {
    cudaGetLastError(); // too little memory left: no ceiling, and no error of the lesson's
    return 0.0;
  }
  if (WB_OK(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, 0)) &&
      WB_OK(cudaMemset(buffer, 0, buffer_bytes)) && WB_OK(cudaEventCreate(&begin)) &&
      WB_OK(cudaEventCreate(&end))) {
    ms = best_of_ten_ms(buffer, 8 * n_multiprocessors, begin, end);
  }
  if (begin != NULL) cudaEventDestroy(begin);
  if (end != NULL) cudaEventDestroy(end);
  cudaFree(buffer);
  return ms > 0.0f ? (double)buffer_bytes / ((double)ms * 1e6) : 0.0;
}
