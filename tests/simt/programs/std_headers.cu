// SPDX-License-Identifier: MIT
// The standard library on the host side of a CUDA file, and what of it is usable on the device.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <iostream>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t error = (call);                                                              \
    if (error != cudaSuccess) throw std::runtime_error(cudaGetErrorString(error));                 \
  } while (0)

template <typename T> struct Deleter {
  void operator()(T *p) const { cudaFree(p); }
};
template <typename T> static std::unique_ptr<T, Deleter<T>> make_device(size_t n) {
  T *p = nullptr;
  CHECK(cudaMalloc(&p, n * sizeof(T)));
  return std::unique_ptr<T, Deleter<T>>(p);
}

constexpr int square(int x) { return x * x; }
__host__ __device__ float blend(float a, float b, float t) { return fmaf(t, b - a, a); }

template <typename T> __device__ void exchange(T &a, T &b) {
  T c = a;
  a = b;
  b = c;
}

template <typename T> __global__ void kernel(T *out, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  static_assert(std::is_arithmetic<T>::value, "numbers only");
  std::array<T, 4> four = {T(1), T(2), T(3), T(4)};
  T x = std::max(T(i), T(3)) + std::min(T(i), T(5)) + four[i % 4];
  x += std::numeric_limits<T>::max() > T(100) ? T(square(3)) : T(0);
  exchange(x, four[0]);
  out[i] = four[0];
}
int main() {
  std::vector<double> host(8);
  auto device = make_device<double>(host.size());
  kernel<<<1, 32>>>(device.get(), (int)host.size());
  CHECK(cudaMemcpy(host.data(), device.get(), host.size() * sizeof(double), cudaMemcpyDefault));
  std::cout << "sum " << std::accumulate(host.begin(), host.end(), 0.0) << ", largest "
            << *std::max_element(host.begin(), host.end()) << "\n";
  std::map<std::string, int> counts{{"a", 1}, {"b", 2}};
  std::shared_ptr<int> shared = std::make_shared<int>(7);
  std::function<int(int)> twice = [](int x) { return 2 * x; };
  std::mt19937 random(42);
  std::cout << counts["b"] + *shared + twice(4) << " " << random() % 1000 << " "
            << blend(1.0f, 3.0f, 0.25f) << " " << std::string(3, 'x') << std::endl;
  try {
    CHECK(cudaMemcpy(nullptr, host.data(), 8, cudaMemcpyHostToDevice));
  } catch (const std::exception &e) { std::cout << "caught: " << e.what() << "\n"; }
  return 0;
}
