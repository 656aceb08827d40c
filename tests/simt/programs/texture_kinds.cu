// SPDX-License-Identifier: MIT
//
// Textures of bytes, of half precision, of shorts and of layers; weights of
// filters in one and three dimensions under every address mode; a view of an array in its own
// format.
#include <cstdio>
#include <initializer_list>

#include <cuda_fp16.h>
__global__ void srgb(cudaTextureObject_t t, float4 *o) {
  o[threadIdx.x] = tex2D<float4>(t, threadIdx.x + 0.5f, 0.5f);
}
__global__ void halves(cudaTextureObject_t t, float *o) {
  o[threadIdx.x] = tex2D<float>(t, threadIdx.x * 0.5f, 0.75f);
}
__global__ void one(cudaTextureObject_t t, float *o) {
  o[threadIdx.x] = tex1D<float>(t, threadIdx.x * 0.13f);
}
__global__ void ints(cudaTextureObject_t t, short2 *o) {
  o[threadIdx.x] = tex2D<short2>(t, threadIdx.x % 4, threadIdx.x / 4);
}
__global__ void layered(cudaTextureObject_t t, float *o) {
  o[threadIdx.x] = tex1DLayered<float>(t, threadIdx.x % 8 * 0.6f, threadIdx.x / 8);
}
__global__ void three(cudaTextureObject_t t, float *o) {
  o[threadIdx.x] = tex3D<float>(t, 0.1f * threadIdx.x, 0.33f, 0.7f);
}
#define E(c)                                                                                       \
  do {                                                                                             \
    cudaError_t e_ = (c);                                                                          \
    if (e_) printf("%s: %s\n", #c, cudaGetErrorName(e_));                                          \
  } while (0)
static cudaTextureObject_t make(cudaArray_t a, cudaTextureReadMode rm, cudaTextureFilterMode fm,
                                cudaTextureAddressMode am, int norm, int s,
                                cudaResourceViewDesc *v = nullptr) {
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray;
  r.res.array.array = a;
  cudaTextureDesc t = {};
  t.readMode = rm;
  t.filterMode = fm;
  t.addressMode[0] = t.addressMode[1] = t.addressMode[2] = am;
  t.normalizedCoords = norm;
  t.sRGB = s;
  cudaTextureObject_t x = 0;
  E(cudaCreateTextureObject(&x, &r, &t, v));
  return x;
}
int main() {
  float *o, h[64];
  E(cudaMalloc(&o, 1024));
  float4 h4[16];
  uchar4 px[16];
  for (int i = 0; i < 16; i++) px[i] = make_uchar4(i * 16, 255 - i * 16, i * 5, i * 17);
  auto d = cudaCreateChannelDesc<uchar4>();
  cudaArray_t a;
  E(cudaMallocArray(&a, &d, 16, 1));
  E(cudaMemcpy2DToArray(a, 0, 0, px, 64, 64, 1, cudaMemcpyHostToDevice));
  for (int s = 0; s < 4; s += 2) {
    srgb<<<1, 16>>>(make(a, cudaReadModeNormalizedFloat,
                         s & 2 ? cudaFilterModeLinear : cudaFilterModePoint, cudaAddressModeClamp,
                         0, s & 1),
                    (float4 *)o);
    E(cudaMemcpy(h4, o, sizeof h4, cudaMemcpyDeviceToHost));
    for (auto f : h4) printf("%.5f %.5f %.5f %.5f|", f.x, f.y, f.z, f.w);
    printf("\n");
  }
  __half hh[16];
  for (int i = 0; i < 16; i++) hh[i] = __float2half(i * 0.75f);
  auto hd = cudaCreateChannelDescHalf();
  cudaArray_t b;
  E(cudaMallocArray(&b, &hd, 8, 2));
  E(cudaMemcpy2DToArray(b, 0, 0, hh, 16, 16, 2, cudaMemcpyHostToDevice));
  halves<<<1, 20>>>(
      make(b, cudaReadModeElementType, cudaFilterModeLinear, cudaAddressModeClamp, 0, 0), o);
  E(cudaMemcpy(h, o, 80, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 20; i++) printf("%g ", h[i]);
  printf("\n");
  float f[16];
  for (int i = 0; i < 16; i++) f[i] = i * i;
  auto fd = cudaCreateChannelDesc<float>();
  cudaArray_t c;
  E(cudaMallocArray(&c, &fd, 16, 0));
  E(cudaMemcpy2DToArray(c, 0, 0, f, 64, 64, 1, cudaMemcpyHostToDevice));
  for (auto m :
       {cudaAddressModeWrap, cudaAddressModeMirror, cudaAddressModeClamp, cudaAddressModeBorder}) {
    one<<<1, 24>>>(make(c, cudaReadModeElementType, cudaFilterModeLinear, m, 1, 0), o);
    E(cudaMemcpy(h, o, 96, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 24; i++) printf("%g ", h[i]);
    printf("\n");
  }
  short2 sh[8], so[8];
  for (int i = 0; i < 8; i++) sh[i] = make_short2(-i, i * 1000);
  auto sd = cudaCreateChannelDesc<short2>();
  cudaArray_t e;
  E(cudaMallocArray(&e, &sd, 4, 2));
  E(cudaMemcpy2DToArray(e, 0, 0, sh, 16, 16, 2, cudaMemcpyHostToDevice));
  ints<<<1, 8>>>(make(e, cudaReadModeElementType, cudaFilterModePoint, cudaAddressModeClamp, 0, 0),
                 (short2 *)o);
  E(cudaMemcpy(so, o, sizeof so, cudaMemcpyDeviceToHost));
  for (auto x : so) printf("%d %d ", x.x, x.y);
  printf("\n");
  cudaArray_t l;
  E(cudaMalloc3DArray(&l, &fd, make_cudaExtent(4, 0, 3), cudaArrayLayered));
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(f, 16, 4, 1);
  p.dstArray = l;
  p.extent = make_cudaExtent(4, 1, 3);
  p.kind = cudaMemcpyHostToDevice;
  E(cudaMemcpy3D(&p));
  layered<<<1, 24>>>(
      make(l, cudaReadModeElementType, cudaFilterModeLinear, cudaAddressModeClamp, 0, 0), o);
  E(cudaMemcpy(h, o, 96, cudaMemcpyDeviceToHost));
  for (int i = 0; i < 24; i++) printf("%g ", h[i]);
  printf("\n");
  cudaArray_t v;
  E(cudaMalloc3DArray(&v, &fd, make_cudaExtent(4, 2, 2), 0));
  p.srcPtr = make_cudaPitchedPtr(f, 16, 4, 2);
  p.dstArray = v;
  p.extent = make_cudaExtent(4, 2, 2);
  E(cudaMemcpy3D(&p));
  for (auto m : {cudaAddressModeWrap, cudaAddressModeMirror}) {
    three<<<1, 24>>>(make(v, cudaReadModeElementType, cudaFilterModeLinear, m, 1, 0), o);
    E(cudaMemcpy(h, o, 96, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 24; i++) printf("%g ", h[i]);
    printf("\n");
  }
  cudaResourceViewDesc rv = {};
  rv.format = cudaResViewFormatUnsignedChar4;
  rv.width = 16;
  rv.height = 1;
  srgb<<<1, 16>>>(
      make(a, cudaReadModeNormalizedFloat, cudaFilterModePoint, cudaAddressModeClamp, 0, 0, &rv),
      (float4 *)o);
  E(cudaMemcpy(h4, o, 32, cudaMemcpyDeviceToHost));
  printf("%g %g\n", h4[1].x, h4[1].y);
  E(cudaGetLastError());
}
