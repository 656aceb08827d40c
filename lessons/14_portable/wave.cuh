// SPDX-License-Identifier: MIT
// What differs between GPUs, in one place: the threads that execute together, their number, how
// they wait for each other and exchange values. Everything in kernels.cuh is written with these
// functions, and has no other idea of how many lanes there are.
//
//   NVIDIA, software GPU   wave<32> is a warp; wave<64> is a tile of 64 threads, which is two warps
//   AMD                    wave<64> is a wavefront of gfx90a, wave<32> one of gfx1030 (or half of
//                          one that has 64 lanes)
//
// All lanes must call a function together. Blocks are whole waves. Here wave<64> takes one of the
// 16 barriers of a block for each, and __syncthreads() is another: 15 waves at most.
#ifndef PORTABLE_WAVE_CUH
#define PORTABLE_WAVE_CUH

template <unsigned lanes> struct wave;

#ifdef __HIP_PLATFORM_AMD__
//! [amd]
template <unsigned lanes> struct wave { // of the hardware's lanes
  static __device__ unsigned lane() { return threadIdx.x % lanes; }
  static __device__ void sync() { // no instruction: the compiler may not move accesses across it
    if (lanes > warpSize) __builtin_trap(); // compiled for a GPU that has fewer lanes
    __builtin_amdgcn_fence(__ATOMIC_RELEASE, "wavefront");
    __builtin_amdgcn_wave_barrier();
    __builtin_amdgcn_fence(__ATOMIC_ACQUIRE, "wavefront");
  }
  static __device__ float across(float value, unsigned distance) {
    if (lanes > warpSize) __builtin_trap();
    return __shfl_xor(value, (int)distance, (int)lanes);
  }
};
//! [amd]
#else
//! [warp]
template <> struct wave<32> { // a warp
  static __device__ unsigned lane() { return threadIdx.x % 32; }
  static __device__ void sync() { __syncwarp(); }
  static __device__ float across(float value, unsigned distance) {
    return __shfl_xor_sync(0xffffffff, value, distance);
  }
};
//! [warp]

//! [tile]
template <> struct wave<64> { // two warps: what one of them cannot see goes through shared memory
  static __device__ unsigned lane() { return threadIdx.x % 64; }
  static __device__ void sync() { // 64 threads wait; barrier 0 is __syncthreads()
    asm volatile("barrier.sync %0, 64;" ::"r"(1 + threadIdx.x / 64) : "memory");
  }
  static __device__ float across(float value, unsigned distance) {
    if (distance < 32) return __shfl_xor_sync(0xffffffff, value, distance); // in the same half
    __shared__ float values[1024];
    values[threadIdx.x] = value;
    wave::sync(); // both halves have stored
    const float other = values[threadIdx.x ^ distance];
    wave::sync(); // and have read: the next call may store
    return other;
  }
};
//! [tile]
#endif

#endif
