// SPDX-License-Identifier: MIT
// Prints sizes, offsets and values of the runtime API's types. Compiled once with our headers and
// once with NVIDIA's: the two must print the same, or programs built with nvcc would not run.
#include <stddef.h>
#include <stdio.h>

#include <cuda.h>
#include <cuda_runtime_api.h>

#define SIZE(type) printf("sizeof %s %zu\n", #type, sizeof(type))
#define AT(type, field) printf("%s.%s %zu\n", #type, #field, offsetof(type, field))
#define VALUE(name) printf("%s %lld\n", #name, (long long)(name))

typedef struct cudaDeviceProp prop;
typedef struct cudaFuncAttributes func;
typedef struct cudaPointerAttributes ptr;

static void types(void) {
  SIZE(prop);
  SIZE(func);
  SIZE(ptr);
  SIZE(cudaLaunchConfig_t);
  SIZE(cudaLaunchAttribute);
  SIZE(cudaLaunchAttributeValue);
  SIZE(struct cudaMemLocation);
  SIZE(struct cudaResourceDesc);
  SIZE(struct cudaTextureDesc);
  SIZE(struct cudaMemcpy3DParms);
  SIZE(struct cudaMemcpy3DPeerParms);
  SIZE(struct cudaChannelFormatDesc);
  SIZE(CUgraphNodeParams);
  SIZE(CUDA_MEMCPY3D_PEER);
  SIZE(CUDA_MEMCPY3D_BATCH_OP);
  SIZE(CUmemcpyAttributes);
  SIZE(CUlaunchAttributeValue);
  SIZE(CUdevprop);
  SIZE(struct cudaMemcpy3DBatchOp);
  SIZE(struct cudaArrayMemoryRequirements);
  SIZE(struct cudaArraySparseProperties);
  SIZE(struct cudaExternalMemoryHandleDesc);
  SIZE(struct cudaExternalMemoryBufferDesc);
  SIZE(struct cudaExternalMemoryMipmappedArrayDesc);
  SIZE(struct cudaExternalSemaphoreHandleDesc);
  SIZE(struct cudaExternalSemaphoreSignalParams);
  SIZE(struct cudaExternalSemaphoreWaitParams);
  SIZE(dim3);
  SIZE(float3);
  SIZE(float4);
  SIZE(double2);
  SIZE(char4);
  SIZE(ushort2);
  SIZE(longlong2);
  printf("align %zu %zu %zu %zu\n", _Alignof(float4), _Alignof(float2), _Alignof(int3),
         _Alignof(uchar4));
}

static void offsets(void) {
  AT(CUgraphNodeParams, kernel.ctx);
  AT(CUgraphNodeParams, memcpy.copyParams);
  AT(CUgraphNodeParams, memset.ctx);
  AT(CUgraphNodeParams, conditional.phGraph_out);
  AT(CUgraphNodeParams, alloc.dptr);
  AT(CUDA_MEMCPY3D_PEER, dstContext);
  AT(CUDA_MEMCPY3D_PEER, WidthInBytes);
  AT(CUdevprop, memPitch);
  AT(CUdevprop, textureAlign);
  AT(CUlaunchAttributeValue, programmaticEvent.triggerAtBlockStart);
  AT(cudaLaunchAttributeValue, launchCompletionEvent.flags);
  AT(struct cudaMemcpy3DBatchOp, extent);
  AT(struct cudaMemcpy3DOperand, op.ptr.locHint);
  AT(struct cudaResourceDesc, res.linear.sizeInBytes);
  AT(struct cudaResourceDesc, res.pitch2D.pitchInBytes);
  AT(struct cudaResourceDesc, flags);
  AT(struct cudaTextureDesc, borderColor);
  AT(struct cudaTextureDesc, maxMipmapLevelClamp);
  AT(struct cudaMemcpy3DParms, dstPos);
  AT(struct cudaMemcpy3DParms, kind);
  AT(struct cudaMemcpy3DPeerParms, dstDevice);
  AT(struct cudaMemcpy3DPeerParms, extent);
  AT(prop, uuid);
  AT(prop, totalGlobalMem);
  AT(prop, sharedMemPerBlock);
  AT(prop, warpSize);
  AT(prop, maxThreadsDim);
  AT(prop, maxGridSize);
  AT(prop, totalConstMem);
  AT(prop, major);
  AT(prop, multiProcessorCount);
  AT(prop, concurrentKernels);
  AT(prop, l2CacheSize);
  AT(prop, maxThreadsPerMultiProcessor);
  AT(prop, sharedMemPerMultiprocessor);
  AT(prop, cooperativeLaunch);
  AT(prop, sharedMemPerBlockOptin);
  AT(prop, maxBlocksPerMultiProcessor);
  AT(prop, hostNumaId);
  AT(func, sharedSizeBytes);
  AT(func, maxThreadsPerBlock);
  AT(func, numRegs);
  AT(func, maxDynamicSharedSizeBytes);
  AT(func, preferredShmemCarveout);
  AT(ptr, devicePointer);
  AT(ptr, hostPointer);
  AT(cudaLaunchConfig_t, dynamicSmemBytes);
  AT(cudaLaunchConfig_t, stream);
  AT(cudaLaunchConfig_t, attrs);
  AT(cudaLaunchConfig_t, numAttrs);
  AT(cudaLaunchAttribute, val);
}

