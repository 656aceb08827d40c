// SPDX-License-Identifier: MIT
// peak.cu - the ceilings of a real GPU: how fast it can read memory, and copy it, when nothing else
// is done. Built for the CUDA backend only.
//
// The buffers are far larger than any L2, and the best of several runs of several kernels counts: a
// ceiling that other work or a poor choice of grid pushed down would flatter the kernels under it.
// Not measured: what single kinds of access could reach beyond these (asynchronous copies,
// clusters).
#include <cuda_runtime.h>

#include "cuda_check.h"
#include "device.h"

// Loads of 16 bytes, UNROLL of them in flight per thread. The sum is never -1, so that nothing is
// written, but the compiler cannot know.
template <int UNROLL> static __global__ void read_all(const float4 *in, size_t n, float *out) {
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  float sum = 0.0f;
  float4 x[UNROLL];
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i + (UNROLL - 1) * stride < n;
       i += UNROLL * stride) {
#pragma unroll
    for (int k = 0; k < UNROLL; k++) x[k] = in[i + k * stride];
#pragma unroll
    for (int k = 0; k < UNROLL; k++) sum += (x[k].x + x[k].y) + (x[k].z + x[k].w);
  }
  if (sum == -1.0f) *out = sum;
}

// The loop of read_all() once more: a ceiling is a whole kernel, and one that could do both might
// be slower than either.
template <int UNROLL> static __global__ void copy_all(const float4 *in, size_t n, float4 *out) {
  const size_t stride = (size_t)gridDim.x * blockDim.x;
  float4 x[UNROLL];
  for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i + (UNROLL - 1) * stride < n;
       i += UNROLL * stride) {
#pragma unroll
    for (int k = 0; k < UNROLL; k++) x[k] = in[i + k * stride];
#pragma unroll
    for (int k = 0; k < UNROLL; k++) out[i + k * stride] = x[k];
  }
}

// The grids divide the buffer into whole rounds, so that every byte is touched.
typedef struct ceiling_try {
  void (*launch)(const float4 *in, size_t n, float4 *out, int n_blocks, int block);
  int n_blocks_per_multiprocessor, block;
} ceiling_try;

static void read_4(const float4 *in, size_t n, float4 *out, int n_blocks, int block) {
  read_all<4><<<n_blocks, block>>>(in, n, (float *)out);
}
static void read_8(const float4 *in, size_t n, float4 *out, int n_blocks, int block) {
  read_all<8><<<n_blocks, block>>>(in, n, (float *)out);
}
static void copy_1(const float4 *in, size_t n, float4 *out, int n_blocks, int block) {
  copy_all<1><<<n_blocks, block>>>(in, n, out);
}
static void copy_4(const float4 *in, size_t n, float4 *out, int n_blocks, int block) {
  copy_all<4><<<n_blocks, block>>>(in, n, out);
}
static void copy_by_driver(const float4 *in, size_t n, float4 *out, int, int) {
  cudaMemcpyAsync(out, in, n * sizeof *in, cudaMemcpyDeviceToDevice);
}

static const ceiling_try reads[] = {
    {read_4, 8, 256}, {read_4, 4, 512}, {read_8, 4, 512}, {read_8, 8, 256}, {read_4, 16, 128}};
static const ceiling_try copies[] = {
    {copy_1, 16, 256}, {copy_4, 8, 256}, {copy_4, 4, 512}, {copy_by_driver, 1, 1}};

enum { RUNS = 8 };

// Elements that whole rounds of this grid cover: what the loop above leaves out is not counted.
static size_t covered(const ceiling_try *one, size_t n, int n_blocks) {
  const size_t round = (size_t)8 * (size_t)n_blocks * (size_t)one->block;
  return n - n % round;
}

static float best_ms(const ceiling_try *one, const float4 *in, size_t n, float4 *out,
                     int n_blocks) {
  cudaEvent_t begin = NULL, end = NULL;
  float best = 0.0f;
  if (WB_OK(cudaEventCreate(&begin)) && WB_OK(cudaEventCreate(&end))) {
    for (int i = 0; i < RUNS + 1; i++) { // the first one warms up
      float ms = 0.0f;
      cudaEventRecord(begin);
      one->launch(in, n, out, n_blocks, one->block);
      cudaEventRecord(end);
      if (!WB_OK(cudaEventSynchronize(end)) || !WB_OK(cudaEventElapsedTime(&ms, begin, end))) break;
      if (i > 0 && (best == 0.0f || ms < best)) best = ms;
    }
  }
  if (begin != NULL) cudaEventDestroy(begin);
  if (end != NULL) cudaEventDestroy(end);
  return best;
}

static double best_gb_per_s(const ceiling_try *tries, size_t n_tries, const float4 *in, size_t n,
                            float4 *out, double passes) {
  int n_multiprocessors = 0;
  double best = 0.0;
  if (!WB_OK(cudaDeviceGetAttribute(&n_multiprocessors, cudaDevAttrMultiProcessorCount, 0)))
    return 0.0;
  for (size_t i = 0; i < n_tries; i++) {
    const int n_blocks = tries[i].n_blocks_per_multiprocessor * n_multiprocessors;
    const size_t n_read = covered(&tries[i], n, n_blocks);
    const float ms = best_ms(&tries[i], in, n_read, out, n_blocks);
    const double gb_per_s =
        ms > 0.0f ? passes * (double)(n_read * sizeof *in) / ((double)ms * 1e6) : 0.0;
    if (gb_per_s > best) best = gb_per_s;
  }
  return best;
}

// The largest buffer that half of what is free allows: 2 GiB down to 128 MiB.
static float4 *take_buffer(size_t *size_bytes) {
  size_t available = 0, total = 0;
  float4 *buffer = NULL;
  if (cudaMemGetInfo(&available, &total) != cudaSuccess) available = 0;
  for (*size_bytes = (size_t)2 << 30; *size_bytes >= (size_t)128 << 20; *size_bytes /= 2) {
    if (*size_bytes <= available / 2 && cudaMalloc((void **)&buffer, *size_bytes) == cudaSuccess) {
      return buffer;
    }
    cudaGetLastError(); // too little memory left: no error of the lesson's
  }
  return NULL;
}

extern "C" void wb_measure_ceilings(double *read_gb_per_s, double *copy_gb_per_s) {
  size_t size_bytes = 0;
  float4 *buffer = take_buffer(&size_bytes);
  *read_gb_per_s = *copy_gb_per_s = 0.0;
  if (buffer == NULL) return;
  const size_t n = size_bytes / sizeof *buffer;
  if (WB_OK(cudaMemset(buffer, 0, size_bytes))) {
    *read_gb_per_s = best_gb_per_s(reads, sizeof reads / sizeof reads[0], buffer, n, buffer, 1.0);
    *copy_gb_per_s =
        best_gb_per_s(copies, sizeof copies / sizeof copies[0], buffer, n / 2, buffer + n / 2, 2.0);
  }
  cudaFree(buffer);
}

extern "C" __global__ void profiled_row_follows() {}

extern "C" void wb_enqueue_marker(unsigned row) { profiled_row_follows<<<row, 1>>>(); }

extern "C" void wb_enqueue_read(const void *buffer, size_t size_bytes, cudaStream_t stream) {
  read_all<4><<<1024, 256, 0, stream>>>((const float4 *)buffer, size_bytes / sizeof(float4),
                                        (float *)buffer);
}
