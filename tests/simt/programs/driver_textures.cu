// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// Arrays, texture and surface objects of the driver API.
#include <cuda.h>

#include <cstdio>
#include <cstring>

__global__ void read(cudaTextureObject_t texture, float *out) {
  int i = threadIdx.x;
  out[i] = tex2D<float>(texture, i % 4 + 0.5f, i / 4 + 0.5f);
}
__global__ void read_integers(cudaTextureObject_t texture, int *out) {
  out[threadIdx.x] = tex1Dfetch<unsigned char>(texture, threadIdx.x);
}
__global__ void read_level(cudaTextureObject_t texture, float *out) {
  out[threadIdx.x] = tex2DLod<float>(texture, 0.25f, 0.25f, threadIdx.x);
}
__global__ void add_one(cudaSurfaceObject_t surface) {
  float value;
  surf2Dread(&value, surface, threadIdx.x * 4, threadIdx.y);
  surf2Dwrite(value + 1, surface, threadIdx.x * 4, threadIdx.y);
}

static const char *name_of(CUresult result) {
  const char *name = "?";
  cuGetErrorName(result, &name);
  return name;
}
#define SAY(call) printf("%s: %s\n", #call, name_of(call))

static float out[16];
static float *device;
static void show(const char *what, int n) {
  cudaMemcpy(out, device, sizeof out, cudaMemcpyDeviceToHost);
  printf("%s:", what);
  for (int i = 0; i < n; i++) printf(" %g", out[i]);
  printf("\n");
}

static void planes() {
  float texels[3][4];
  for (int i = 0; i < 12; i++) texels[i / 4][i % 4] = 10.0f * i;
  CUDA_ARRAY_DESCRIPTOR d = {4, 3, CU_AD_FORMAT_FLOAT, 1}, read_back;
  CUDA_ARRAY3D_DESCRIPTOR with_surface = {
      4, 3, 0, CU_AD_FORMAT_FLOAT, 1, CUDA_ARRAY3D_SURFACE_LDST};
  CUarray array, other;
  SAY(cuArrayCreate(&other, &d));
  SAY(cuArray3DCreate(&array, &with_surface));
  SAY(cuArrayGetDescriptor(&read_back, array));
  SAY(cuArray3DGetDescriptor(&with_surface, array));
  printf("%zu x %zu, %u channels, format %d, flags %u\n", read_back.Width, read_back.Height,
         read_back.NumChannels, (int)read_back.Format, with_surface.Flags);
  CUDA_MEMCPY2D copy = {};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST;
  copy.srcHost = texels;
  copy.srcPitch = 16;
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  copy.dstArray = array;
  copy.WidthInBytes = 16;
  copy.Height = 3;
  SAY(cuMemcpy2D(&copy));
  CUDA_RESOURCE_DESC resource = {}, said;
  resource.resType = CU_RESOURCE_TYPE_ARRAY;
  resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC plain = {};
  CUtexObject texture;
  CUsurfObject surface;
  SAY(cuTexObjectCreate(&texture, &resource, &plain, nullptr));
  SAY(cuTexObjectGetResourceDesc(&said, texture));
  printf("of that array: %d\n", said.res.array.hArray == array);
  read<<<1, 12>>>(texture, device);
  show("texture", 12);
  SAY(cuSurfObjectCreate(&surface, &resource));
  add_one<<<1, dim3(4, 3)>>>(surface);
  read<<<1, 12>>>(texture, device);
  show("after the surface", 12);
  SAY(cuMemcpyAtoH(out, array, 4, 8));
  printf("%g %g\n", out[0], out[1]);
  SAY(cuMemcpyAtoA(other, 8, array, 4, 8));
  SAY(cuMemcpyAtoD((CUdeviceptr)device, other, 8, 8));
  show("by way of another array", 2);
  SAY(cuTexObjectDestroy(texture));
  SAY(cuSurfObjectDestroy(surface));
  SAY(cuArrayDestroy(array));
  SAY(cuArrayDestroy(other));
  d.NumChannels = 3;
  SAY(cuArrayCreate(&array, &d));
}

