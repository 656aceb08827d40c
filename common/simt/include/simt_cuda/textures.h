// SPDX-License-Identifier: MIT
// simt_cuda/textures.h - the functions of device code that read textures, and the host's
// descriptions of what is in them.
//
// A read returns four words, of which the result's type takes as many as it has. Not supported:
// gradients in three dimensions and of layers; texture references, which CUDA 12 removed.
#ifndef SIMT_CUDA_TEXTURES_H
#define SIMT_CUDA_TEXTURES_H

#include "texture_types.h"

#ifdef __cplusplus

// ---- The host: channel descriptions by type, positions, extents.

inline cudaPos make_cudaPos(size_t x, size_t y, size_t z) {
  cudaPos p = {x, y, z};
  return p;
}
inline cudaExtent make_cudaExtent(size_t w, size_t h, size_t d) {
  cudaExtent e = {w, h, d};
  return e;
}
inline cudaPitchedPtr make_cudaPitchedPtr(void *ptr, size_t pitch, size_t xsize, size_t ysize) {
  cudaPitchedPtr p = {ptr, pitch, xsize, ysize};
  return p;
}

template <class T> struct simt_texel; // n: elements; element: their type; kind: of the channel
#define SIMT_TEXEL(type, count, element_type, kind_name)                                           \
  template <> struct simt_texel<type> {                                                            \
    typedef element_type element;                                                                  \
    enum { n = count, kind = cudaChannelFormatKind##kind_name };                                   \
  };
#define SIMT_TEXELS(name, element_type, kind_name)                                                 \
  SIMT_TEXEL(element_type, 1, element_type, kind_name)                                             \
  SIMT_TEXEL(name##1, 1, element_type, kind_name)                                                  \
  SIMT_TEXEL(name##2, 2, element_type, kind_name)                                                  \
  SIMT_TEXEL(name##4, 4, element_type, kind_name)
SIMT_TEXELS(char, signed char, Signed)
SIMT_TEXELS(uchar, unsigned char, Unsigned)
SIMT_TEXELS(short, short, Signed)
SIMT_TEXELS(ushort, unsigned short, Unsigned)
SIMT_TEXELS(int, int, Signed)
SIMT_TEXELS(uint, unsigned, Unsigned)
SIMT_TEXELS(float, float, Float)
SIMT_TEXEL(char, 1, char, Signed)

inline cudaChannelFormatDesc cudaCreateChannelDescHalf() {
  return cudaCreateChannelDesc(16, 0, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf1() { return cudaCreateChannelDescHalf(); }
inline cudaChannelFormatDesc cudaCreateChannelDescHalf2() {
  return cudaCreateChannelDesc(16, 16, 0, 0, cudaChannelFormatKindFloat);
}
inline cudaChannelFormatDesc cudaCreateChannelDescHalf4() {
  return cudaCreateChannelDesc(16, 16, 16, 16, cudaChannelFormatKindFloat);
}
template <class T> inline cudaChannelFormatDesc cudaCreateChannelDesc() {
  const int bits = 8 * sizeof(typename simt_texel<T>::element), n = simt_texel<T>::n;
  return cudaCreateChannelDesc(bits, n > 1 ? bits : 0, n > 2 ? bits : 0, n > 3 ? bits : 0,
                               (cudaChannelFormatKind)simt_texel<T>::kind);
}

// ---- The device.
#if defined(__CUDA__) && defined(__clang__)

#define SIMT_TEXTURE __device__ __inline__ __attribute__((always_inline, nodebug))

struct simt_words {
  unsigned word[4];
};

template <class T> SIMT_TEXTURE T simt_texel_of(const simt_words &words) {
  typedef typename simt_texel<T>::element element;
  T value;
  element *to = (element *)&value;
#pragma unroll
  for (int i = 0; i < simt_texel<T>::n; i++) {
    if (simt_texel<T>::kind == cudaChannelFormatKindFloat)
      __builtin_memcpy(&to[i], &words.word[i], sizeof to[i]);
    else to[i] = (element)words.word[i];
  }
  return value;
}

// A function `name` that returns four words, by the instruction with its coordinates and operands.
#define SIMT_FETCH(name, parameters, instruction, ...)                                             \
  SIMT_TEXTURE simt_words name parameters {                                                        \
    simt_words w;                                                                                  \
    asm volatile(instruction                                                                       \
                 : "=r"(w.word[0]), "=r"(w.word[1]), "=r"(w.word[2]), "=r"(w.word[3])              \
                 : "l"(t), __VA_ARGS__);                                                           \
    return w;                                                                                      \
  }
#define SIMT_WORDS "{%0, %1, %2, %3}, [%4, "
SIMT_FETCH(simt_fetch_list, (cudaTextureObject_t t, int x),
           "tex.1d.v4.s32.s32 " SIMT_WORDS "{%5}];", "r"(x))
SIMT_FETCH(simt_fetch_1d, (cudaTextureObject_t t, float x),
           "tex.1d.v4.u32.f32 " SIMT_WORDS "{%5}];", "f"(x))
SIMT_FETCH(simt_fetch_2d, (cudaTextureObject_t t, float x, float y),
           "tex.2d.v4.u32.f32 " SIMT_WORDS "{%5, %6}];", "f"(x), "f"(y))
SIMT_FETCH(simt_fetch_3d, (cudaTextureObject_t t, float x, float y, float z),
           "tex.3d.v4.u32.f32 " SIMT_WORDS "{%5, %6, %7, %7}];", "f"(x), "f"(y), "f"(z))
SIMT_FETCH(simt_fetch_a1d, (cudaTextureObject_t t, float x, int layer),
           "tex.a1d.v4.u32.f32 " SIMT_WORDS "{%5, %6}];", "r"(layer), "f"(x))
SIMT_FETCH(simt_fetch_a2d, (cudaTextureObject_t t, float x, float y, int layer),
           "tex.a2d.v4.u32.f32 " SIMT_WORDS "{%5, %6, %7, %7}];", "r"(layer), "f"(x), "f"(y))
SIMT_FETCH(simt_fetch_cube, (cudaTextureObject_t t, float x, float y, float z),
           "tex.cube.v4.u32.f32 " SIMT_WORDS "{%5, %6, %7, %7}];", "f"(x), "f"(y), "f"(z))
SIMT_FETCH(simt_fetch_acube, (cudaTextureObject_t t, float x, float y, float z, int layer),
           "tex.acube.v4.u32.f32 " SIMT_WORDS "{%5, %6, %7, %8}];", "r"(layer), "f"(x), "f"(y),
           "f"(z))
// The same from a level of a mipmap, or from the level that the gradients select.
SIMT_FETCH(simt_level_1d, (cudaTextureObject_t t, float x, float level),
           "tex.level.1d.v4.u32.f32 " SIMT_WORDS "{%5}], %6;", "f"(x), "f"(level))
SIMT_FETCH(simt_level_2d, (cudaTextureObject_t t, float x, float y, float level),
           "tex.level.2d.v4.u32.f32 " SIMT_WORDS "{%5, %6}], %7;", "f"(x), "f"(y), "f"(level))
SIMT_FETCH(simt_level_3d, (cudaTextureObject_t t, float x, float y, float z, float level),
           "tex.level.3d.v4.u32.f32 " SIMT_WORDS "{%5, %6, %7, %7}], %8;", "f"(x), "f"(y), "f"(z),
           "f"(level))
SIMT_FETCH(simt_level_a1d, (cudaTextureObject_t t, float x, int layer, float level),
           "tex.level.a1d.v4.u32.f32 " SIMT_WORDS "{%5, %6}], %7;", "r"(layer), "f"(x), "f"(level))
SIMT_FETCH(simt_level_a2d, (cudaTextureObject_t t, float x, float y, int layer, float level),
           "tex.level.a2d.v4.u32.f32 " SIMT_WORDS "{%5, %6, %7, %7}], %8;", "r"(layer), "f"(x),
           "f"(y), "f"(level))
SIMT_FETCH(simt_level_cube, (cudaTextureObject_t t, float x, float y, float z, float level),
           "tex.level.cube.v4.u32.f32 " SIMT_WORDS "{%5, %6, %7, %7}], %8;", "f"(x), "f"(y), "f"(z),
           "f"(level))
SIMT_FETCH(simt_grad_1d, (cudaTextureObject_t t, float x, float dx, float dy),
           "tex.grad.1d.v4.u32.f32 " SIMT_WORDS "{%5}], {%6}, {%7};", "f"(x), "f"(dx), "f"(dy))
SIMT_FETCH(simt_grad_2d, (cudaTextureObject_t t, float x, float y, float2 dx, float2 dy),
           "tex.grad.2d.v4.u32.f32 " SIMT_WORDS "{%5, %6}], {%7, %8}, {%9, %10};", "f"(x), "f"(y),
           "f"(dx.x), "f"(dx.y), "f"(dy.x), "f"(dy.y))
SIMT_FETCH(simt_gather_0, (cudaTextureObject_t t, float x, float y),
           "tld4.r.2d.v4.u32.f32 " SIMT_WORDS "{%5, %6}];", "f"(x), "f"(y))
SIMT_FETCH(simt_gather_1, (cudaTextureObject_t t, float x, float y),
           "tld4.g.2d.v4.u32.f32 " SIMT_WORDS "{%5, %6}];", "f"(x), "f"(y))
SIMT_FETCH(simt_gather_2, (cudaTextureObject_t t, float x, float y),
           "tld4.b.2d.v4.u32.f32 " SIMT_WORDS "{%5, %6}];", "f"(x), "f"(y))
SIMT_FETCH(simt_gather_3, (cudaTextureObject_t t, float x, float y),
           "tld4.a.2d.v4.u32.f32 " SIMT_WORDS "{%5, %6}];", "f"(x), "f"(y))

// Every function in two forms: with the result as its value, and with a pointer to it first.
#define SIMT_READ(name, parameters, fetch)                                                         \
  template <class T> SIMT_TEXTURE T name parameters { return simt_texel_of<T>(fetch); }
SIMT_READ(tex1Dfetch, (cudaTextureObject_t t, int x), simt_fetch_list(t, x))
SIMT_READ(tex1D, (cudaTextureObject_t t, float x), simt_fetch_1d(t, x))
SIMT_READ(tex2D, (cudaTextureObject_t t, float x, float y), simt_fetch_2d(t, x, y))
SIMT_READ(tex3D, (cudaTextureObject_t t, float x, float y, float z), simt_fetch_3d(t, x, y, z))
SIMT_READ(tex1DLayered, (cudaTextureObject_t t, float x, int layer), simt_fetch_a1d(t, x, layer))
SIMT_READ(tex2DLayered, (cudaTextureObject_t t, float x, float y, int layer),
          simt_fetch_a2d(t, x, y, layer))
SIMT_READ(texCubemap, (cudaTextureObject_t t, float x, float y, float z),
          simt_fetch_cube(t, x, y, z))
SIMT_READ(texCubemapLayered, (cudaTextureObject_t t, float x, float y, float z, int layer),
          simt_fetch_acube(t, x, y, z, layer))
SIMT_READ(tex1DLod, (cudaTextureObject_t t, float x, float level), simt_level_1d(t, x, level))
SIMT_READ(tex2DLod, (cudaTextureObject_t t, float x, float y, float level),
          simt_level_2d(t, x, y, level))
SIMT_READ(tex3DLod, (cudaTextureObject_t t, float x, float y, float z, float level),
          simt_level_3d(t, x, y, z, level))
SIMT_READ(texCubemapLod, (cudaTextureObject_t t, float x, float y, float z, float level),
          simt_level_cube(t, x, y, z, level))
SIMT_READ(tex1DLayeredLod, (cudaTextureObject_t t, float x, int layer, float level),
          simt_level_a1d(t, x, layer, level))
SIMT_READ(tex2DLayeredLod, (cudaTextureObject_t t, float x, float y, int layer, float level),
          simt_level_a2d(t, x, y, layer, level))
SIMT_READ(tex1DGrad, (cudaTextureObject_t t, float x, float dx, float dy),
          simt_grad_1d(t, x, dx, dy))
SIMT_READ(tex2DGrad, (cudaTextureObject_t t, float x, float y, float2 dx, float2 dy),
          simt_grad_2d(t, x, y, dx, dy))
template <class T>
SIMT_TEXTURE T tex2Dgather(cudaTextureObject_t t, float x, float y, int component = 0) {
  return simt_texel_of<T>(component == 0   ? simt_gather_0(t, x, y)
                          : component == 1 ? simt_gather_1(t, x, y)
                          : component == 2 ? simt_gather_2(t, x, y)
                                           : simt_gather_3(t, x, y));
}
#define SIMT_READ_TO(name, parameters, call)                                                       \
  template <class T> SIMT_TEXTURE void name parameters { *to = call; }
SIMT_READ_TO(tex1Dfetch, (T * to, cudaTextureObject_t t, int x), tex1Dfetch<T>(t, x))
SIMT_READ_TO(tex1D, (T * to, cudaTextureObject_t t, float x), tex1D<T>(t, x))
SIMT_READ_TO(tex2D, (T * to, cudaTextureObject_t t, float x, float y), (tex2D<T>(t, x, y)))
SIMT_READ_TO(tex3D, (T * to, cudaTextureObject_t t, float x, float y, float z),
             (tex3D<T>(t, x, y, z)))
SIMT_READ_TO(tex2DLayered, (T * to, cudaTextureObject_t t, float x, float y, int layer),
             (tex2DLayered<T>(t, x, y, layer)))

#include "surfaces.h"

#endif // clang in CUDA mode
#endif // C++
#endif
