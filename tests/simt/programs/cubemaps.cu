// SPDX-License-Identifier: MIT
// nvcc: -arch=sm_80
//
// Cubemaps, plain and layered, read in all directions and written through a surface; copies between
// arrays, to and from them, and of three dimensions between devices.
#include <cuda_runtime.h>

#include <cstdio>

constexpr int n = 4;

// Towards the middle of element (i % n, i / n % n) of face i / n^2 % 6.
__device__ float3 direction(int i) {
  const float s = 2 * ((float)(i % n) + 0.5f) / n - 1, t = 2 * ((float)(i / n % n) + 0.5f) / n - 1;
  switch (i / (n * n) % 6) {
  case 0: return make_float3(1, -t, -s);
  case 1: return make_float3(-1, -t, s);
  case 2: return make_float3(s, 1, t);
  case 3: return make_float3(s, -1, -t);
  case 4: return make_float3(s, -t, 1);
  default: return make_float3(-s, -t, -1);
  }
}

__global__ void read(cudaTextureObject_t texture, int *wrong) {
  const int i = (int)threadIdx.x;
  const float3 at = direction(i);
  if (texCubemap<float>(texture, 3 * at.x, 3 * at.y, 3 * at.z) != 10.0f * (float)i)
    atomicAdd(wrong, 1);
}

__global__ void read_layered(cudaTextureObject_t texture, int *wrong) {
  const int i = (int)threadIdx.x;
  const float3 at = direction(i);
  if (texCubemapLayered<float>(texture, at.x, at.y, at.z, i / (6 * n * n)) != 10.0f * (float)i)
    atomicAdd(wrong, 1);
}

__global__ void write(cudaSurfaceObject_t surface) {
  const int i = (int)threadIdx.x;
  surfCubemapwrite(10.0f * (float)i, surface, i % n * (int)sizeof(float), i / n % n, i / (n * n));
}

static cudaTextureObject_t texture_of(cudaArray_t array) {
  cudaResourceDesc resource = {};
  cudaTextureDesc how = {};
  cudaTextureObject_t texture = 0;
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  how.normalizedCoords = 1;
  printf("texture %s\n", cudaGetErrorName(cudaCreateTextureObject(&texture, &resource, &how, 0)));
  return texture;
}

static void cubes(int *wrong) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t cube, layered;
  float h[12 * n * n];
  int count;
  for (int i = 0; i < 12 * n * n; i++) h[i] = 10.0f * (float)i;
  cudaMalloc3DArray(&cube, &format, make_cudaExtent(n, n, 6),
                    cudaArrayCubemap | cudaArraySurfaceLoadStore);
  cudaMalloc3DArray(&layered, &format, make_cudaExtent(n, n, 12),
                    cudaArrayCubemap | cudaArrayLayered);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(h, n * sizeof(float), n, n);
  copy.dstArray = layered;
  copy.extent = make_cudaExtent(n, n, 12);
  copy.kind = cudaMemcpyHostToDevice;
  printf("copy %s\n", cudaGetErrorName(cudaMemcpy3D(&copy)));
  cudaResourceDesc resource = {};
  cudaSurfaceObject_t surface = 0;
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = cube;
  cudaCreateSurfaceObject(&surface, &resource);
  write<<<1, 6 * n * n>>>(surface);
  read<<<1, 6 * n * n>>>(texture_of(cube), wrong);
  read_layered<<<1, 12 * n * n>>>(texture_of(layered), wrong);
  cudaMemcpy(&count, wrong, sizeof count, cudaMemcpyDeviceToHost);
  printf("%d wrong, %s\n", count, cudaGetErrorName(cudaGetLastError()));
  const cudaError_t odd =
      cudaMalloc3DArray(&cube, &format, make_cudaExtent(n, n, 5), cudaArrayCubemap);
  printf("five faces: %s\n", cudaGetErrorName(odd));
  cudaGetLastError();
}

static void copies() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<int>();
  cudaArray_t a, b;
  cudaPitchedPtr p, q;
  int h[32], back[32] = {};
  char bytes[40];
  for (int i = 0; i < 32; i++) h[i] = i;
  cudaMallocArray(&a, &format, 8, 4);
  cudaMallocArray(&b, &format, 8, 4);
  cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyHostToDevice);
  cudaMemcpy2DToArray(b, 0, 0, back, 32, 32, 4, cudaMemcpyHostToDevice);
  cudaMemcpy2DArrayToArray(b, 8, 1, a, 4, 0, 12, 2);
  cudaMemcpy2DFromArray(back, 32, b, 0, 0, 32, 4, cudaMemcpyDeviceToHost);
  for (int x : back) printf("%d ", x);
  printf("%s\n", cudaGetErrorName(cudaMemcpy2DArrayToArray(b, 0, 3, a, 0, 0, 32, 2)));
  cudaGetLastError();
  cudaExtent extent = make_cudaExtent(10, 2, 2);
  cudaMalloc3D(&p, extent);
  cudaMalloc3D(&q, extent);
  cudaMemset3D(p, 7, extent);
  cudaMemset3D(q, 0, extent);
  cudaMemcpy3DPeerParms peers = {};
  peers.srcPtr = p;
  peers.dstPtr = q;
  peers.extent = make_cudaExtent(5, 2, 1);
  printf("%s ", cudaGetErrorName(cudaMemcpy3DPeer(&peers)));
  peers.dstDevice = 99;
  printf("%s\n", cudaGetErrorName(cudaMemcpy3DPeer(&peers)));
  cudaGetLastError();
  cudaMemcpy3DParms out = {};
  out.srcPtr = q;
  out.dstPtr = make_cudaPitchedPtr(bytes, 10, 10, 2);
  out.extent = extent;
  out.kind = cudaMemcpyDeviceToHost;
  cudaMemcpy3D(&out);
  for (char x : bytes) printf("%d", x);
  printf(" %s\n", cudaGetErrorName(cudaGetLastError()));
}

int main() {
  int *wrong;
  cudaMalloc(&wrong, sizeof(int));
  cudaMemset(wrong, 0, sizeof(int));
  cubes(wrong);
  copies();
  cudaFree(wrong);
  return 0;
}
