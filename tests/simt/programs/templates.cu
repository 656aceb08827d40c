// SPDX-License-Identifier: MIT
// Templates, dynamic shared memory, 2-D blocks and grids, structs by value, calls that are not
// inlined, function objects and device lambdas.
#include <cuda_runtime.h>

#include <cstdio>
#include <vector>

struct Box {
  char tag;
  double scale;
  short shift[3];
  int n;
};
static_assert(sizeof(Box) == 32, "host and device must agree on this");

template <typename T> struct Add {
  __device__ T operator()(T a, T b) const { return a + b; }
};
template <typename T> struct Max {
  __device__ T operator()(T a, T b) const { return a > b ? a : b; }
};

template <typename T, typename Op> __device__ T block_reduce(T *s, T value, Op op) {
  const unsigned t = threadIdx.y * blockDim.x + threadIdx.x, n = blockDim.x * blockDim.y;
  s[t] = value;
  __syncthreads();
  for (unsigned step = n / 2; step > 0; step /= 2) {
    if (t < step) s[t] = op(s[t], s[t + step]);
    __syncthreads();
  }
  return s[0];
}

template <typename T, typename Op>
__global__ void reduce_rows(const T *in, T *out, int width, T identity, Op op) {
  extern __shared__ __align__(16) unsigned char raw[];
  T *s = reinterpret_cast<T *>(raw);
  const int row = blockIdx.y * gridDim.x + blockIdx.x;
  const int t = threadIdx.y * blockDim.x + threadIdx.x;
  T value = identity;
  for (int i = t; i < width; i += blockDim.x * blockDim.y) value = op(value, in[row * width + i]);
  value = block_reduce(s, value, op);
  if (t == 0) out[row] = value;
}

__noinline__ __device__ double apply(Box b, int i) { return b.scale * i + b.shift[i % 3]; }
__noinline__ __device__ Box shrink(Box b) {
  b.scale /= 2;
  b.n--;
  return b;
}

__global__ void use_box(Box b, double *out) {
  const int i = threadIdx.x;
  if (i < b.n) {
    Box half = shrink(b);
    out[i] = apply(b, i) + apply(half, i) + half.n + half.tag;
  }
}

template <typename F> __global__ void for_each(int n, F f) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) f(i);
}

template <typename T> static void rows(const char *name) {
  const int width = 1000, n_rows = 6;
  std::vector<T> in(width * n_rows);
  for (int i = 0; i < width * n_rows; i++) in[i] = T((i * 37) % 101) - T(50);
  T *d_in, *d_out, sums[n_rows], peaks[n_rows];
  cudaMalloc(&d_in, in.size() * sizeof(T));
  cudaMalloc(&d_out, sizeof sums);
  cudaMemcpy(d_in, in.data(), in.size() * sizeof(T), cudaMemcpyHostToDevice);
  const dim3 grid(3, 2), block(16, 8);
  reduce_rows<<<grid, block, 128 * sizeof(T)>>>(d_in, d_out, width, T(0), Add<T>());
  cudaMemcpy(sums, d_out, sizeof sums, cudaMemcpyDeviceToHost);
  reduce_rows<<<grid, block, 128 * sizeof(T)>>>(d_in, d_out, width, in[0], Max<T>());
  cudaMemcpy(peaks, d_out, sizeof peaks, cudaMemcpyDeviceToHost);
  printf("%s:", name);
  for (int r = 0; r < n_rows; r++) printf(" %g/%g", (double)sums[r], (double)peaks[r]);
  printf("\n");
  cudaFree(d_in);
  cudaFree(d_out);
}

int main() {
  rows<int>("int");
  rows<float>("float");
  rows<double>("double");
  rows<long long>("long long");
  rows<short>("short");

  Box b = {'a', 2.5, {10, -20, 30}, 5};
  double *d, out[5];
  cudaMalloc(&d, sizeof out);
  use_box<<<1, 32>>>(b, d);
  cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
  printf("box: %g %g %g %g %g\n", out[0], out[1], out[2], out[3], out[4]);

  const double factor = 0.5;
  for_each<<<1, 8>>>(5, [=] __device__(int i) { d[i] = i * factor; });
  cudaMemcpy(out, d, sizeof out, cudaMemcpyDeviceToHost);
  printf("lambda: %g %g %g %g %g\n", out[0], out[1], out[2], out[3], out[4]);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  return 0;
}
