// SPDX-License-Identifier: MIT
// Names of older CUDA versions: simtcc takes them and says what to write today.
// nvcc: skip
// warns: 'clockRate' is deprecated: ask cudaDeviceGetAttribute for cudaDevAttrClockRate
// warns: 'memoryClockRate' is deprecated: ask cudaDeviceGetAttribute
// warns: 'deviceOverlap' is deprecated: use asyncEngineCount
// warns: 'cudaThreadSynchronize' is deprecated: call cudaDeviceSynchronize
// warns: 'cudaMemPrefetchAsync' is deprecated: pass a cudaMemLocation and flags
// warns: 'cudaMemAdvise' is deprecated: pass a cudaMemLocation
// warns: is deprecated: call __shfl_sync with the mask of the lanes that take part
// warns: is deprecated: call __shfl_down_sync
// warns: '__ballot' is deprecated: call __ballot_sync
// warns: '__any' is deprecated: call __any_sync
// warns: '__all' is deprecated: call __all_sync
#include <cstdio>

__global__ void old_warp(int *out) {
  const int lane = threadIdx.x;
  int sum = lane;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down(sum, step);
  out[0] = __shfl(sum, 0);
  out[1 + lane] = __shfl_up(lane * 3, 1) + __shfl_xor(lane, 1, 4);
  out[33] = (int)__ballot(lane % 3 == 0);
  out[34] = __any(lane == 7) * 10 + __all(lane < 7);
  if (lane < 5) out[35] = (int)__ballot(1); // the lanes that are here
  const double half = __shfl_down(lane / 2.0, 1);
  if (lane == 8) out[36] = (int)(half * 100);
}

int main() {
  cudaDeviceProp properties;
  cudaGetDeviceProperties(&properties, 0);
  int khz = 0, memory_khz = 0;
  cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0);
  cudaDeviceGetAttribute(&memory_khz, cudaDevAttrMemoryClockRate, 0);
  printf("clocks %s\n", properties.clockRate == khz && khz > 0 &&
                                properties.memoryClockRate == memory_khz && memory_khz > 0
                            ? "agree"
                            : "differ");
  printf("overlap %d\n", properties.deviceOverlap);

  int *out;
  if (cudaMallocManaged(&out, 37 * sizeof(int)) != cudaSuccess) return 1;
  printf("advise %d\n", cudaMemAdvise(out, 37 * sizeof(int), cudaMemAdviseSetPreferredLocation, 0));
  printf("prefetch %d\n", cudaMemPrefetchAsync(out, 37 * sizeof(int), 0));
  old_warp<<<1, 32>>>(out);
  printf("synchronise %d\n", cudaThreadSynchronize());
  printf("back %d\n", cudaMemPrefetchAsync(out, 37 * sizeof(int), cudaCpuDeviceId, 0));
  for (int i = 0; i < 37; i++) printf("%d%c", out[i], i % 8 == 7 ? '\n' : ' ');
  printf("\n");
  cudaFree(out);
  return cudaThreadExit();
}
