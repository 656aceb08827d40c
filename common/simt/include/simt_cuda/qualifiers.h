// SPDX-License-Identifier: MIT
// qualifiers.h - __global__, __device__ and their relatives. In a plain C or C++ file that only
// calls the runtime API the harmless ones are empty.
#ifndef SIMT_CUDA_QUALIFIERS_H
#define SIMT_CUDA_QUALIFIERS_H

#if defined(__CUDA__) && defined(__clang__)
#ifndef __CUDACC__
#define __CUDACC__ 1
#endif
// Programs tell a CUDA compiler from others by nvcc's name, and what it can do by its version.
#ifndef __NVCC__
#define __NVCC__ 1
#define __CUDACC_VER_MAJOR__ 13
#define __CUDACC_VER_MINOR__ 0
#define __CUDACC_VER_BUILD__ 0
#endif
// nvcc cannot tell in host code what its lambdas for the device return, and libraries ask whether a
// type is one of them. clang can, so that none is.
#define __nv_is_extended_device_lambda_closure_type(...) false
#define __nv_is_extended_host_device_lambda_closure_type(...) false
#define __nv_is_extended_device_lambda_with_preserved_return_type(...) false
#define __host__ __attribute__((host))
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
#define __constant__ __attribute__((constant))
#define __launch_bounds__(...) __attribute__((launch_bounds(__VA_ARGS__)))
#define __maxnreg__(registers) // only speed depends on it
// Not for the compiler: simtcc reads the note and puts the size into the PTX.
#ifdef __CUDA_ARCH__
#define __cluster_dims__(...) __attribute__((annotate("simt_cluster_dims", __VA_ARGS__)))
#else
#define __cluster_dims__(...)
#endif
// clang has managed variables for HIP only. Here the host's shadow of a device variable is in a
// section of its own, by which the runtime knows that the two are to share their bytes.
#ifdef __CUDA_ARCH__
#define __managed__ __attribute__((device))
#else
#define __managed__ __attribute__((device, section("simt_managed")))
#endif
#define __grid_constant__
#define __inline_hint__ // the compiler chooses
// A keyword of clang 15 and later. As a macro it would break GNU headers that write
// __attribute__((__noinline__)): simt_cuda/wrappers undoes it around those.
#if !__has_feature(cuda_noinline_keyword)
#define __noinline__ __attribute__((noinline))
#endif
#else
#define __host__
#define __device__
#endif

#ifndef __forceinline__
#define __forceinline__ __inline__ __attribute__((always_inline))
#endif
#define __align__(bytes) __attribute__((aligned(bytes)))

#endif
