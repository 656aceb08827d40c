// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// Arrays, textures and surfaces of the driver API, their descriptors, and copies of all shapes.
#include <cuda.h>
#include <cstring>
#include "driver_calls.h"

__global__ void rd(cudaTextureObject_t t, float *o) {
  o[threadIdx.x] = tex2D<float>(t, threadIdx.x * .5f, 1.f);
}
__global__ void wr(cudaSurfaceObject_t s) { surf2Dwrite(threadIdx.x * 2.f, s, threadIdx.x * 4, 0); }
int main() {
  start();
  CUarray a;
  CUDA_ARRAY_DESCRIPTOR ad = {8, 2, CU_AD_FORMAT_FLOAT, 1};
  E(cuArrayCreate(&a, &ad));
  CUDA_ARRAY_DESCRIPTOR g;
  E(cuArrayGetDescriptor(&g, a));
  printf("%zu %zu %d %u\n", g.Width, g.Height, g.Format, g.NumChannels);
  float h[16];
  for (int i = 0; i < 16; i++) h[i] = i * i;
  E(cuMemcpyHtoA(a, 0, h, 32));
  CUDA_MEMCPY2D c;
  memset(&c, 0, sizeof c);
  c.srcMemoryType = CU_MEMORYTYPE_HOST;
  c.srcHost = h;
  c.srcPitch = 32;
  c.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  c.dstArray = a;
  c.WidthInBytes = 32;
  c.Height = 2;
  E(cuMemcpy2D(&c));
  CUdeviceptr p;
  CK(cuMemAlloc(&p, 128));
  E(cuMemcpyAtoD(p, a, 8, 16));
  float o[16];
  CK(cuMemcpyDtoH(o, p, 16));
  printf("%g %g\n", o[0], o[3]);
  E(cuMemcpyDtoA(a, 0, p, 16));
  E(cuMemcpyAtoH(o, a, 0, 32));
  printf("%g %g %g\n", o[0], o[1], o[4]);
  E(cuMemcpyAtoA(a, 16, a, 0, 8));
  E(cuMemcpyAtoH(o, a, 0, 32));
  printf("%g\n", o[4]);
  E(cuMemcpyAtoH(o, a, 0, 100));
  CUDA_RESOURCE_DESC r;
  memset(&r, 0, sizeof r);
  r.resType = CU_RESOURCE_TYPE_ARRAY;
  r.res.array.hArray = a;
  CUDA_TEXTURE_DESC t;
  memset(&t, 0, sizeof t);
  t.addressMode[0] = t.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  t.filterMode = CU_TR_FILTER_MODE_LINEAR;
  CUtexObject x;
  E(cuTexObjectCreate(&x, &r, &t, nullptr));
  rd<<<1, 16>>>(x, (float *)p);
  CK(cuCtxSynchronize());
  CK(cuMemcpyDtoH(o, p, 64));
  for (float v : o) printf("%g ", v);
  printf("\n");
  CUDA_TEXTURE_DESC tg;
  E(cuTexObjectGetTextureDesc(&tg, x));
  printf("%d %d %u\n", tg.addressMode[0], tg.filterMode, tg.flags);
  CUDA_RESOURCE_DESC rg;
  E(cuTexObjectGetResourceDesc(&rg, x));
  printf("%d %d\n", rg.resType, rg.res.array.hArray == a);
  CUDA_RESOURCE_VIEW_DESC vg;
  E(cuTexObjectGetResourceViewDesc(&vg, x));
  E(cuTexObjectDestroy(x));
  E(cuTexObjectCreate(&x, nullptr, &t, nullptr));
  CUarray s3;
  CUDA_ARRAY3D_DESCRIPTOR d3;
  memset(&d3, 0, sizeof d3);
  d3.Width = 8;
  d3.Height = 2;
  d3.Format = CU_AD_FORMAT_FLOAT;
  d3.NumChannels = 1;
  d3.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  E(cuArray3DCreate(&s3, &d3));
  CUDA_ARRAY3D_DESCRIPTOR dg;
  E(cuArray3DGetDescriptor(&dg, s3));
  printf("%zu %zu %zu %u\n", dg.Width, dg.Height, dg.Depth, dg.Flags);
  r.res.array.hArray = s3;
  CUsurfObject so;
  E(cuSurfObjectCreate(&so, &r));
  wr<<<1, 8>>>(so);
  CK(cuCtxSynchronize());
  E(cuMemcpyAtoH(o, s3, 0, 32));
  printf("%g %g\n", o[1], o[7]);
  E(cuSurfObjectGetResourceDesc(&rg, so));
  printf("%d\n", rg.res.array.hArray == s3);
  E(cuSurfObjectDestroy(so));
  d3.NumChannels = 3;
  E(cuArray3DCreate(&s3, &d3));
  d3.NumChannels = 1;
  d3.Width = 0;
  E(cuArray3DCreate(&s3, &d3));
  r.res.array.hArray = a;
  E(cuSurfObjectCreate(&so, &r));
  E(cuArrayDestroy(a));
  CUmipmappedArray mm;
  d3.Width = 8;
  d3.Height = 8;
  E(cuMipmappedArrayCreate(&mm, &d3, 3));
  CUarray lv;
  E(cuMipmappedArrayGetLevel(&lv, mm, 1));
  E(cuArray3DGetDescriptor(&dg, lv));
  printf("%zu %zu\n", dg.Width, dg.Height);
  E(cuMipmappedArrayGetLevel(&lv, mm, 3));
  E(cuMipmappedArrayDestroy(mm));
  // stream-ordered copies with arrays
  CUstream st;
  CK(cuStreamCreate(&st, 0));
  ad.Height = 0;
  E(cuArrayCreate(&a, &ad));
  E(cuMemcpyHtoAAsync(a, 4, h + 1, 8, st));
  E(cuMemcpyAtoHAsync(o, a, 4, 8, st));
  E(cuStreamSynchronize(st));
  printf("%g %g\n", o[0], o[1]);
  CUDA_MEMCPY3D c3;
  memset(&c3, 0, sizeof c3);
  c3.srcMemoryType = CU_MEMORYTYPE_HOST;
  c3.srcHost = h;
  c3.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c3.dstDevice = p;
  c3.WidthInBytes = 64;
  c3.Height = 1;
  c3.Depth = 1;
  E(cuMemcpy3DAsync(&c3, st));
  E(cuStreamSynchronize(st));
  c3.Depth = 0;
  E(cuMemcpy3D(&c3));
  CUDA_MEMCPY3D_PEER pp;
  memset(&pp, 0, sizeof pp);
  CUcontext cx;
  CK(cuCtxGetCurrent(&cx));
  pp.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  pp.srcDevice = p;
  pp.srcContext = cx;
  pp.dstMemoryType = CU_MEMORYTYPE_HOST;
  pp.dstHost = o;
  pp.dstContext = cx;
  pp.WidthInBytes = 64;
  pp.Height = pp.Depth = 1;
  E(cuMemcpy3DPeer(&pp));
  printf("%g\n", o[15]);
  return 0;
}
