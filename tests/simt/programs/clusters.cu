// SPDX-License-Identifier: MIT
// Thread block clusters: places in a cluster and in the grid, the barrier in one step and in two,
// pointers into other blocks' shared memory: plain, atomic, as vectors and as lanes of one access.
// flags: -arch=sm_90
#include <cooperative_groups.h>
#include <cstdio>
namespace cg = cooperative_groups;

// ---- Places.
struct place {
  dim3 block, blocks, thread, threads, cluster, clusters;
  unsigned rank, n_blocks, thread_rank, n_threads;
  unsigned long long cluster_rank, n_clusters;
  unsigned group_rank, group_size;
};
__global__ void __cluster_dims__(2, 3, 1) places(place *out) {
  cg::cluster_group cluster = cg::this_cluster();
  cg::grid_group grid = cg::this_grid();
  const unsigned block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  if (threadIdx.x != 5 || threadIdx.y != 1) return;
  const cg::thread_group group = cluster;
  out[block] = {cluster.block_index(),         cluster.dim_blocks(),  cluster.thread_index(),
                cluster.dim_threads(),         grid.cluster_index(),  grid.dim_clusters(),
                cluster.block_rank(),          cluster.num_blocks(),  cluster.thread_rank(),
                cluster.num_threads(),         grid.cluster_rank(),   grid.num_clusters(),
                (unsigned)group.thread_rank(), (unsigned)group.size()};
}
static void print(const char *name, dim3 d) { printf(" %s (%u,%u,%u)", name, d.x, d.y, d.z); }
static void show_places() {
  const dim3 grid(4, 3, 2), block(8, 2);
  place *out;
  cudaMallocManaged(&out, 24 * sizeof *out);
  places<<<grid, block>>>(out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 24; i += 5) {
    const place &p = out[i];
    printf("block %d:", i);
    print("block", p.block);
    print("of", p.blocks);
    print("thread", p.thread);
    print("of", p.threads);
    print("cluster", p.cluster);
    print("of", p.clusters);
    printf(" rank %u of %u, thread %u of %u, cluster %llu of %llu, group %u of %u\n", p.rank,
           p.n_blocks, p.thread_rank, p.n_threads, p.cluster_rank, p.n_clusters, p.group_rank,
           p.group_size);
  }
  cudaFree(out);
}

// ---- A histogram over the shared memory of all blocks, as in the CUDA programming guide.
template <int Blocks>
__global__ void __cluster_dims__(Blocks) histogram(int *bins, int n_bins, const int *in, int n) {
  extern __shared__ int part[];
  cg::cluster_group cluster = cg::this_cluster();
  const int per_block = n_bins / (int)cluster.num_blocks();
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) part[i] = 0;
  cluster.sync();
  for (int i = cg::this_grid().thread_rank(); i < n; i += gridDim.x * blockDim.x) {
    const int bin = in[i] % n_bins;
    int *there = cluster.map_shared_rank(part, bin / per_block);
    atomicAdd(&there[bin % per_block], 1);
  }
  cluster.sync(); // no block may leave, or read its bins, before all have counted
  int *mine = bins + cluster.block_rank() * per_block;
  for (int i = threadIdx.x; i < per_block; i += blockDim.x) atomicAdd(&mine[i], part[i]);
}
static void count() {
  enum { N = 20000, BINS = 64 };
  int *in, *bins;
  cudaMallocManaged(&in, N * sizeof *in);
  cudaMallocManaged(&bins, BINS * sizeof *bins);
  for (int i = 0; i < N; i++) in[i] = (int)((unsigned)i * 2654435761u >> 7);
  for (int i = 0; i < BINS; i++) bins[i] = 0;
  histogram<4><<<8, 128, BINS / 4 * sizeof(int)>>>(bins, BINS, in, N);
  printf("%s", cudaGetErrorName(cudaDeviceSynchronize()));
  int sum = 0, weighted = 0;
  for (int i = 0; i < BINS; i++) sum += bins[i], weighted += i * bins[i];
  printf(" %d values, %d weighted, bins %d %d %d\n", sum, weighted, bins[0], bins[17], bins[63]);
  cudaFree(in);
  cudaFree(bins);
}

