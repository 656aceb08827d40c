// SPDX-License-Identifier: MIT
// Launches with clusters: which sizes a launch may have and what the error is when it may not, what
// kernels say of themselves, and how many clusters fit. All as an H200 answers.
// flags: -arch=sm_90
#include <cstdio>
#include <cuda_runtime.h>

// What a block knows of its cluster: whether the launch asked for it, its size, the block's rank.
__device__ unsigned place() {
  unsigned size, rank, is_asked_for;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(size));
  asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
  asm("{.reg .pred p; mov.pred p, %%is_explicit_cluster; selp.u32 %0, 1, 0, p;}"
      : "=r"(is_asked_for));
  return is_asked_for << 16 | size << 8 | rank;
}
__global__ void any_size(unsigned *out) {
  if (threadIdx.x == 0) out[blockIdx.x + gridDim.x * blockIdx.y] = place();
}
__global__ void __cluster_dims__(2, 1, 1) pairs(unsigned *out) {
  if (threadIdx.x == 0) out[blockIdx.x + gridDim.x * blockIdx.y] = place();
}
__global__ void large(unsigned *out) {
  extern __shared__ unsigned shared[];
  shared[threadIdx.x] = 1;
  out[0] = shared[0];
}

static unsigned *out;

static cudaLaunchConfig_t configuration(dim3 grid, dim3 block, size_t shared_bytes, dim3 cluster,
                                        cudaLaunchAttribute *attribute) {
  cudaLaunchConfig_t config = {};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared_bytes;
  attribute->id = cudaLaunchAttributeClusterDimension;
  attribute->val.clusterDim.x = cluster.x;
  attribute->val.clusterDim.y = cluster.y;
  attribute->val.clusterDim.z = cluster.z;
  config.attrs = attribute;
  config.numAttrs = 1;
  return config;
}

template <typename Kernel>
static void launch(const char *name, Kernel *kernel, dim3 grid, dim3 cluster, unsigned threads = 32,
                   size_t shared_bytes = 0) {
  cudaLaunchAttribute attribute;
  cudaLaunchConfig_t config = configuration(grid, threads, shared_bytes, cluster, &attribute);
  cudaError_t error = cudaLaunchKernelEx(&config, kernel, out);
  cudaError_t later = cudaDeviceSynchronize();
  cudaGetLastError();
  printf("%s, grid %u,%u, clusters of %u,%u,%u: %s\n", name, grid.x, grid.y, cluster.x, cluster.y,
         cluster.z, cudaGetErrorName(error ? error : later));
}

template <typename Kernel> static void describe(const char *name, Kernel *kernel) {
  cudaFuncAttributes a;
  cudaFuncGetAttributes(&a, kernel);
  printf("%s: must be set %d, required %d %d %d, policy %d, non-portable %d\n", name,
         a.clusterDimMustBeSet, a.requiredClusterWidth, a.requiredClusterHeight,
         a.requiredClusterDepth, a.clusterSchedulingPolicyPreference,
         a.nonPortableClusterSizeAllowed);
}

template <typename Kernel>
static void set(const char *name, Kernel *kernel, cudaFuncAttribute attribute, int value) {
  cudaError_t error = cudaFuncSetAttribute(kernel, attribute, value);
  cudaGetLastError();
  printf("%s, attribute %d = %d: %s\n", name, (int)attribute, value, cudaGetErrorName(error));
}

template <typename Kernel>
static void occupancy(const char *name, Kernel *kernel, unsigned grid, unsigned threads,
                      size_t shared_bytes, unsigned cluster) {
  cudaLaunchAttribute attribute;
  cudaLaunchConfig_t config = configuration(grid, threads, shared_bytes, dim3(cluster), &attribute);
  if (!cluster) config.numAttrs = 0;
  int clusters = -1, size = -1;
  cudaError_t active = cudaOccupancyMaxActiveClusters(&clusters, kernel, &config);
  cudaError_t potential = cudaOccupancyMaxPotentialClusterSize(&size, kernel, &config);
  cudaGetLastError();
  printf("%s, %u blocks of %u threads and %zu bytes, clusters of %u: %d (%s), at most %d (%s)\n",
         name, grid, threads, shared_bytes, cluster, clusters, cudaGetErrorName(active), size,
         cudaGetErrorName(potential));
}

