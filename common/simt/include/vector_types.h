// SPDX-License-Identifier: MIT
// vector_types.h - float4, int2, dim3 …: names, members and alignment as in CUDA, so that
// host and device code (and programs built with nvcc) agree on their layout. C and C++.
#ifndef SIMT_VECTOR_TYPES_H
#define SIMT_VECTOR_TYPES_H
#define __VECTOR_TYPES_H__ // as in the toolkit: programs ask for it

#define SIMT_ALIGNED(bytes) __attribute__((aligned(bytes)))

// clang-format off
typedef struct char1 { signed char x; } char1;
typedef struct SIMT_ALIGNED(2) char2 { signed char x, y; } char2;
typedef struct char3 { signed char x, y, z; } char3;
typedef struct SIMT_ALIGNED(4) char4 { signed char x, y, z, w; } char4;

typedef struct uchar1 { unsigned char x; } uchar1;
typedef struct SIMT_ALIGNED(2) uchar2 { unsigned char x, y; } uchar2;
typedef struct uchar3 { unsigned char x, y, z; } uchar3;
typedef struct SIMT_ALIGNED(4) uchar4 { unsigned char x, y, z, w; } uchar4;

typedef struct short1 { short x; } short1;
typedef struct SIMT_ALIGNED(4) short2 { short x, y; } short2;
typedef struct short3 { short x, y, z; } short3;
typedef struct SIMT_ALIGNED(8) short4 { short x, y, z, w; } short4;

typedef struct ushort1 { unsigned short x; } ushort1;
typedef struct SIMT_ALIGNED(4) ushort2 { unsigned short x, y; } ushort2;
typedef struct ushort3 { unsigned short x, y, z; } ushort3;
typedef struct SIMT_ALIGNED(8) ushort4 { unsigned short x, y, z, w; } ushort4;

typedef struct int1 { int x; } int1;
typedef struct SIMT_ALIGNED(8) int2 { int x, y; } int2;
typedef struct int3 { int x, y, z; } int3;
typedef struct SIMT_ALIGNED(16) int4 { int x, y, z, w; } int4;

typedef struct uint1 { unsigned int x; } uint1;
typedef struct SIMT_ALIGNED(8) uint2 { unsigned int x, y; } uint2;
typedef struct uint3 { unsigned int x, y, z; } uint3;
typedef struct SIMT_ALIGNED(16) uint4 { unsigned int x, y, z, w; } uint4;

typedef struct long1 { long x; } long1;
typedef struct SIMT_ALIGNED(16) long2 { long x, y; } long2;
typedef struct long3 { long x, y, z; } long3;
typedef struct SIMT_ALIGNED(16) long4 { long x, y, z, w; } long4;

typedef struct ulong1 { unsigned long x; } ulong1;
typedef struct SIMT_ALIGNED(16) ulong2 { unsigned long x, y; } ulong2;
typedef struct ulong3 { unsigned long x, y, z; } ulong3;
typedef struct SIMT_ALIGNED(16) ulong4 { unsigned long x, y, z, w; } ulong4;

typedef struct longlong1 { long long x; } longlong1;
typedef struct SIMT_ALIGNED(16) longlong2 { long long x, y; } longlong2;
typedef struct longlong3 { long long x, y, z; } longlong3;
typedef struct SIMT_ALIGNED(16) longlong4 { long long x, y, z, w; } longlong4;

typedef struct ulonglong1 { unsigned long long x; } ulonglong1;
typedef struct SIMT_ALIGNED(16) ulonglong2 { unsigned long long x, y; } ulonglong2;
typedef struct ulonglong3 { unsigned long long x, y, z; } ulonglong3;
typedef struct SIMT_ALIGNED(16) ulonglong4 { unsigned long long x, y, z, w; } ulonglong4;

typedef struct float1 { float x; } float1;
typedef struct SIMT_ALIGNED(8) float2 { float x, y; } float2;
typedef struct float3 { float x, y, z; } float3;
typedef struct SIMT_ALIGNED(16) float4 { float x, y, z, w; } float4;

typedef struct double1 { double x; } double1;
typedef struct SIMT_ALIGNED(16) double2 { double x, y; } double2;
typedef struct double3 { double x, y, z; } double3;
typedef struct SIMT_ALIGNED(16) double4 { double x, y, z, w; } double4;

// CUDA 13: the same with their alignment in their names.
typedef struct SIMT_ALIGNED(16) long4_16a { long x, y, z, w; } long4_16a;
typedef struct SIMT_ALIGNED(32) long4_32a { long x, y, z, w; } long4_32a;
typedef struct SIMT_ALIGNED(16) ulong4_16a { unsigned long x, y, z, w; } ulong4_16a;
typedef struct SIMT_ALIGNED(32) ulong4_32a { unsigned long x, y, z, w; } ulong4_32a;
typedef struct SIMT_ALIGNED(16) longlong4_16a { long long x, y, z, w; } longlong4_16a;
typedef struct SIMT_ALIGNED(32) longlong4_32a { long long x, y, z, w; } longlong4_32a;
typedef struct SIMT_ALIGNED(16) ulonglong4_16a { unsigned long long x, y, z, w; } ulonglong4_16a;
typedef struct SIMT_ALIGNED(32) ulonglong4_32a { unsigned long long x, y, z, w; } ulonglong4_32a;
typedef struct SIMT_ALIGNED(16) double4_16a { double x, y, z, w; } double4_16a;
typedef struct SIMT_ALIGNED(32) double4_32a { double x, y, z, w; } double4_32a;
// clang-format on

// Geometry of a launch; what is not given is 1.
typedef struct dim3 {
  unsigned int x, y, z;
#ifdef __cplusplus
#ifdef __CUDACC__
#define SIMT_DIM3_FN __host__ __device__ constexpr
#else
#define SIMT_DIM3_FN constexpr
#endif
  SIMT_DIM3_FN dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1)
      : x(vx), y(vy), z(vz) {}
  SIMT_DIM3_FN dim3(uint3 v) : x(v.x), y(v.y), z(v.z) {}
  SIMT_DIM3_FN operator uint3() const { return uint3{x, y, z}; }
#undef SIMT_DIM3_FN
#endif
} dim3;

#undef SIMT_ALIGNED
#endif