// ---- A ring: each block reads its neighbour's vectors, works while it waits, and passes them on.
__global__ void ring(float4 *out, int rounds) {
  __shared__ float4 hand[64];
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), n = cluster.num_blocks();
  const float4 *next = cluster.map_shared_rank(hand, (int)((rank + 1) % n));
  hand[threadIdx.x] = make_float4(rank, threadIdx.x, blockIdx.x, 1);
  cluster.sync();
  float worked = 0;
  for (int round = 0; round < rounds; round++) {
    const float4 got = next[threadIdx.x];
    cg::cluster_group::arrival_token token = cluster.barrier_arrive();
    worked += got.w; // meanwhile
    cluster.barrier_wait(static_cast<cg::cluster_group::arrival_token &&>(token));
    hand[threadIdx.x] = got;
    cluster.sync();
  }
  float4 last = hand[threadIdx.x];
  last.w = worked;
  out[blockIdx.x * blockDim.x + threadIdx.x] = last;
  cluster.sync();
}

// ---- Lanes of one store go to different blocks; who owns what is asked afterwards.
__global__ void scatter(unsigned *out) {
  __shared__ unsigned slot[16], sum;
  cg::cluster_group cluster = cg::this_cluster();
  const unsigned rank = cluster.block_rank(), n = cluster.num_blocks();
  if (threadIdx.x == 0) sum = 0;
  cluster.sync();
  if (threadIdx.x < n)
    *cluster.map_shared_rank(&slot[rank], (int)threadIdx.x) = 100 * rank + threadIdx.x;
  atomicAdd(cluster.map_shared_rank(&sum, (int)(threadIdx.x % n)), rank + 1);
  cluster.sync();
  unsigned *const other = cluster.map_shared_rank(slot, (int)((rank + 1) % n));
  const unsigned spaces = __isShared(other) | __isClusterShared(other) << 1 |
                          __isCtaShared(slot) << 2 | __isClusterShared(slot) << 3 |
                          __isClusterShared(out) << 4;
  if (threadIdx.x < n) out[blockIdx.x * 32 + threadIdx.x] = slot[threadIdx.x];
  if (threadIdx.x == 0) {
    out[blockIdx.x * 32 + 16] = sum;
    out[blockIdx.x * 32 + 17] = cluster.query_shared_rank(other);
    out[blockIdx.x * 32 + 18] = cluster.query_shared_rank(slot);
    out[blockIdx.x * 32 + 19] = spaces;
    out[blockIdx.x * 32 + 20] = other == cluster.map_shared_rank(slot, (int)rank);
    out[blockIdx.x * 32 + 21] = slot == cluster.map_shared_rank(other, (int)rank);
  }
  cluster.sync();
}

template <typename Kernel, typename... Arguments>
static cudaError_t launch(unsigned grid, unsigned block, unsigned cluster, Kernel *kernel,
                          Arguments... arguments) {
  cudaLaunchConfig_t config = {};
  cudaLaunchAttribute attribute;
  config.gridDim = grid;
  config.blockDim = block;
  attribute.id = cudaLaunchAttributeClusterDimension;
  attribute.val.clusterDim.x = cluster;
  attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  cudaError_t error = cudaLaunchKernelEx(&config, kernel, arguments...);
  return error ? error : cudaDeviceSynchronize();
}

static void go_round() {
  float4 *out;
  cudaMallocManaged(&out, 8 * 64 * sizeof *out);
  printf("%s\n", cudaGetErrorName(launch(8, 64, 4, ring, out, 5)));
  for (int b = 0; b < 8; b++) {
    const float4 v = out[64 * b + 9];
    printf("block %d: from rank %g, thread %g, block %g, after %g rounds\n", b, v.x, v.y, v.z, v.w);
  }
  cudaFree(out);
}

static void spread(unsigned cluster) {
  unsigned *out;
  cudaMallocManaged(&out, 16 * 32 * sizeof *out);
  printf("%s\n", cudaGetErrorName(launch(cluster, 64, cluster, scatter, out)));
  for (unsigned b = 0; b < cluster; b++) {
    printf("rank %u of %u:", b, cluster);
    for (unsigned i = 0; i < cluster; i++) printf(" %u", out[32 * b + i]);
    for (unsigned i = 16; i < 22; i++) printf(" %u", out[32 * b + i]);
    printf("\n");
  }
  cudaFree(out);
}

int main() {
  show_places();
  count();
  go_round();
  spread(1);
  spread(2);
  spread(5);
  spread(8);
}