static void driver(void) {
  SIZE(CUDA_ARRAY_DESCRIPTOR);
  SIZE(CUDA_ARRAY3D_DESCRIPTOR);
  AT(CUDA_ARRAY3D_DESCRIPTOR, Flags);
  SIZE(CUDA_RESOURCE_DESC);
  AT(CUDA_RESOURCE_DESC, res.linear.sizeInBytes);
  AT(CUDA_RESOURCE_DESC, res.pitch2D.pitchInBytes);
  AT(CUDA_RESOURCE_DESC, flags);
  SIZE(CUDA_TEXTURE_DESC);
  AT(CUDA_TEXTURE_DESC, flags);
  AT(CUDA_TEXTURE_DESC, borderColor);
  SIZE(CUDA_RESOURCE_VIEW_DESC);
  AT(CUDA_RESOURCE_VIEW_DESC, lastLayer);
  SIZE(CUDA_KERNEL_NODE_PARAMS);
  AT(CUDA_KERNEL_NODE_PARAMS, kernelParams);
  AT(CUDA_KERNEL_NODE_PARAMS, ctx);
  SIZE(CUDA_MEMSET_NODE_PARAMS);
  SIZE(CUDA_HOST_NODE_PARAMS);
  SIZE(CUDA_MEM_ALLOC_NODE_PARAMS);
  AT(CUDA_MEM_ALLOC_NODE_PARAMS, dptr);
  SIZE(CUDA_GRAPH_INSTANTIATE_PARAMS);
  SIZE(CUgraphExecUpdateResultInfo);
  SIZE(CUgraphEdgeData);
}

int main(void) {
  types();
  offsets();
  driver();
  VALUE(cudaErrorInvalidValue);
  VALUE(cudaErrorIllegalAddress);
  VALUE(cudaErrorCooperativeLaunchTooLarge);
  VALUE(cudaErrorUnknown);
  VALUE(cudaMemcpyDefault);
  VALUE(cudaMemoryTypeManaged);
  VALUE(cudaFuncAttributeMaxDynamicSharedMemorySize);
  VALUE(cudaLaunchAttributeCooperative);
  VALUE(cudaDevAttrMultiProcessorCount);
  VALUE(cudaDevAttrMaxSharedMemoryPerBlockOptin);
  VALUE(cudaDevAttrMaxBlocksPerMultiprocessor);
  VALUE(cudaStreamNonBlocking);
  VALUE(cudaEventDisableTiming);
  VALUE(cudaStreamPerThread == (cudaStream_t)2);
  VALUE(cudaHostAllocMapped);
  VALUE(CUDART_VERSION / 1000);
  return 0;
}
