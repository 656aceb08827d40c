// SPDX-License-Identifier: MIT
// Bits of texture reads that follow from no reference: where coordinates from 0 to 1 fall, how
// weights are rounded, and how elements of each format are added. Each line is a sum over many
// reads, and some of them.
#include <cfloat>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <vector>

enum { N = 2000 };
static uint32_t state = 12345;
static float *x; // coordinates, three for each read
static float *out;

static uint32_t next_random() { return (state = state * 1664525u + 1013904223u) >> 8; }
static uint32_t bits_of(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}

struct How {
  bool normalised, linear, fractions;
  cudaTextureAddressMode mode;
  float border;
};

template <class T>
static cudaTextureObject_t texture_of(const std::vector<T> &values, int width, int height,
                                      int depth, How how) {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<T>();
  const int rows = height ? height : 1;
  cudaArray_t array;
  cudaMalloc3DArray(&array, &format, make_cudaExtent(width, height, depth),
                    height && !depth ? cudaArrayTextureGather : 0);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr((void *)values.data(), width * sizeof(T), width, rows);
  copy.dstArray = array;
  copy.extent = make_cudaExtent(width, rows, depth ? depth : 1);
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);
  cudaResourceDesc from = {};
  from.resType = cudaResourceTypeArray;
  from.res.array.array = array;
  cudaTextureDesc desc = {};
  for (int i = 0; i < 3; i++) desc.addressMode[i] = how.mode;
  for (int i = 0; i < 4; i++) desc.borderColor[i] = how.border;
  desc.filterMode = how.linear ? cudaFilterModeLinear : cudaFilterModePoint;
  desc.readMode = how.fractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
  desc.normalizedCoords = how.normalised;
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &from, &desc, nullptr);
  return texture;
}

enum Kind { LINE, PLANE, SPACE, GATHER };
__global__ void read(cudaTextureObject_t texture, Kind kind, const float *x, float *out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= N) return;
  x += 3 * i;
  if (kind == LINE) out[i] = tex1D<float>(texture, x[0]);
  else if (kind == PLANE) out[i] = tex2D<float>(texture, x[0], x[1]);
  else if (kind == SPACE) out[i] = tex3D<float>(texture, x[0], x[1], x[2]);
  else out[i] = tex2Dgather<float4>(texture, x[0], x[1], 0).w;
}

static void show(const char *name, cudaTextureObject_t texture, Kind kind) {
  uint32_t sum = 0;
  read<<<(N + 127) / 128, 128>>>(texture, kind, x, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < N; i++) sum = (sum ^ bits_of(out[i])) * 16777619u;
  printf("%s: %08x, %08x %08x %08x\n", name, sum, bits_of(out[0]), bits_of(out[1]),
         bits_of(out[2]));
  cudaDestroyTextureObject(texture);
}

// Exactly on 256ths of an element, inside and at the edges.
static void place(float width) {
  for (int i = 0; i < 3 * N; i++) x[i] = (float)(next_random() % (uint32_t)(width * 256)) / 256.0f;
}
static void place_anywhere() { // beyond both edges, too
  for (int i = 0; i < 3 * N; i++) x[i] = (float)next_random() / 16777216.0f * 2.0f - 0.5f;
}
static void place_on_edges(int width) { // from element to element, and next to that
  for (int i = 0; i < 3 * N; i++) {
    const float edge = (float)(next_random() % (2 * width)) / (float)width;
    x[i] = edge + (float)((int)(next_random() % 9) - 4) * edge * FLT_EPSILON;
  }
}

static void positions() {
  for (int width : {3, 10, 100}) {
    std::vector<float> values(width);
    for (int i = 0; i < width; i++) values[i] = (float)i;
    place_on_edges(width);
    show("nearest", texture_of(values, width, 0, 0, {true, false, false, cudaAddressModeWrap, 0}),
         LINE);
    place_anywhere();
    show("linear", texture_of(values, width, 0, 0, {true, true, false, cudaAddressModeMirror, 0}),
         LINE);
  }
  std::vector<float> values(70);
  for (int i = 0; i < 70; i++) values[i] = (float)i;
  place_on_edges(20); // with halves of elements
  show("gather", texture_of(values, 10, 7, 0, {true, true, false, cudaAddressModeClamp, 0}),
       GATHER);
}

template <class T> static void format(const char *name, bool fractions) {
  std::vector<T> values(64);
  for (auto &value : values)
    value = fractions ? (T)next_random() : (T)((float)next_random() / 16777216.0f - 0.3f);
  if (fractions) values[9] = (T)(1u << (8 * sizeof(T) - 1)); // of the signed ones the smallest
  const How inside = {false, true, fractions, cudaAddressModeClamp, 0};
  place(4);
  show(name, texture_of(values, 64, 0, 0, inside), LINE);
  show(name, texture_of(values, 4, 16, 0, inside), PLANE);
  show(name, texture_of(values, 4, 4, 4, inside), SPACE);
  for (float border : {0.3f, -0.5f, 1.5f})
    show(name,
         texture_of(values, 4, 16, 0, {false, true, fractions, cudaAddressModeBorder, border}),
         PLANE);
}

// Of very different size, and what is no number.
static void extremes() {
  const float some[16] = {1e30f, -1e30f, 1e-30f, 1.0f,        3.0f,     -1.0f, 1e-40f, INFINITY,
                          5.0f,  NAN,    2.0f,   16777215.0f, 1.0f / 3, 0.0f,  -0.0f,  1e38f};
  place(16);
  show("extremes",
       texture_of(std::vector<float>(some, some + 16), 16, 0, 0,
                  {false, true, false, cudaAddressModeClamp, 0}),
       LINE);
}

int main() {
  cudaMallocManaged(&x, 3 * N * sizeof *x);
  cudaMallocManaged(&out, N * sizeof *out);
  positions();
  format<float>("float", false);
  format<uint8_t>("unsigned 8", true);
  format<int8_t>("signed 8", true);
  format<uint16_t>("unsigned 16", true);
  format<int16_t>("signed 16", true);
  extremes();
  cudaFree(x);
  cudaFree(out);
  printf("%s\n", cudaGetErrorName(cudaGetLastError()));
  return 0;
}
