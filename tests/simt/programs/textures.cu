// SPDX-License-Identifier: MIT
//
// Texture objects: linear memory, arrays of one, two and three dimensions, layers, point and linear
// filtering, the four address modes, normalised coordinates and normalised values, gathers.
#include <cuda_runtime.h>

#include <cstdio>
#include <cstring>

static cudaTextureObject_t make_texture(cudaArray_t array, cudaTextureAddressMode address,
                                        cudaTextureFilterMode filter, cudaTextureReadMode read,
                                        bool normalised) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc desc = {};
  desc.addressMode[0] = desc.addressMode[1] = desc.addressMode[2] = address;
  desc.filterMode = filter;
  desc.readMode = read;
  desc.normalizedCoords = normalised;
  desc.borderColor[0] = 9.0f;
  cudaTextureObject_t texture = 0;
  cudaError_t error = cudaCreateTextureObject(&texture, &resource, &desc, nullptr);
  if (error) printf("cudaCreateTextureObject: %s\n", cudaGetErrorName(error));
  return texture;
}

__global__ void sample_1d(cudaTextureObject_t t, float from, float step, float *out) {
  out[threadIdx.x] = tex1D<float>(t, from + step * threadIdx.x);
}
__global__ void sample_2d(cudaTextureObject_t t, float from, float step, float *out) {
  int i = threadIdx.x % 8, j = threadIdx.x / 8;
  out[threadIdx.x] = tex2D<float>(t, from + step * i, from + step * j);
}
__global__ void sample_3d(cudaTextureObject_t t, float from, float step, float *out) {
  int i = threadIdx.x % 4, j = threadIdx.x / 4 % 4, k = threadIdx.x / 16;
  out[threadIdx.x] = tex3D<float>(t, from + step * i, from + step * j, from + step * k);
}
__global__ void sample_layers(cudaTextureObject_t t, float *out) {
  out[threadIdx.x] = tex2DLayered<float>(t, threadIdx.x % 4 + 0.5f, 0.5f, threadIdx.x / 4);
}
__global__ void fetch(cudaTextureObject_t t, int4 *out) {
  out[threadIdx.x] = tex1Dfetch<int4>(t, (int)threadIdx.x - 1);
}
__global__ void bytes(cudaTextureObject_t t, uchar4 *out) {
  out[threadIdx.x] = tex2D<uchar4>(t, threadIdx.x % 4, threadIdx.x / 4);
}
__global__ void fractions(cudaTextureObject_t t, float4 *out) {
  out[threadIdx.x] = tex2D<float4>(t, threadIdx.x % 4, threadIdx.x / 4);
}
__global__ void gather(cudaTextureObject_t t, float4 *out) {
  out[threadIdx.x] = tex2Dgather<float4>(t, 1.0f + threadIdx.x % 2, 1.0f, 0);
}
__global__ void levels(cudaTextureObject_t t, float *out) {
  out[threadIdx.x] = tex2DLod<float>(t, threadIdx.x + 0.5f, 0.5f, 0.0f);
}

static float *out;

static void show(const char *what, int n) {
  cudaError_t error = cudaDeviceSynchronize();
  printf("%s: %s", what, cudaGetErrorName(error));
  for (int i = 0; i < n; i++) printf(" %.9g", out[i]);
  printf("\n");
}

