// SPDX-License-Identifier: MIT
// simt_cuda/surfaces.h - the functions of device code that read and write surfaces.
//
// An element of 1, 2, 4 or 8 bytes is one word, one of 16 bytes two words of 8. `x` counts bytes.
// Included by textures.h, for clang's device code only.
#ifndef SIMT_CUDA_SURFACES_H
#define SIMT_CUDA_SURFACES_H

// The words of an element of `bytes` bytes.
template <int bytes> struct simt_surface_word;
template <> struct simt_surface_word<1> { typedef unsigned short type; };
template <> struct simt_surface_word<2> { typedef unsigned short type; };
template <> struct simt_surface_word<4> { typedef unsigned type; };
template <> struct simt_surface_word<8> { typedef unsigned long long type; };
template <int bytes> struct simt_surface_bytes {}; // selects the access of a word of this size
template <class T> struct simt_surface_part {
  enum { bytes = sizeof(T) > 8 ? 8 : sizeof(T) };
  typedef typename simt_surface_word<bytes>::type word;
  typedef simt_surface_bytes<bytes> size;
};

#define SIMT_LIST(...) __VA_ARGS__ // takes the parentheses off a list that is one macro argument

// The mode is a part of the instruction's name: one instruction for each.
#define SIMT_SURFACE_BY_MODE(access, ...)                                                          \
  do {                                                                                             \
    if (mode == cudaBoundaryModeZero) access("zero", __VA_ARGS__);                                 \
    else if (mode == cudaBoundaryModeClamp) access("clamp", __VA_ARGS__);                          \
    else access("trap", __VA_ARGS__);                                                              \
  } while (0)
#define SIMT_SURFACE_LOAD(edge, shape, bits, letter, place, operands)                              \
  asm volatile("suld.b." shape ".b" bits "." edge " {%0}, [%1, {" place "}];"                      \
               : "=" letter(*d)                                                                    \
               : "l"(s), SIMT_LIST operands)
#define SIMT_SURFACE_STORE(edge, shape, bits, letter, place, operands)                             \
  asm volatile("sust.b." shape ".b" bits "." edge " [%1, {" place "}], {%0};" ::letter(d), "l"(s), \
               SIMT_LIST operands                                                                  \
               : "memory")

// Reads and writes one word of `n` bytes; `letter` is asm's for a register of its size.
#define SIMT_SURFACE_WORD(name, shape, place, parameters, operands, n, bits, letter)               \
  SIMT_TEXTURE void simt_surface_read_##name(simt_surface_word<n>::type *d, cudaSurfaceObject_t s, \
                                             SIMT_LIST parameters, cudaSurfaceBoundaryMode mode,   \
                                             simt_surface_bytes<n>) {                              \
    SIMT_SURFACE_BY_MODE(SIMT_SURFACE_LOAD, shape, bits, letter, place, operands);                 \
  }                                                                                                \
  SIMT_TEXTURE void simt_surface_write_##name(simt_surface_word<n>::type d, cudaSurfaceObject_t s, \
                                              SIMT_LIST parameters, cudaSurfaceBoundaryMode mode,  \
                                              simt_surface_bytes<n>) {                             \
    SIMT_SURFACE_BY_MODE(SIMT_SURFACE_STORE, shape, bits, letter, place, operands);                \
  }

// The functions of one geometry: `shape` and `place` are PTX's name of it and its coordinates,
// `operands` what asm puts there; `parameters` are the functions' own; `word_at` are those of the
// word at byte `at` of an element.
#define SIMT_SURFACE(name, shape, place, operands, parameters, arguments, word_at)                 \
  SIMT_SURFACE_WORD(name, shape, place, parameters, operands, 1, "8", "h")                         \
  SIMT_SURFACE_WORD(name, shape, place, parameters, operands, 2, "16", "h")                        \
  SIMT_SURFACE_WORD(name, shape, place, parameters, operands, 4, "32", "r")                        \
  SIMT_SURFACE_WORD(name, shape, place, parameters, operands, 8, "64", "l")                        \
  template <class T>                                                                               \
  SIMT_TEXTURE void surf##name##read(T *to, cudaSurfaceObject_t s, SIMT_LIST parameters,           \
                                     cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {        \
    typedef simt_surface_part<T> part;                                                             \
    for (int at = 0; at < (int)sizeof(T); at += part::bytes) {                                     \
      typename part::word word;                                                                    \
      simt_surface_read_##name(&word, s, SIMT_LIST word_at, mode, typename part::size());          \
      __builtin_memcpy((char *)to + at, &word, part::bytes);                                       \
    }                                                                                              \
  }                                                                                                \
  template <class T>                                                                               \
  SIMT_TEXTURE T surf##name##read(cudaSurfaceObject_t s, SIMT_LIST parameters,                     \
                                  cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {           \
    T value;                                                                                       \
    surf##name##read(&value, s, SIMT_LIST arguments, mode);                                        \
    return value;                                                                                  \
  }                                                                                                \
  template <class T>                                                                               \
  SIMT_TEXTURE void surf##name##write(T value, cudaSurfaceObject_t s, SIMT_LIST parameters,        \
                                      cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap) {       \
    typedef simt_surface_part<T> part;                                                             \
    for (int at = 0; at < (int)sizeof(T); at += part::bytes) {                                     \
      typename part::word word = 0;                                                                \
      __builtin_memcpy(&word, (const char *)&value + at, part::bytes);                             \
      simt_surface_write_##name(word, s, SIMT_LIST word_at, mode, typename part::size());          \
    }                                                                                              \
  }

SIMT_SURFACE(1D, "1d", "%2", ("r"(x)), (int x), (x), (x + at))
SIMT_SURFACE(2D, "2d", "%2, %3", ("r"(x), "r"(y)), (int x, int y), (x, y), (x + at, y))
SIMT_SURFACE(3D, "3d", "%2, %3, %4, %4", ("r"(x), "r"(y), "r"(z)), (int x, int y, int z), (x, y, z),
             (x + at, y, z))
SIMT_SURFACE(1DLayered, "a1d", "%2, %3", ("r"(layer), "r"(x)), (int x, int layer), (x, layer),
             (x + at, layer))
SIMT_SURFACE(2DLayered, "a2d", "%2, %3, %4, %4", ("r"(layer), "r"(x), "r"(y)),
             (int x, int y, int layer), (x, y, layer), (x + at, y, layer))

SIMT_SURFACE(Cubemap, "a2d", "%2, %3, %4, %4", ("r"(face), "r"(x), "r"(y)),
             (int x, int y, int face), (x, y, face), (x + at, y, face))
SIMT_SURFACE(CubemapLayered, "a2d", "%2, %3, %4, %4", ("r"(face), "r"(x), "r"(y)),
             (int x, int y, int face), (x, y, face), (x + at, y, face))

#undef SIMT_SURFACE
#undef SIMT_SURFACE_WORD
#undef SIMT_SURFACE_STORE
#undef SIMT_SURFACE_LOAD
#undef SIMT_SURFACE_BY_MODE
#undef SIMT_LIST

#endif
