// SPDX-License-Identifier: MIT
// C++11, which build files of ten years ago ask for, and the toolkit's folder of headers, which
// they name, too. nvcc has its own.
// simtcc: -std=c++11 -I toolkit
// nvcc: -DFROM_TOOLKIT=4
#include <algorithm>
#include <cooperative_groups.h>
#include <cstdio>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

#ifndef FROM_TOOLKIT
#include "beside.h"
#endif

template <typename T> __device__ T first_of(const std::pair<T, T> &pair) { return pair.first; }

__global__ void kernel(int *out) {
  std::tuple<int, float> one(1, 2.f), two(one);
  std::pair<int, int> pair(3, FROM_TOOLKIT);
  auto product = [](int a, int b) { return a * b; };
  cooperative_groups::thread_block block = cooperative_groups::this_thread_block();
  out[block.thread_rank()] = product(std::get<0>(two), first_of(pair)) + pair.second +
                             (int)__half2float(__float2half(std::get<1>(two)));
}

int main() {
  int *device, host[4];
  cudaMalloc(&device, sizeof host);
  kernel<<<1, 4>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(device);
  std::vector<int> values(host, host + 4);
  std::sort(values.begin(), values.end());
  std::vector<int> moved = std::move(values);
  std::map<int, int> count;
  for (int value : moved) count[value]++;
  std::unique_ptr<int> all(new int(0));
  for (const auto &entry : count) *all += entry.second;
  printf("%d of %d\n", count[9], *all);
  return 0;
}
