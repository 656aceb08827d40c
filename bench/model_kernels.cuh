// SPDX-License-Identifier: MIT
// model_kernels.cuh - the kernels whose time is known from a real GPU and modelled here: the rungs
// of the ladder, grid-stride loops with 1 … 16 loads in flight, copies, atomics, a histogram.
// gpu_model.cu times them on a GPU; model_accuracy.cu runs the same ones on the software GPU.
#ifndef MODEL_KERNELS_CUH
#define MODEL_KERNELS_CUH

#include <cstdint>
#include <cuda_runtime.h>

struct Arguments {
  const float *x;
  float *y; // [n] for the copy and the scan, else at least one float per block
  uint32_t n, grid, block;
};

__global__ void empty_kernel() {}

// Sixteen barriers and nothing else that takes time.
__global__ void barriers(float *y) {
#pragma unroll
  for (int k = 0; k < 16; k++) __syncthreads();
  if (y == nullptr) *y = 0.0f;
}

// Blocks that load one element per thread and keep nothing.
__global__ void load_only(const float *x, float *y) {
  float v = x[blockIdx.x * blockDim.x + threadIdx.x];
  if (v == -1.0f) y[blockIdx.x] = v;
}

// The same from a buffer that fits in L2.
__global__ void load_cached(const float *x, float *y) {
  float v = x[(blockIdx.x * blockDim.x + threadIdx.x) & 0x1fffffu];
  if (v == -1.0f) y[blockIdx.x] = v;
}