int main() {
  cudaMallocManaged(&out, 4096);
  float values[64];
  for (int i = 0; i < 64; i++) values[i] = (float)((i * 7 + 3) % 32);

  cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaArray_t line, plane, volume, layers;
  cudaMallocArray(&line, &one, 8);
  cudaMemcpy2DToArray(line, 0, 0, values, 32, 32, 1, cudaMemcpyHostToDevice);
  static const cudaTextureAddressMode modes[] = {cudaAddressModeClamp, cudaAddressModeBorder,
                                                 cudaAddressModeWrap, cudaAddressModeMirror};
  static const char *const names[] = {"clamp", "border", "wrap", "mirror"};
  for (int mode = 0; mode < 4; mode++)
    for (int linear = 0; linear < 2; linear++) {
      const bool normalised = mode >= 2;
      cudaTextureObject_t t =
          make_texture(line, modes[mode], linear ? cudaFilterModeLinear : cudaFilterModePoint,
                       cudaReadModeElementType, normalised);
      const float scale = normalised ? 1.0f / 8 : 1.0f;
      sample_1d<<<1, 48>>>(t, -7.625f * scale, 0.4375f * scale, out);
      printf("%s, %s: ", names[mode], linear ? "linear" : "point");
      show("1D", 48);
      cudaDestroyTextureObject(t);
    }
  // The fraction has 8 bits.
  cudaTextureObject_t t = make_texture(line, cudaAddressModeClamp, cudaFilterModeLinear,
                                       cudaReadModeElementType, false);
  sample_1d<<<1, 256>>>(t, 1.5f, 1.0f / 1024, out);
  show("fractions", 256);
  cudaDestroyTextureObject(t);

  cudaMallocArray(&plane, &one, 8, 8);
  cudaMemcpy2DToArray(plane, 0, 0, values, 32, 32, 8, cudaMemcpyHostToDevice);
  for (int linear = 0; linear < 2; linear++) {
    t = make_texture(plane, cudaAddressModeClamp,
                     linear ? cudaFilterModeLinear : cudaFilterModePoint, cudaReadModeElementType,
                     false);
    sample_2d<<<1, 64>>>(t, -0.25f, 1.1875f, out);
    show(linear ? "2D linear" : "2D point", 64);
    levels<<<1, 8>>>(t, out);
    show("level 0", 8);
    gather<<<1, 2>>>(t, (float4 *)out);
    show("gather", 8);
    cudaDestroyTextureObject(t);
  }
  cudaExtent cube = make_cudaExtent(4, 4, 4);
  cudaMalloc3DArray(&volume, &one, cube);
  cudaMemcpy3DParms copy = {};
  copy.srcPtr = make_cudaPitchedPtr(values, 16, 4, 4);
  copy.dstArray = volume;
  copy.extent = cube;
  copy.kind = cudaMemcpyHostToDevice;
  printf("copy: %s\n", cudaGetErrorName(cudaMemcpy3D(&copy)));
  for (int linear = 0; linear < 2; linear++) {
    t = make_texture(volume, cudaAddressModeBorder,
                     linear ? cudaFilterModeLinear : cudaFilterModePoint, cudaReadModeElementType,
                     false);
    sample_3d<<<1, 64>>>(t, 0.25f, 1.25f, out);
    show(linear ? "3D linear" : "3D point", 64);
    cudaDestroyTextureObject(t);
  }
  cudaExtent four = make_cudaExtent(4, 1, 3);
  cudaMalloc3DArray(&layers, &one, four, cudaArrayLayered);
  cudaMemcpy3DParms stack = {};
  stack.srcPtr = make_cudaPitchedPtr(values, 16, 4, 1);
  stack.dstArray = layers;
  stack.extent = four;
  stack.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&stack);
  t = make_texture(layers, cudaAddressModeClamp, cudaFilterModePoint, cudaReadModeElementType,
                   false);
  sample_layers<<<1, 12>>>(t, out);
  show("layers", 12);
  cudaDestroyTextureObject(t);

  // Linear memory, beyond its ends as well, and pitched memory of bytes.
  int4 *list, words[6];
  for (int i = 0; i < 6; i++) words[i] = make_int4(i, -i, i * i, 100 + i);
  cudaMalloc(&list, sizeof words);
  cudaMemcpy(list, words, sizeof words, cudaMemcpyHostToDevice);
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = list;
  linear.res.linear.desc = cudaCreateChannelDesc<int4>();
  linear.res.linear.sizeInBytes = sizeof words;
  cudaTextureDesc plain = {};
  plain.readMode = cudaReadModeElementType;
  cudaCreateTextureObject(&t, &linear, &plain, nullptr);
  fetch<<<1, 8>>>(t, (int4 *)out);
  printf("linear memory: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 32; i++) printf(" %d", ((int *)out)[i]);
  printf("\n");
  cudaDestroyTextureObject(t);

  unsigned char pixels[2][16], *pitched;
  size_t pitch;
  for (int i = 0; i < 32; i++) pixels[i / 16][i % 16] = (unsigned char)(i * 8 + 7);
  cudaMallocPitch(&pitched, &pitch, 16, 2);
  cudaMemcpy2D(pitched, pitch, pixels, 16, 16, 2, cudaMemcpyHostToDevice);
  cudaResourceDesc image = {};
  image.resType = cudaResourceTypePitch2D;
  image.res.pitch2D.devPtr = pitched;
  image.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
  image.res.pitch2D.width = 4;
  image.res.pitch2D.height = 2;
  image.res.pitch2D.pitchInBytes = pitch;
  cudaCreateTextureObject(&t, &image, &plain, nullptr);
  bytes<<<1, 8>>>(t, (uchar4 *)out);
  printf("pitched: %s", cudaGetErrorName(cudaDeviceSynchronize()));
  for (int i = 0; i < 32; i++) printf(" %d", ((unsigned char *)out)[i]);
  printf("\n");
  cudaDestroyTextureObject(t);
  plain.readMode = cudaReadModeNormalizedFloat;
  cudaCreateTextureObject(&t, &image, &plain, nullptr);
  fractions<<<1, 8>>>(t, (float4 *)out);
  show("normalised values", 32);
  cudaDestroyTextureObject(t);

  cudaChannelFormatDesc desc;
  cudaExtent extent;
  unsigned flags;
  cudaArrayGetInfo(&desc, &extent, &flags, volume);
  printf("info: %d %d %d %d %d, %zu %zu %zu, %u\n", desc.x, desc.y, desc.z, desc.w, desc.f,
         extent.width, extent.height, extent.depth, flags);
  memset(values, 0, sizeof values);
  cudaMemcpy2DFromArray(values, 32, plane, 8, 2, 16, 3, cudaMemcpyDeviceToHost);
  printf("from array:");
  for (int i = 0; i < 24; i++) printf(" %g", values[i]);
  printf("\n");
  cudaFreeArray(line);
  cudaFreeArray(plane);
  cudaFreeArray(volume);
  cudaFreeArray(layers);
  cudaFree(list);
  cudaFree(pitched);
  cudaFree(out);
}