static void bytes() {
  unsigned char texels[8] = {0, 51, 102, 153, 204, 255, 1, 2};
  unsigned char *memory;
  cudaMalloc(&memory, 8);
  cudaMemcpy(memory, texels, 8, cudaMemcpyHostToDevice);
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_LINEAR;
  resource.res.linear.devPtr = (CUdeviceptr)memory;
  resource.res.linear.format = CU_AD_FORMAT_UNSIGNED_INT8;
  resource.res.linear.numChannels = 1;
  resource.res.linear.sizeInBytes = 8;
  CUDA_TEXTURE_DESC integers = {};
  integers.flags = CU_TRSF_READ_AS_INTEGER;
  CUtexObject texture;
  SAY(cuTexObjectCreate(&texture, &resource, &integers, nullptr));
  int values[8];
  read_integers<<<1, 8>>>(texture, (int *)device);
  cudaMemcpy(values, device, sizeof values, cudaMemcpyDeviceToHost);
  for (int value : values) printf("%d ", value);
  printf("\n");
  cuTexObjectDestroy(texture);
  cudaFree(memory);

  CUDA_ARRAY_DESCRIPTOR d = {4, 2, CU_AD_FORMAT_UNSIGNED_INT8, 1};
  CUarray array;
  SAY(cuArrayCreate(&array, &d));
  SAY(cuMemcpyHtoA(array, 0, texels, 4));
  CUDA_RESOURCE_DESC of_array = {};
  of_array.res.array.hArray = array;
  CUDA_TEXTURE_DESC fractions = {};
  SAY(cuTexObjectCreate(&texture, &of_array, &fractions, nullptr));
  read<<<1, 4>>>(texture, device);
  show("fractions", 4);
  cuTexObjectDestroy(texture);
  cuArrayDestroy(array);
}

static void levels() {
  CUDA_ARRAY3D_DESCRIPTOR d = {4, 4, 0, CU_AD_FORMAT_FLOAT, 1, 0};
  CUmipmappedArray mipmap;
  SAY(cuMipmappedArrayCreate(&mipmap, &d, 3));
  for (unsigned level = 0; level < 3; level++) {
    float texels[16];
    for (float &texel : texels) texel = 100.0f + level;
    CUDA_MEMCPY3D copy = {};
    copy.srcMemoryType = CU_MEMORYTYPE_HOST;
    copy.srcHost = texels;
    copy.dstMemoryType = CU_MEMORYTYPE_ARRAY;
    copy.WidthInBytes = copy.srcPitch = 16 >> level;
    copy.Height = copy.srcHeight = 4 >> level;
    copy.Depth = 1;
    SAY(cuMipmappedArrayGetLevel(&copy.dstArray, mipmap, level));
    SAY(cuMemcpy3D(&copy));
  }
  CUDA_RESOURCE_DESC resource = {};
  resource.resType = CU_RESOURCE_TYPE_MIPMAPPED_ARRAY;
  resource.res.mipmap.hMipmappedArray = mipmap;
  CUDA_TEXTURE_DESC desc = {};
  desc.flags = CU_TRSF_NORMALIZED_COORDINATES;
  desc.maxMipmapLevelClamp = 2;
  CUtexObject texture;
  SAY(cuTexObjectCreate(&texture, &resource, &desc, nullptr));
  read_level<<<1, 3>>>(texture, device);
  show("levels", 3);
  cuTexObjectDestroy(texture);
  SAY(cuMipmappedArrayDestroy(mipmap));
}

int main() {
  CUdevice first;
  CUcontext context;
  cuInit(0);
  cuDeviceGet(&first, 0);
  cuDevicePrimaryCtxRetain(&context, first);
  cuCtxSetCurrent(context);
  cudaMalloc(&device, sizeof out);
  cudaMemset(device, 0, sizeof out);
  planes();
  bytes();
  levels();
  cudaFree(device);
}