static void sizes() {
  launch("any", any_size, 4, 2);
  launch("any", any_size, 5, 2);
  launch("any", any_size, 16, 16);
  launch("any", any_size, 9, 9);
  launch("any", any_size, 3, 3);
  launch("any", any_size, 32, 32);
  launch("any", any_size, 4, dim3(0, 1, 1));
  launch("any", any_size, 4, dim3(2, 0, 1));
  launch("any", any_size, 4, 1);
  launch("any", any_size, dim3(4, 4), dim3(2, 2));
  launch("any", any_size, dim3(4, 4), dim3(1, 8));
  launch("any", any_size, dim3(4, 3), dim3(2, 2));
  launch("any", any_size, 4, 2, 2048);
  launch("any", any_size, 4, 2, 32, 300000);
  launch("pairs", pairs, 4, 2);
  launch("pairs", pairs, 4, 4);
  launch("pairs", pairs, 4, 1);
}

static void chevrons() {
  unsigned host[4];
  pairs<<<4, 32>>>(out);
  printf("pairs<<<4>>>: %s", cudaGetErrorName(cudaGetLastError()));
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf(" %x %x %x %x\n", host[0], host[1], host[2], host[3]);
  pairs<<<5, 32>>>(out);
  printf("pairs<<<5>>>: %s\n", cudaGetErrorName(cudaGetLastError()));
  any_size<<<4, 32>>>(out);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("any_size<<<4>>>: %x %x %x %x\n", host[0], host[1], host[2], host[3]);
  launch("any", any_size, 4, 1);
  cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("clusters of one: %x %x %x %x\n", host[0], host[1], host[2], host[3]);
  void *arguments[] = {&out};
  cudaError_t error = cudaLaunchCooperativeKernel(pairs, 4, 32, arguments);
  printf("cooperative pairs: %s\n", cudaGetErrorName(error));
}

static void attributes() {
  set("any", any_size, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  launch("any", any_size, 16, 16);
  launch("any", any_size, 12, 12);
  launch("any", any_size, 32, 32);
  set("any", any_size, cudaFuncAttributeNonPortableClusterSizeAllowed, 2);
  set("any", any_size, cudaFuncAttributeClusterSchedulingPolicyPreference, 1);
  set("any", any_size, cudaFuncAttributeClusterSchedulingPolicyPreference, 9);
  set("any", any_size, cudaFuncAttributeClusterDimMustBeSet, 1);
  set("any", any_size, cudaFuncAttributeRequiredClusterWidth, 2);
  describe("any", any_size);
  any_size<<<4, 32>>>(out); // height and depth are 0
  printf("any_size<<<4>>> of width 2: %s\n", cudaGetErrorName(cudaGetLastError()));
  set("pairs", pairs, cudaFuncAttributeRequiredClusterWidth, 4);
  describe("pairs", pairs);
}

static void fitting() {
  const unsigned cluster[] = {1, 2, 3, 4, 5, 6, 7, 8, 16};
  const size_t shared_bytes[] = {0, 50000, 100000, 200000};
  cudaFuncSetAttribute(large, cudaFuncAttributeMaxDynamicSharedMemorySize, 231424);
  for (unsigned c : cluster)
    for (size_t bytes : shared_bytes) occupancy("large", large, 4 * c, 256, bytes, c);
  for (unsigned threads = 32; threads <= 1024; threads *= 2)
    occupancy("large", large, 16, threads, 0, 8);
  cudaFuncSetAttribute(large, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  for (size_t bytes : shared_bytes) occupancy("large, non-portable", large, 64, 256, bytes, 16);
  occupancy("large, non-portable", large, 32, 256, 0, 8);
  occupancy("large, non-portable", large, 7, 256, 0, 2);
  occupancy("large, non-portable", large, 8, 256, 0, 0);
  occupancy("pairs", pairs, 8, 256, 0, 0);
  occupancy("pairs", pairs, 8, 256, 0, 4);
}

int main() {
  int value;
  cudaMalloc(&out, 4096);
  cudaDeviceGetAttribute(&value, cudaDevAttrClusterLaunch, 0);
  printf("clusters: %d\n", value);
  describe("any", any_size);
  describe("pairs", pairs);
  sizes();
  chevrons();
  attributes();
  fitting();
  cudaFree(out);
}
