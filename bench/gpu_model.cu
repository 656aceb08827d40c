// SPDX-License-Identifier: MIT
// gpu_model.cu - times the kernels of model_kernels.cuh on a real GPU. Not part of the build:
// compile it with `nvcc -O3 -arch=native bench/gpu_model.cu -o /tmp/gpu_model`, run it on a GPU and
// store its output under figures/data/ with a header that says where it was made.
//
// Method: event-timed single launches, median of 15, each on a part of a 1 GiB buffer that the
// launches before it did not touch (rotation), so that the L2 cache is cold for n <= 2^26. A kernel
// that only waits is launched first, so that both events and the launch are queued before the first
// begins and the host's own delays are not measured.
#include "model_kernels.cuh"

#include <algorithm>
#include <cstdio>
#include <vector>

__global__ void wait_a_while() {
  for (int k = 0; k < 300; k++) __nanosleep(1000);
}

static std::vector<float> sample(const Variant &v, Arguments a, float *x, cudaEvent_t begin,
                                 cudaEvent_t end) {
  std::vector<float> ms;
  const uint64_t total = 1ull << 28;
  uint64_t at = 0;
  for (int k = 0; k < 17; k++) {
    a.x = x + at;
    at = (at + a.n) % total;
    wait_a_while<<<1, 1>>>();
    cudaEventRecord(begin);
    v.launch(a);
    cudaEventRecord(end);
    cudaEventSynchronize(end);
    float elapsed;
    cudaEventElapsedTime(&elapsed, begin, end);
    if (k >= 2) ms.push_back(elapsed);
  }
  std::sort(ms.begin(), ms.end());
  return ms;
}

int main() {
  float *x, *y;
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  if (cudaMalloc(&x, 1ull << 30) != cudaSuccess || cudaMalloc(&y, 1ull << 30) != cudaSuccess)
    return 1;
  std::vector<float> host(1u << 24);
  for (uint32_t i = 0; i < host.size(); i++) host[i] = (float)(i * 2654435761u >> 16 & 255u);
  for (int k = 0; k < 16; k++)
    cudaMemcpy(x + ((size_t)k << 24), host.data(), host.size() * 4, cudaMemcpyHostToDevice);
  int n_sms = 0;
  cudaDeviceGetAttribute(&n_sms, cudaDevAttrMultiProcessorCount, 0);
  printf("kernel,n,block,grid,median_ms,p10_ms,p90_ms\n");
  for (const Variant &v : model_variants) {
    for (uint32_t log2_n = 20; log2_n <= v.max_log2_n; log2_n += 2) {
      for (uint32_t block = v.all_blocks ? 128 : 256; block <= (v.all_blocks ? 1024u : 256u);
           block *= 2) {
        Arguments a = {x, y, 1u << log2_n, 0, block};
        a.grid = model_grid(v, a.n, block, (uint32_t)n_sms);
        std::vector<float> ms = sample(v, a, x, begin, end);
        printf("%s,%u,%u,%u,%.5f,%.5f,%.5f\n", v.name, a.n, block, a.grid, ms[7], ms[1], ms[13]);
      }
    }
  }
  cudaError_t error = cudaDeviceSynchronize();
  if (error != cudaSuccess) fprintf(stderr, "%s\n", cudaGetErrorString(error));
  return error != cudaSuccess;
}
