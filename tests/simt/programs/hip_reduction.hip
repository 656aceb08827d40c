// SPDX-License-Identifier: MIT
// A reduction as HIP's tutorials write it: kernels templated on the width of a warp, which the
// host asks the device for; shuffles and ballots without a mask; hipcc's flags.
// simtcc: --offload-arch=gfx90a --rocm-path=/opt/rocm -munsafe-fp-atomics -fno-gpu-rdc
// hardware: a GPU's name and modelled time differ
#include <hip/hip_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define HIP_CHECK(call)                                                                            \
  do {                                                                                             \
    const hipError_t error = (call);                                                               \
    if (error != hipSuccess) {                                                                     \
      printf("%s: %s (%s)\n", #call, hipGetErrorString(error), hipGetErrorName(error));            \
      exit(1);                                                                                     \
    }                                                                                              \
  } while (0)

template <unsigned BlockSize, unsigned WarpSize>
__global__ __launch_bounds__(BlockSize) void sum(const int *in, int *out, int n) {
  __shared__ int shared[BlockSize / WarpSize];
  const unsigned thread = hipThreadIdx_x, lane = thread % WarpSize, warp = thread / WarpSize;
  const int i = hipBlockIdx_x * hipBlockDim_x + thread;
  int value = i < n ? in[i] : 0;
  for (int delta = WarpSize / 2; delta > 0; delta /= 2) value += __shfl_down(value, delta);
  if (lane == 0) shared[warp] = value;
  __syncthreads();
  if (warp == 0) {
    value = lane < BlockSize / WarpSize ? shared[lane] : 0;
    for (int delta = WarpSize / 2; delta > 0; delta /= 2) value += __shfl_down(value, delta);
    if (lane == 0) atomicAdd(out, value);
  }
}

__global__ void lanes(unsigned long long *out) {
  HIP_DYNAMIC_SHARED(int, seen)
  const int lane = __lane_id();
  const unsigned long long odd = __ballot(lane % 2);
  seen[lane] =
      __shfl(lane * 10, 3) + __shfl_up(lane, 1) + __shfl_xor(lane, 2) + __shfl_down(lane, 1, 16);
  __syncthreads();
  if (lane == 0) {
    out[0] = odd;
    out[1] = seen[17];
    out[2] = __popcll(odd) * 100 + __any(lane == 5) * 10 + __all(lane == 0);
  }
  if (lane < 3) out[3] = __ballot(1); // the lanes that execute it together
}

template <unsigned WarpSize> int launch(const int *in, int *out, int n) {
  HIP_CHECK(hipMemset(out, 0, sizeof(int)));
  hipLaunchKernelGGL(HIP_KERNEL_NAME(sum<256, WarpSize>), dim3((n + 255) / 256), dim3(256), 0, 0,
                     in, out, n);
  HIP_CHECK(hipGetLastError());
  int result = 0;
  HIP_CHECK(hipMemcpy(&result, out, sizeof result, hipMemcpyDeviceToHost));
  return result;
}

int main() {
  hipDeviceProp_t properties;
  HIP_CHECK(hipGetDeviceProperties(&properties, 0));
  printf("warps of %d lanes\n", properties.warpSize);

  const int n = 100000;
  std::vector<int> host(n);
  long long expected = 0;
  for (int i = 0; i < n; i++) expected += host[i] = i % 1000;
  int *in, *out;
  HIP_CHECK(hipMalloc(&in, n * sizeof(int)));
  HIP_CHECK(hipMalloc((void **)&out, sizeof(int)));
  HIP_CHECK(hipMemcpy(in, host.data(), n * sizeof(int), hipMemcpyHostToDevice));

  hipEvent_t start, stop;
  HIP_CHECK(hipEventCreate(&start));
  HIP_CHECK(hipEventCreate(&stop));
  HIP_CHECK(hipEventRecord(start, hipStreamDefault));
  const int result = properties.warpSize == 32 ? launch<32>(in, out, n) : -1;
  HIP_CHECK(hipEventRecord(stop, hipStreamDefault));
  HIP_CHECK(hipEventSynchronize(stop));
  float ms = 0;
  HIP_CHECK(hipEventElapsedTime(&ms, start, stop));
  printf("sum %d, expected %lld, time %s\n", result, expected, ms > 0 ? "passed" : "missing");

  unsigned long long *bits;
  HIP_CHECK(hipHostMalloc(&bits, 4 * sizeof *bits, hipHostMallocCoherent));
  lanes<<<1, 32, 32 * sizeof(int)>>>(bits);
  HIP_CHECK(hipDeviceSynchronize());
  printf("odd %llx, lane 17: %llu, votes %llu, three lanes %llx\n", bits[0], bits[1], bits[2],
         bits[3]);
  HIP_CHECK(hipHostFree(bits));
  HIP_CHECK(hipEventDestroy(start));
  HIP_CHECK(hipEventDestroy(stop));
  HIP_CHECK(hipFree(in));
  HIP_CHECK(hipFree(out));
  return result == expected ? 0 : 1;
}
