// SPDX-License-Identifier: MIT
// simt_cuda/device_launch.h - launches by device code (dynamic parallelism). Included by
// device_api.h.
//
// clang takes `kernel<<<grid, block, bytes, stream>>>(arguments)` in host code alone, and no
// kernel's name in code of the device. There simtcc has written, in a copy of the text
// (compiler/launches.sh):
//
//   ::simt_device::launch(KERNEL, grid, block, bytes, stream)(arguments)
//
// where KERNEL is for a name, for a template whose arguments follow from the call's, and for any
// other expression
//
//   (::simt_device::address<decltype(&kernel), &kernel>::value)
//   (::simt_device::address<decltype(::simt_device::taking(arguments)), kernel>::value)
//   kernel
//
// Functions for host and device, and macros, have such launches in both: on the host it is the
// launch that was written.
#ifndef SIMT_CUDA_DEVICE_LAUNCH_H
#define SIMT_CUDA_DEVICE_LAUNCH_H

#if __cplusplus >= 201103L // it needs lists of types
namespace simt_device {

// The type of a kernel that takes what the call passes. Never called.
template <class... A> __host__ __device__ void (*taking(A... arguments))(A...);

// In a variable of its own: a function of the device may not name a kernel, a constant may.
#ifdef __CUDA_ARCH__
#define SIMT_HERE __device__
#else
#define SIMT_HERE
#endif
template <class F, F kernel> struct address { static SIMT_HERE const F value; };
template <class F, F kernel> SIMT_HERE const F address<F, kernel>::value = kernel;
#undef SIMT_HERE

// Arguments one after the other, each at its alignment, as a kernel has its parameters.
SIMT_DEVICE void put_at(char *, size_t) {}
template <class A, class... Rest>
SIMT_DEVICE void put_at(char *buffer, size_t at, const A &argument, const Rest &...rest) {
  at = (at + alignof(A) - 1) / alignof(A) * alignof(A);
  __builtin_memcpy(buffer + at, &argument, sizeof(A));
  put_at(buffer, at + sizeof(A), rest...);
}

template <class... P> struct configured {
  void (*kernel)(P...);
  dim3 grid, block;
  size_t bytes;
  cudaStream_t stream;

  __host__ __device__ void operator()(P... arguments) const {
#ifdef __CUDA_ARCH__
    char *const buffer =
        (char *)cudaGetParameterBufferV2((void *)kernel, grid, block, (unsigned)bytes);
    if (!buffer) return; // the configuration is none: the thread's last error says so
    put_at(buffer, 0, arguments...);
    cudaLaunchDeviceV2(buffer, stream);
#else
    void *list[] = {(void *)&arguments..., nullptr};
    cudaLaunchKernel((const void *)kernel, grid, block, list, bytes, stream);
#endif
  }
};

template <class... P>
__host__ __device__ inline configured<P...> launch(void (*kernel)(P...), dim3 grid, dim3 block,
                                                   size_t bytes = 0, cudaStream_t stream = 0) {
  return {kernel, grid, block, bytes, stream};
}

} // namespace simt_device
#endif

#endif
