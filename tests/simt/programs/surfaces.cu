// SPDX-License-Identifier: MIT
//
// Surface objects: reads and writes of arrays of one, two and three dimensions, by byte; accesses
// beyond the edge with zero and clamp; what a surface writes, a texture reads in the next launch.
#include <cuda_runtime.h>

#include <cstdio>

__global__ void write_2d(cudaSurfaceObject_t s, int width) {
  int x = threadIdx.x, y = threadIdx.y;
  surf2Dwrite((float)(10 * y + x), s, x * (int)sizeof(float), y);
  if (x == 0) surf2Dwrite(-1.0f, s, width * (int)sizeof(float), y, cudaBoundaryModeZero);
}
__global__ void read_2d(cudaSurfaceObject_t s, float *out) {
  int x = (int)threadIdx.x - 1, y = threadIdx.y;
  float value = 5.0f, clamped = 5.0f;
  surf2Dread(&value, s, x * (int)sizeof(float), y, cudaBoundaryModeZero);
  surf2Dread(&clamped, s, x * (int)sizeof(float), y, cudaBoundaryModeClamp);
  out[2 * (y * blockDim.x + threadIdx.x)] = value;
  out[2 * (y * blockDim.x + threadIdx.x) + 1] = clamped;
}
__global__ void by_texture(cudaTextureObject_t t, float *out) {
  out[threadIdx.y * blockDim.x + threadIdx.x] = tex2D<float>(t, threadIdx.x, threadIdx.y);
}
__global__ void write_1d(cudaSurfaceObject_t s) {
  surf1Dwrite(make_uchar4(threadIdx.x, 2, 3, 4), s, threadIdx.x * 4);
}
__global__ void read_1d(cudaSurfaceObject_t s, uchar4 *out) {
  out[threadIdx.x] = surf1Dread<uchar4>(s, (7 - threadIdx.x) * 4);
}
__global__ void write_3d(cudaSurfaceObject_t s) {
  surf3Dwrite(make_int2(threadIdx.x, threadIdx.y * 10 + threadIdx.z), s, threadIdx.x * 8,
              threadIdx.y, threadIdx.z);
}
__global__ void read_3d(cudaSurfaceObject_t s, int *out) {
  int2 v;
  surf3Dread(&v, s, threadIdx.x * 8, threadIdx.y, threadIdx.z);
  out[(threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x] = v.x * 100 + v.y;
}

static cudaSurfaceObject_t make_surface(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t surface = 0;
  cudaError_t error = cudaCreateSurfaceObject(&surface, &resource);
  if (error) printf("cudaCreateSurfaceObject: %s\n", cudaGetErrorName(error));
  return surface;
}

int main() {
  float *out;
  cudaMallocManaged(&out, 1024);
  cudaChannelFormatDesc one = cudaCreateChannelDesc<float>(),
                        four = cudaCreateChannelDesc<uchar4>(), two = cudaCreateChannelDesc<int2>();
  cudaArray_t plane, line, volume;
  cudaMallocArray(&plane, &one, 4, 3, cudaArraySurfaceLoadStore);
  cudaSurfaceObject_t s = make_surface(plane);
  write_2d<<<1, dim3(4, 3)>>>(s, 4);
  read_2d<<<1, dim3(6, 3)>>>(s, out);
  printf("2D: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 36; i++) printf(" %g", out[i]);
  printf("\n");
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = plane;
  cudaTextureDesc desc = {};
  desc.readMode = cudaReadModeElementType;
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &resource, &desc, nullptr);
  by_texture<<<1, dim3(4, 3)>>>(t, out);
  printf("texture: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 12; i++) printf(" %g", out[i]);
  printf("\n");
  cudaDestroyTextureObject(t);
  cudaDestroySurfaceObject(s);

  cudaMallocArray(&line, &four, 8, 0, cudaArraySurfaceLoadStore);
  s = make_surface(line);
  write_1d<<<1, 8>>>(s);
  read_1d<<<1, 8>>>(s, (uchar4 *)out);
  printf("1D: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 32; i++) printf(" %d", ((unsigned char *)out)[i]);
  printf("\n");
  cudaDestroySurfaceObject(s);

  cudaMalloc3DArray(&volume, &two, make_cudaExtent(2, 3, 4), cudaArraySurfaceLoadStore);
  s = make_surface(volume);
  write_3d<<<1, dim3(2, 3, 4)>>>(s);
  read_3d<<<1, dim3(2, 3, 4)>>>(s, (int *)out);
  printf("3D: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 24; i++) printf(" %d", ((int *)out)[i]);
  printf("\n");
  cudaDestroySurfaceObject(s);
  cudaFreeArray(plane);
  cudaFreeArray(line);
  cudaFreeArray(volume);
  cudaFree(out);
}
