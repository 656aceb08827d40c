// SPDX-License-Identifier: MIT
// repeated_launches.cu - kernels launched again and again, as programs do that measure times, with
// something changed between: the software GPU repeats what it knows (engine/repeat.c), and every
// value must be that of a launch that runs.
#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

#define CHECK(call)                                                                                \
  do {                                                                                             \
    const cudaError_t error = (call);                                                              \
    if (error) return printf("%s: %s\n", #call, cudaGetErrorName(error)), 1;                       \
  } while (0)

enum { N = 1 << 16, THREADS = 256, TURNS = 40, TIMES = 6 };

__constant__ unsigned weight = 3;

__device__ unsigned mix(unsigned x) {
  for (int turn = 0; turn < TURNS; turn++) x = x * 1664525u + 1013904223u;
  return x;
}

__global__ void map(const unsigned *x, unsigned *y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = mix(x[i]) * weight;
}

__global__ void total(const unsigned *x, unsigned *sum) {
  __shared__ unsigned part;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) part = 0;
  __syncthreads();
  atomicAdd(&part, mix(x[i]));
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(sum, part);
}

__global__ void look(cudaTextureObject_t texels, unsigned *y) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = mix(tex1Dfetch<unsigned>(texels, (int)i));
}

__global__ void step(unsigned *x) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  x[i] = mix(x[i]);
}

static unsigned sum_of(const unsigned *device) {
  static unsigned host[N];
  unsigned sum = 0;
  if (cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess) return 0;
  for (int i = 0; i < N; i++) sum = sum * 31 + host[i];
  return sum;
}

int main() {
  unsigned *x, *y, *sum, *shared;
  static unsigned host[N];
  for (unsigned i = 0; i < N; i++) host[i] = i;
  CHECK(cudaMalloc(&x, sizeof host));
  CHECK(cudaMalloc(&y, sizeof host));
  CHECK(cudaMalloc(&sum, sizeof *sum));
  CHECK(cudaMallocManaged(&shared, sizeof host));
  CHECK(cudaMemcpy(x, host, sizeof host, cudaMemcpyHostToDevice));

  for (int i = 0; i < TIMES; i++) map<<<N / THREADS, THREADS>>>(x, y);
  printf("map: %08x\n", sum_of(y));

  host[N - 1] = 7;
  CHECK(cudaMemcpy(x + N - 1, host + N - 1, sizeof *x, cudaMemcpyHostToDevice));
  for (int i = 0; i < TIMES; i++) {
    map<<<N / THREADS, THREADS>>>(x, y);
    if (i == 0) printf("after a change of the last element: %08x\n", sum_of(y));
  }
  printf("and again: %08x\n", sum_of(y));

  cudaTextureObject_t texels;
  cudaResourceDesc linear = {};
  cudaTextureDesc plainly = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = x;
  linear.res.linear.desc = cudaCreateChannelDesc<unsigned>();
  linear.res.linear.sizeInBytes = sizeof host;
  CHECK(cudaCreateTextureObject(&texels, &linear, &plainly, NULL));
  for (int i = 0; i < TIMES; i++) look<<<N / THREADS, THREADS>>>(texels, y);
  printf("through a texture: %08x\n", sum_of(y));
  CHECK(cudaMemset(x + N / 2, 1, sizeof *x));
  look<<<N / THREADS, THREADS>>>(texels, y);
  printf("after a change of a texel: %08x\n", sum_of(y));
  CHECK(cudaMemcpy(x + N / 2, host + N / 2, sizeof *x, cudaMemcpyHostToDevice));
  CHECK(cudaDestroyTextureObject(texels));

  const unsigned heavier = 5;
  CHECK(cudaMemcpyToSymbol(weight, &heavier, sizeof heavier));
  map<<<N / THREADS, THREADS>>>(x, y);
  printf("after a change of the constant: %08x\n", sum_of(y));

  for (int i = 0; i < TIMES; i++) {
    unsigned value;
    CHECK(cudaMemset(sum, 0, sizeof *sum));
    total<<<N / THREADS, THREADS>>>(x, sum);
    CHECK(cudaMemcpy(&value, sum, sizeof value, cudaMemcpyDeviceToHost));
    printf("total %d: %u\n", i, value);
  }
  for (int i = 0; i < TIMES; i++) total<<<N / THREADS, THREADS>>>(x, sum); // each on the one before
  unsigned value;
  CHECK(cudaMemcpy(&value, sum, sizeof value, cudaMemcpyDeviceToHost));
  printf("six more: %u\n", value);

  for (int i = 0; i < TIMES; i++) step<<<N / THREADS, THREADS>>>(x);
  printf("six steps in place: %08x\n", sum_of(x));

  for (int i = 0; i < TIMES; i++) { // what the host writes between is an input like any other
    for (int k = 0; k < N; k++) shared[k] = (unsigned)(i / 3 + k);
    map<<<N / THREADS, THREADS>>>(shared, y);
    CHECK(cudaDeviceSynchronize());
    printf("managed %d: %08x\n", i, sum_of(y));
  }
  CHECK(cudaDeviceSynchronize());
  return 0;
}
