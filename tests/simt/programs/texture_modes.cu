// SPDX-License-Identifier: MIT
//
// Textures of several formats with every address mode, point and linear, and reads that are
// refused.
#include <cuda_runtime.h>
#include "runtime_calls.h"

// texture objects of half, char4, int2, unsigned short; modes; out-of-range addresses; unnormalised
// wrap is clamp
#include <cuda_fp16.h>
template <class T> __global__ void rd2(cudaTextureObject_t t, const float2 *c, T *o, int n) {
  int i = threadIdx.x;
  if (i < n) o[i] = tex2D<T>(t, c[i].x, c[i].y);
}
template <class T>
cudaTextureObject_t mk(cudaArray_t &a, const T *h, int w, int ht, cudaChannelFormatDesc d,
                       cudaTextureDesc td) {
  CK(cudaMallocArray(&a, &d, w, ht));
  CK(cudaMemcpy2DToArray(a, 0, 0, h, w * sizeof(T), w * sizeof(T), ht, cudaMemcpyHostToDevice));
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaTextureObject_t t = 0;
  cudaError_t e = cudaCreateTextureObject(&t, &r, &td, nullptr);
  if (e) printf("make: %s\n", cudaGetErrorName(e));
  return t;
}
int main() {
  float2 *c;
  CK(cudaMallocManaged(&c, 256));
  const float xs[] = {-1.5f, -.25f, 0, .5f, 1, 1.75f, 3.999f, 4.5f, 9};
  for (int i = 0; i < 9; i++) c[i] = make_float2(xs[i], xs[8 - i]);
  void *o;
  CK(cudaMallocManaged(&o, 4096));
  cudaArray_t a;
  unsigned short us[16];
  for (int i = 0; i < 16; i++) us[i] = i * 4000;
  __half hh[16];
  for (int i = 0; i < 16; i++) hh[i] = __float2half(i * .5f);
  int2 i2[16];
  for (int i = 0; i < 16; i++) i2[i] = make_int2(i, -i * 1000);
  for (int mode = 0; mode < 4; mode++)
    for (int lin = 0; lin < 2; lin++) {
      cudaTextureDesc td = {};
      td.addressMode[0] = td.addressMode[1] = (cudaTextureAddressMode)mode;
      td.filterMode = lin ? cudaFilterModeLinear : cudaFilterModePoint;
      td.readMode = cudaReadModeNormalizedFloat;
      td.borderColor[0] = .5f;
      cudaTextureObject_t t = mk(a, us, 4, 4, cudaCreateChannelDesc<unsigned short>(), td);
      rd2<float><<<1, 32>>>(t, c, (float *)o, 9);
      CK(cudaDeviceSynchronize());
      printf("m%d l%d:", mode, lin);
      for (int i = 0; i < 9; i++) printf(" %.5f", ((float *)o)[i]);
      printf("\n");
      td.readMode = cudaReadModeElementType;
      t = mk(a, hh, 4, 4, cudaCreateChannelDescHalf(), td);
      rd2<float><<<1, 32>>>(t, c, (float *)o, 9);
      CK(cudaDeviceSynchronize());
      printf("h:");
      for (int i = 0; i < 9; i++) printf(" %g", ((float *)o)[i]);
      printf("\n");
    }
  cudaTextureDesc td = {};
  td.normalizedCoords = 1;
  for (int mode = 0; mode < 4; mode++) {
    td.addressMode[0] = td.addressMode[1] = (cudaTextureAddressMode)mode;
    cudaTextureObject_t t = mk(a, i2, 4, 4, cudaCreateChannelDesc<int2>(), td);
    for (int i = 0; i < 9; i++) c[i] = make_float2(xs[i] * .3f, xs[8 - i] * .2f);
    rd2<int2><<<1, 32>>>(t, c, (int2 *)o, 9);
    CK(cudaDeviceSynchronize());
    printf("n%d:", mode);
    for (int i = 0; i < 9; i++) printf(" %d/%d", ((int2 *)o)[i].x, ((int2 *)o)[i].y);
    printf("\n");
  }
  td.filterMode = cudaFilterModeLinear;
  mk(a, i2, 4, 4, cudaCreateChannelDesc<int2>(), td);
  td.readMode = cudaReadModeNormalizedFloat;
  mk(a, i2, 4, 4, cudaCreateChannelDesc<int2>(), td);
  float f[16] = {};
  mk(a, f, 4, 4, cudaCreateChannelDesc<float>(), td);
  td.filterMode = cudaFilterModePoint;
  mk(a, f, 4, 4, cudaCreateChannelDesc<float>(), td);
  return 0;
}
