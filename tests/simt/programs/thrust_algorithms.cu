// SPDX-License-Identifier: MIT
// Thrust and CUB, whose headers simtcc takes from a toolkit: algorithms of the device with tunings
// of its architecture, which decide in which order floats are summed, and collectives of a block.
// toolkit: Thrust and CUB
// flags: -arch=sm_90
#include <cstdio>
#include <cstring>
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>
#include <thrust/copy.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/scan.h>
#include <thrust/transform_reduce.h>

static const int sizes[] = {0, 1, 31, 32, 33, 1023, 65537, 300007};

struct is_odd {
  __host__ __device__ bool operator()(unsigned x) const { return x & 1; }
};

struct number { // of a position; none is a sum of others
  __host__ __device__ float operator()(unsigned i) const {
    return (float)(i * 2654435761u >> 8) * 0.37f + 0.1f;
  }
};

static unsigned bits_of(float x) {
  unsigned bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

static void use_device(int n) {
  thrust::counting_iterator<unsigned> first(0);
  const thrust::plus<float> plus;
  const float sum = thrust::transform_reduce(first, first + n, number(), 0.f, plus);
  thrust::device_vector<unsigned> kept(n), sums(n);
  const auto end = thrust::copy_if(first, first + n, kept.begin(), is_odd());
  thrust::inclusive_scan(kept.begin(), end, sums.begin());
  const long odd = end - kept.begin();
  printf("%d: sum %08x, %ld odd, of them the last %u, their sum %u\n", n, bits_of(sum), odd,
         odd ? (unsigned)kept[odd - 1] : 0, odd ? (unsigned)sums[odd - 1] : 0);
}

__global__ void in_blocks(float *sums, unsigned *before) {
  using Reduce = cub::BlockReduce<float, 128>;
  using Scan = cub::BlockScan<unsigned, 128>;
  __shared__ union {
    Reduce::TempStorage reduce;
    Scan::TempStorage scan;
  } shared;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const float sum = Reduce(shared.reduce).Sum(number()(i), 100);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
  __syncthreads();
  Scan(shared.scan).ExclusiveSum(i % 7, before[i]);
}

static void use_blocks() {
  thrust::device_vector<float> sums(3);
  thrust::device_vector<unsigned> before(3 * 128);
  in_blocks<<<3, 128>>>(sums.data().get(), before.data().get());
  for (int block = 0; block < 3; ++block)
    printf("block %d: sum %08x, before its last %u\n", block, bits_of(sums[block]),
           (unsigned)before[block * 128 + 127]);
}

int main() {
  for (const int n : sizes) use_device(n);
  use_blocks();
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
