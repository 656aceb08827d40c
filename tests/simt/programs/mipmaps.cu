// SPDX-License-Identifier: MIT
//
// Mipmaps: levels written through surfaces, read by level, by gradients and without either; filters
// within and between levels, limits of the level and its bias.
#include <cstdio>
__global__ void fillLevel(cudaSurfaceObject_t s, int n, float base) {
  int x = threadIdx.x, y = threadIdx.y;
  if (x < n && y < n) surf2Dwrite(base + y * n + x, s, x * 4, y);
}
__global__ void reads(cudaTextureObject_t t, float *o) {
  int i = threadIdx.x;
  o[i] = tex2DLod<float>(t, 0.3f, 0.6f, i * 0.25f - 0.5f);
  o[32 + i] = tex2D<float>(t, i / 32.0f, 0.5f);
  float g = (float)(1 << i / 8) / 8;
  o[64 + i] = tex2DGrad<float>(t, 0.4f, 0.4f, make_float2(g, 0), make_float2(0, g));
  o[96 + i] = tex2DLod<float>(t, i / 32.0f, 0.5f, 1);
}
#define E(c)                                                                                       \
  do {                                                                                             \
    cudaError_t e_ = (c);                                                                          \
    printf("%s: %s\n", #c, cudaGetErrorName(e_));                                                  \
  } while (0)
int main() {
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaMipmappedArray_t m;
  E(cudaMallocMipmappedArray(&m, &d, make_cudaExtent(8, 8, 0), 4, cudaArraySurfaceLoadStore));
  for (int l = 0; l < 4; l++) {
    cudaArray_t a;
    E(cudaGetMipmappedArrayLevel(&a, m, l));
    cudaExtent e;
    cudaChannelFormatDesc q;
    unsigned f;
    E(cudaArrayGetInfo(&q, &e, &f, a));
    printf("%zu %zu %zu %u\n", e.width, e.height, e.depth, f);
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeArray;
    r.res.array.array = a;
    cudaSurfaceObject_t s;
    E(cudaCreateSurfaceObject(&s, &r));
    fillLevel<<<1, dim3(8, 8)>>>(s, 8 >> l, 100.0f * l);
    E(cudaDeviceSynchronize());
    E(cudaDestroySurfaceObject(s));
  }
  cudaArray_t none;
  E(cudaGetMipmappedArrayLevel(&none, m, 4));
  cudaGetLastError();
  float *o, h[128];
  E(cudaMalloc(&o, sizeof h));
  for (int mode = 0; mode < 6; mode++) {
    cudaResourceDesc r = {};
    r.resType = cudaResourceTypeMipmappedArray;
    r.res.mipmap.mipmap = m;
    cudaTextureDesc t = {};
    t.normalizedCoords = 1;
    t.filterMode = mode & 1 ? cudaFilterModeLinear : cudaFilterModePoint;
    t.mipmapFilterMode = mode & 2 ? cudaFilterModeLinear : cudaFilterModePoint;
    t.maxMipmapLevelClamp = mode >= 4 ? 1.5f : 3;
    t.minMipmapLevelClamp = mode == 5 ? 0.5f : 0;
    t.mipmapLevelBias = mode == 4 ? 0.75f : 0;
    t.readMode = cudaReadModeElementType;
    t.addressMode[0] = t.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t x;
    E(cudaCreateTextureObject(&x, &r, &t, nullptr));
    reads<<<1, 32>>>(x, o);
    E(cudaMemcpy(h, o, sizeof h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 128; i++) printf("%.6g%c", h[i], i % 32 == 31 ? '\n' : ' ');
    E(cudaDestroyTextureObject(x));
  }
  E(cudaFreeMipmappedArray(m));
  E(cudaMallocMipmappedArray(&m, &d, make_cudaExtent(16, 0, 0), 9, 0));
  cudaFreeMipmappedArray(m);
  cudaGetLastError();
  E(cudaFree(o));
}
