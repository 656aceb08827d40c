// SPDX-License-Identifier: MIT
// stderr: fault_texture.cu:8
// stderr: is not a texture object: it was never created, or it has been destroyed
//
// A texture object is used after it has been destroyed.
#include <cstdio>

__global__ void sample(cudaTextureObject_t t, float *out) { *out = tex2D<float>(t, 0.5f, 0.5f); }

int main() {
  float *out;
  cudaMallocManaged(&out, sizeof *out);
  cudaChannelFormatDesc desc = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &desc, 4, 4);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  cudaTextureObject_t texture;
  cudaCreateTextureObject(&texture, &resource, &how, nullptr);
  sample<<<1, 1>>>(texture, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
  cudaDestroyTextureObject(texture);
  sample<<<1, 1>>>(texture, out);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
// hardware: a GPU does not notice it
