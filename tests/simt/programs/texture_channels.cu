// SPDX-License-Identifier: MIT
// Textures: a border has the channels that the elements have, the others are 0; infinity is the
// coordinate 0 where coordinates wrap.
#include <cstdio>
#include <cstring>

#define WIDTH 16
#define HEIGHT 8
#define COLUMNS 32
#define ROWS 20

__global__ void read_plane(cudaTextureObject_t texture, float4 *out, float first, float step) {
  out[blockIdx.x * COLUMNS + threadIdx.x] =
      tex2D<float4>(texture, first + step * threadIdx.x, first * 0.5f + step * blockIdx.x);
}

__global__ void read_far(cudaTextureObject_t texture, float *out) {
  const float far[] = {-0.0f, 1e10f, -1e10f, __int_as_float(0x7f800000),
                       __int_as_float(0xff800000)};
  out[threadIdx.x] = tex1D<float>(texture, far[threadIdx.x]);
}

static cudaTextureObject_t make_texture(cudaArray_t array, cudaTextureDesc *how) {
  cudaResourceDesc resource = {};
  cudaTextureObject_t texture = 0;
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  how->normalizedCoords = 1;
  printf("%s", cudaGetErrorName(cudaCreateTextureObject(&texture, &resource, how, nullptr)));
  return texture;
}

static void show_borders(float *out) {
  short values[2 * WIDTH * HEIGHT];
  for (int i = 0; i < 2 * WIDTH * HEIGHT; ++i) values[i] = (short)(i * 12345 - 1000);
  values[3] = -32768;
  values[4] = 32767;
  const cudaChannelFormatDesc two = cudaCreateChannelDesc<short2>();
  cudaArray_t array;
  cudaMallocArray(&array, &two, WIDTH, HEIGHT);
  cudaMemcpy2DToArray(array, 0, 0, values, 4 * WIDTH, 4 * WIDTH, HEIGHT, cudaMemcpyHostToDevice);
  for (int filter = 0; filter < 2; ++filter)
    for (int mode = 0; mode < 4; ++mode) {
      cudaTextureDesc how = {};
      how.addressMode[0] = (cudaTextureAddressMode)mode;
      how.addressMode[1] = (cudaTextureAddressMode)(3 - mode);
      how.filterMode = (cudaTextureFilterMode)filter;
      how.readMode = cudaReadModeNormalizedFloat;
      how.borderColor[0] = 0.5f;
      how.borderColor[3] = 1;
      const cudaTextureObject_t texture = make_texture(array, &how);
      read_plane<<<ROWS, COLUMNS>>>(texture, (float4 *)out, -0.75f, 1.0f / 16 + 1.0f / 64);
      cudaDeviceSynchronize();
      unsigned hash = 0;
      for (int i = 0; i < 4 * COLUMNS * ROWS; ++i) {
        unsigned bits;
        memcpy(&bits, &out[i], sizeof bits);
        hash = hash * 31 + bits;
      }
      printf(" filter %d mode %d: %08x %.7g %.7g\n", filter, mode, hash, out[400], out[1603]);
      cudaDestroyTextureObject(texture);
    }
  cudaFreeArray(array);
}

static void show_far(float *out) {
  const float values[8] = {1, 2, 4, 8, 16, 32, 64, 128};
  const cudaChannelFormatDesc one = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &one, 8);
  cudaMemcpy2DToArray(array, 0, 0, values, 32, 32, 1, cudaMemcpyHostToDevice);
  cudaTextureDesc how = {};
  how.addressMode[0] = how.addressMode[1] = cudaAddressModeWrap;
  how.filterMode = cudaFilterModeLinear;
  how.borderColor[0] = 1000;
  const cudaTextureObject_t texture = make_texture(array, &how);
  read_far<<<1, 5>>>(texture, out);
  cudaDeviceSynchronize();
  for (int i = 0; i < 5; ++i) printf(" %g", out[i]);
  printf("\n");
  cudaDestroyTextureObject(texture);
  cudaFreeArray(array);
}

int main() {
  float *out;
  cudaMallocManaged(&out, 4 * COLUMNS * ROWS * sizeof *out);
  show_borders(out);
  show_far(out);
  cudaFree(out);
}