// Kernels named tree_*: one partial sum per block, one element per thread.
__global__ void tree_divergent(const float *x, float *partial) {
  extern __shared__ float s[];
  uint32_t t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (uint32_t d = 1; d < blockDim.x; d *= 2) {
    if (t % (2 * d) == 0) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = s[0];
}

__global__ void tree_conflicts(const float *x, float *partial) {
  extern __shared__ float s[];
  uint32_t t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (uint32_t d = 1; d < blockDim.x; d *= 2) {
    uint32_t i = 2 * d * t;
    if (i < blockDim.x) s[i] += s[i + d];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = s[0];
}

__global__ void tree_sequential(const float *x, float *partial) {
  extern __shared__ float s[];
  uint32_t t = threadIdx.x;
  s[t] = x[blockIdx.x * blockDim.x + t];
  __syncthreads();
  for (uint32_t d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = s[0];
}

// From here on two elements per thread.
__global__ void first_add(const float *x, float *partial) {
  extern __shared__ float s[];
  uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  s[t] = x[i] + x[i + blockDim.x];
  __syncthreads();
  for (uint32_t d = blockDim.x / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t == 0) partial[blockIdx.x] = s[0];
}

__global__ void warp_sync(const float *x, float *partial) {
  extern __shared__ float s[];
  uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  s[t] = x[i] + x[i + blockDim.x];
  __syncthreads();
  for (uint32_t d = blockDim.x / 2; d > 32; d /= 2) {
    if (t < d) s[t] += s[t + d];
    __syncthreads();
  }
  if (t < 32) {
    float v = s[t] + s[t + 32];
#pragma unroll
    for (uint32_t d = 16; d > 0; d /= 2) {
      s[t] = v;
      __syncwarp();
      v += s[t + d];
      __syncwarp();
    }
    if (t == 0) partial[blockIdx.x] = v;
  }
}

__device__ __forceinline__ float warp_sum(float v) {
#pragma unroll
  for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

__device__ __forceinline__ float block_sum(float v) {
  __shared__ float warp_total[32];
  uint32_t lane = threadIdx.x & 31u, warp = threadIdx.x / 32u;
  v = warp_sum(v);
  if (lane == 0) warp_total[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < blockDim.x / 32u ? warp_total[lane] : 0.0f;
    v = warp_sum(v);
  }
  return v;
}

__global__ void warp_first(const float *x, float *partial) {
  uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  float v = block_sum(x[i] + x[i + blockDim.x]);
  if (t == 0) partial[blockIdx.x] = v;
}

__global__ void block_atomic(const float *x, float *total) {
  uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + t;
  float v = block_sum(x[i] + x[i + blockDim.x]);
  if (t == 0) atomicAdd(total, v);
}

template <int UNROLL> __global__ void grid_stride(const float *x, float *partial, uint32_t n) {
  uint32_t stride = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum[UNROLL];
#pragma unroll
  for (int k = 0; k < UNROLL; k++) sum[k] = 0.0f;
  for (; i + (UNROLL - 1) * stride < n; i += UNROLL * stride) {
#pragma unroll
    for (int k = 0; k < UNROLL; k++) sum[k] += x[i + (uint32_t)k * stride];
  }
  for (; i < n; i += stride) sum[0] += x[i];
#pragma unroll
  for (int k = 1; k < UNROLL; k++) sum[0] += sum[k];
  float v = block_sum(sum[0]);
  if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

__global__ void grid_stride_vector(const float4 *x, float *partial, uint32_t n4) {
  uint32_t stride = gridDim.x * blockDim.x, i = blockIdx.x * blockDim.x + threadIdx.x;
  float sum = 0.0f;
  for (; i + 3 * stride < n4; i += 4 * stride) {
    float4 a = x[i], b = x[i + stride], c = x[i + 2 * stride], d = x[i + 3 * stride];
    sum += (a.x + a.y + a.z + a.w) + (b.x + b.y + b.z + b.w);
    sum += (c.x + c.y + c.z + c.w) + (d.x + d.y + d.z + d.w);
  }
  for (; i < n4; i += stride) sum += x[i].x + x[i].y + x[i].z + x[i].w;
  float v = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

// Every thread walks a piece of its own: a warp's lanes are far apart.
__global__ void chunked(const float *x, float *partial, uint32_t n) {
  uint32_t n_threads = gridDim.x * blockDim.x, chunk = n / n_threads;
  uint32_t begin = (blockIdx.x * blockDim.x + threadIdx.x) * chunk;
  float sum = 0.0f;
  for (uint32_t k = 0; k < chunk; k++) sum += x[begin + k];
  float v = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = v;
}

__global__ void copy(const float *x, float *y) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  y[i] = x[i];
}

__global__ void strided_copy(const float *x, float *y, uint32_t n) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  uint32_t rows = n / 1024u, row = i % rows, column = i / rows;
  y[i] = x[row * 1024u + column];
}

__global__ void atomic_float(const float *x, float *total) {
  atomicAdd(total, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void atomic_int(const int *x, int *total) {
  atomicAdd(total, x[blockIdx.x * blockDim.x + threadIdx.x]);
}

__global__ void atomic_spread(const float *x, float *total, uint32_t modulus) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(total + i % modulus, x[i]);
}

__global__ void histogram_shared(const uint32_t *x, int *bins, uint32_t n) {
  __shared__ int local[256];
  for (uint32_t b = threadIdx.x; b < 256; b += blockDim.x) local[b] = 0;
  __syncthreads();
  uint32_t stride = gridDim.x * blockDim.x;
  for (uint32_t i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride)
    atomicAdd(&local[x[i] * 2654435761u >> 24], 1);
  __syncthreads();
  for (uint32_t b = threadIdx.x; b < 256; b += blockDim.x) atomicAdd(bins + b, local[b]);
}

__global__ void scan_block(const float *x, float *y) {
  __shared__ float s[2][1024];
  uint32_t t = threadIdx.x, i = blockIdx.x * blockDim.x + t, from = 0;
  s[0][t] = x[i];
  __syncthreads();
  for (uint32_t d = 1; d < blockDim.x; d *= 2) {
    s[1 - from][t] = t >= d ? s[from][t] + s[from][t - d] : s[from][t];
    from = 1 - from;
    __syncthreads();
  }
  y[i] = s[from][t];
}

// Arithmetic only: what the lanes can do.
__global__ void fma_chain(const float *x, float *y) {
  uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  float a = x[i], b = a, c = a, d = a;
#pragma unroll 16
  for (int k = 0; k < 256; k++) {
    a = a * 1.5f + 1.0f;
    b = b * 1.5f + 2.0f;
    c = c * 1.5f + 3.0f;
    d = d * 1.5f + 4.0f;
  }
  y[i] = a + b + c + d;
}

#define MODEL_TREE(kernel)                                                                         \
  [](const Arguments &a) { kernel<<<a.grid, a.block, a.block * sizeof(float)>>>(a.x, a.y); }
#define MODEL_STRIDE(unroll)                                                                       \
  [](const Arguments &a) { grid_stride<unroll><<<a.grid, a.block>>>(a.x, a.y, a.n); }

struct Variant {
  const char *name;
  uint32_t per_thread; // elements per thread; 0: grid is blocks_per_sm x 132
  uint32_t blocks_per_sm;
  uint32_t max_log2_n;
  bool all_blocks; // with blocks of 128 … 1024 threads, else of 256
  void (*launch)(const Arguments &);
};

static const Variant model_variants[] = {
    {"empty", 1, 0, 20, false, [](const Arguments &) { empty_kernel<<<1, 32>>>(); }},
    {"blocks_only", 1, 0, 28, true,
     [](const Arguments &a) { empty_kernel<<<a.grid, a.block>>>(); }},
    {"barriers", 1, 0, 28, true, [](const Arguments &a) { barriers<<<a.grid, a.block>>>(a.y); }},
    {"load_only", 1, 0, 28, true, MODEL_TREE(load_only)},
    {"load_cached", 1, 0, 28, false, MODEL_TREE(load_cached)},
    {"tree_divergent", 1, 0, 28, true, MODEL_TREE(tree_divergent)},
    {"tree_conflicts", 1, 0, 28, true, MODEL_TREE(tree_conflicts)},
    {"tree_sequential", 1, 0, 28, true, MODEL_TREE(tree_sequential)},
    {"first_add", 2, 0, 28, true, MODEL_TREE(first_add)},
    {"warp_sync", 2, 0, 28, true, MODEL_TREE(warp_sync)},
    {"warp_first", 2, 0, 28, true, MODEL_TREE(warp_first)},
    {"block_atomic", 2, 0, 28, false, MODEL_TREE(block_atomic)},
    {"grid_stride_1", 0, 8, 28, false, MODEL_STRIDE(1)},
    {"grid_stride_2", 0, 8, 28, false, MODEL_STRIDE(2)},
    {"grid_stride_4", 0, 8, 28, false, MODEL_STRIDE(4)},
    {"grid_stride_8", 0, 8, 28, false, MODEL_STRIDE(8)},
    {"grid_stride_16", 0, 8, 28, false, MODEL_STRIDE(16)},
    {"grid_stride_1_half", 0, 4, 28, false, MODEL_STRIDE(1)},
    {"grid_stride_4_half", 0, 4, 28, false, MODEL_STRIDE(4)},
    {"grid_stride_1_low", 0, 1, 26, false, MODEL_STRIDE(1)},
    {"grid_stride_vector", 0, 8, 28, false,
     [](const Arguments &a) {
       grid_stride_vector<<<a.grid, a.block>>>((const float4 *)a.x, a.y, a.n / 4);
     }},
    {"chunked", 0, 8, 28, false,
     [](const Arguments &a) { chunked<<<a.grid, a.block>>>(a.x, a.y, a.n); }},
    {"copy", 1, 0, 28, true, [](const Arguments &a) { copy<<<a.grid, a.block>>>(a.x, a.y); }},
    {"strided_copy", 1, 0, 26, false,
     [](const Arguments &a) { strided_copy<<<a.grid, a.block>>>(a.x, a.y, a.n); }},
    {"atomic_float", 1, 0, 24, false, MODEL_TREE(atomic_float)},
    {"atomic_int", 1, 0, 26, false,
     [](const Arguments &a) { atomic_int<<<a.grid, a.block>>>((const int *)a.x, (int *)a.y); }},
    {"atomic_spread_32", 1, 0, 24, false,
     [](const Arguments &a) { atomic_spread<<<a.grid, a.block>>>(a.x, a.y, 32); }},
    {"atomic_spread_1024", 1, 0, 24, false,
     [](const Arguments &a) { atomic_spread<<<a.grid, a.block>>>(a.x, a.y, 1024); }},
    {"atomic_spread_65536", 1, 0, 24, false,
     [](const Arguments &a) { atomic_spread<<<a.grid, a.block>>>(a.x, a.y, 65536); }},
    {"histogram_shared", 0, 8, 28, false,
     [](const Arguments &a) {
       histogram_shared<<<a.grid, a.block>>>((const uint32_t *)a.x, (int *)a.y, a.n);
     }},
    {"scan_block", 1, 0, 28, false,
     [](const Arguments &a) { scan_block<<<a.grid, a.block>>>(a.x, a.y); }},
    {"fma_chain", 1, 0, 26, false,
     [](const Arguments &a) { fma_chain<<<a.grid, a.block>>>(a.x, a.y); }},
};
enum { MODEL_VARIANT_COUNT = sizeof model_variants / sizeof model_variants[0] };

static inline uint32_t model_grid(const Variant &v, uint32_t n, uint32_t block, uint32_t n_sms) {
  return v.per_thread ? n / (block * v.per_thread) : n_sms * v.blocks_per_sm;
}

#endif
