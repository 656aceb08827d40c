// SPDX-License-Identifier: MIT
// simtcc: -arch=sm_90
// nvcc: -arch=sm_90
//
// PTX instructions as functions of libcu++ (cuda/ptx): bulk copies, barriers, special registers.
#include <cuda/ptx>
#include <cuda/barrier>
#include <cstdio>
namespace ptx = cuda::ptx;
__global__ void k(const int *in, int *out) {
  __shared__ alignas(128) int s[128];
#pragma nv_diag_suppress static_var_with_dynamic_init
  __shared__ cuda::barrier<cuda::thread_scope_block> bar;
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    ptx::fence_proxy_async(ptx::space_shared);
  }
  __syncthreads();
  cuda::barrier<cuda::thread_scope_block>::arrival_token tok;
  if (threadIdx.x == 0) {
    cuda::device::memcpy_async_tx(s, in, cuda::aligned_size_t<16>(sizeof s), bar);
    tok = cuda::device::barrier_arrive_tx(bar, 1, sizeof s);
  } else tok = bar.arrive();
  bar.wait(std::move(tok));
  s[threadIdx.x] += threadIdx.x;
  ptx::fence_proxy_async(ptx::space_shared);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::cp_async_bulk(ptx::space_global, ptx::space_shared, out, s, sizeof s);
    ptx::cp_async_bulk_commit_group();
    ptx::cp_async_bulk_wait_group_read(ptx::n32_t<0>());
    ptx::cp_async_bulk_wait_group(ptx::n32_t<0>());
  }
}
__global__ void m(unsigned *o) {
  __shared__ uint64_t bar;
  if (threadIdx.x == 0) ptx::mbarrier_init(&bar, 32);
  __syncthreads();
  auto t = ptx::mbarrier_arrive(&bar);
  while (!ptx::mbarrier_try_wait(&bar, t))
    ;
  if (threadIdx.x == 3) {
    o[0] = ptx::get_sreg_laneid();
    o[1] = ptx::get_sreg_ntid_x();
    o[2] = ptx::get_sreg_lanemask_lt();
    o[3] = ptx::get_sreg_tid_x();
    o[4] = ptx::get_sreg_nctaid_x();
  }
  ptx::fence(ptx::sem_acq_rel, ptx::scope_gpu);
  __syncthreads();
  if (threadIdx.x == 0) {
    ptx::mbarrier_init(&bar, 1);
    ptx::mbarrier_arrive_expect_tx(ptx::sem_release, ptx::scope_cta, ptx::space_shared, &bar, 0);
    o[5] = ptx::mbarrier_test_wait_parity(&bar, 0);
  }
}
int main() {
  int *i, *o;
  cudaMallocManaged(&i, 512);
  cudaMallocManaged(&o, 512);
  for (int j = 0; j < 128; j++) i[j] = j * 10;
  k<<<1, 128>>>(i, o);
  cudaDeviceSynchronize();
  printf("%d %d\n", o[1], o[127]);
  m<<<1, 32>>>((unsigned *)o);
  printf("%d\n", cudaDeviceSynchronize());
  for (int j = 0; j < 6; j++) printf("%x ", o[j]);
  printf("\n");
  cudaFree(i);
  cudaFree(o);
}
