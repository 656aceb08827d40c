// SPDX-License-Identifier: MIT
// Copies of three-dimensional memory of no size, and of pitches and heights that are too small. The
// expected output is an H200's.
#include <cstdio>
#include <cstring>

static char host[256], *device;
static cudaArray_t volume, row;

static void say(const char *what, const cudaMemcpy3DParms &p) {
  const cudaError_t error = cudaMemcpy3D(&p);
  cudaGetLastError();
  printf("%s: %s\n", what, cudaGetErrorName(error));
}

static cudaMemcpy3DParms to_device(size_t width, size_t height, size_t depth) {
  cudaMemcpy3DParms p = {};
  p.srcPtr = make_cudaPitchedPtr(host, 16, 16, 4);
  p.dstPtr = make_cudaPitchedPtr(device, 16, 16, 4);
  p.extent = make_cudaExtent(width, height, depth);
  p.kind = cudaMemcpyHostToDevice;
  return p;
}

static void of_no_size() {
  cudaMemcpy3DParms p = {};
  say("zeros", p);
  p.kind = (cudaMemcpyKind)9;
  say("zeros, kind 9", p);
  p = to_device(0, 0, 0);
  p.dstPtr = cudaPitchedPtr();
  say("only src", p);
  say("no height", to_device(16, 0, 1));
  say("no width", to_device(0, 4, 1));
  say("no depth", to_device(16, 4, 0));
  p = to_device(0, 0, 0);
  p.srcArray = volume;
  say("array and ptr, no extent", p);
  p = {};
  p.srcArray = volume;
  say("only an array, no extent", p);
  p.dstArray = row;
  p.extent = make_cudaExtent(5, 0, 1);
  say("two arrays, too wide, no height", p);
  const cudaMemcpy3DPeerParms peers = {};
  printf("peers, zeros: %s\n", cudaGetErrorName(cudaMemcpy3DPeer(&peers)));
}

static void of_arrays() {
  cudaMemcpy3DParms p = to_device(16, 4, 1);
  p.srcArray = volume;
  say("array and ptr", p);
  p = {};
  p.srcArray = volume;
  p.dstArray = row;
  p.kind = cudaMemcpyDeviceToDevice;
  p.extent = make_cudaExtent(4, 1, 1);
  say("two arrays", p);
  p.extent = make_cudaExtent(5, 1, 1);
  say("two arrays, too wide", p);
}

static void of_layouts() {
  cudaMemcpy3DParms p = to_device(16, 4, 1);
  say("all", p);
  p.dstPtr = cudaPitchedPtr();
  say("no dst", p);
  p = to_device(16, 4, 1);
  p.srcPtr.pitch = 8;
  say("pitch below width", p);
  p.srcPtr = make_cudaPitchedPtr(host, 16, 8, 4);
  say("xsize below width", p);
  p.srcPtr = make_cudaPitchedPtr(host, 16, 16, 2);
  say("ysize below height", p);
  p.extent.depth = 2;
  say("ysize below height, two slices", p);
  p = to_device(16, 4, 2);
  p.srcPtr.pitch = 0;
  say("no pitch", p);
  p.extent = make_cudaExtent(16, 1, 1);
  say("no pitch, one row", p);
  p.dstPtr = make_cudaPitchedPtr(device, 0, 0, 0);
  say("no pitches, one row", p);
  p.extent = make_cudaExtent(16, 1, 2);
  say("no pitches, two slices", p);
  p.kind = (cudaMemcpyKind)9;
  say("kind 9", p);
}

int main() {
  const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  memset(host, 1, sizeof host);
  cudaMalloc(&device, 4096);
  cudaMalloc3DArray(&volume, &format, make_cudaExtent(4, 4, 4));
  cudaMallocArray(&row, &format, 8, 0);
  of_no_size();
  of_arrays();
  of_layouts();
  printf("nothing: %s\n", cudaGetErrorName(cudaMemcpy3D(nullptr)));
}
