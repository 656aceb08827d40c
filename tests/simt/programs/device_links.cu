// SPDX-License-Identifier: MIT
// env: SIMT_DEVICES=3
// env: SIMT_LINKS=1
// nvcc: skip
// stderr: 0->1             1           1024              0              0            128
// stderr: 1->0             0              0           4128              0            128
//
// Bytes on the links between devices, worked out by hand: copies, loads, stores and atomics of
// kernels, whole sectors of 32 bytes; the same kernels on a device's own memory move none.
#include <simt.h>

#include <cstdio>

__global__ void sum(const float *in, int n, int stride, float *out) {
  float s = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) s += in[i * stride];
  if (s < 0) *out = s;
}
__global__ void store(float *out) { out[threadIdx.x] = 1; }
__global__ void store_two(float *a, float *b) { (threadIdx.x % 2 ? a : b)[threadIdx.x] = 1; }
__global__ void sum_two(const float *a, const float *b, float *out) {
  if (a[threadIdx.x] + b[threadIdx.x] < 0) *out = 1;
}
__global__ void add(int *out) { atomicAdd(out + threadIdx.x, 1); }
__global__ void add_and_use(int *out, int *old) { old[threadIdx.x] = atomicAdd(out, 1); }

static void show(const char *what) {
  printf("%s:", what);
  for (int from = 0; from < 3; from++)
    for (int to = 0; to < 3; to++) {
      simt_device_link l;
      if (!simt_link_read(from, to, &l)) continue;
      if (!(l.copies + l.copied_bytes + l.read_bytes + l.written_bytes + l.atomic_bytes)) continue;
      printf(" %d->%d copies %d, copied %d, read %d, written %d, atomic %d;", from, to,
             (int)l.copies, (int)l.copied_bytes, (int)l.read_bytes, (int)l.written_bytes,
             (int)l.atomic_bytes);
    }
  printf("\n");
  simt_counters_reset();
}

// Whether the latest launch's links took as long as so many bytes through one port.
static bool took(double bytes) {
  simt_modelled t;
  simt_modelled_last_launch(&t);
  const double expected = bytes * 1e-6 / simt_link_peak_gb_per_s();
  return t.link_ms > 0.999 * expected && t.link_ms < 1.001 * expected;
}

int main() {
  float *on[3], *host = new float[4096];
  simt_device_link none;
  for (int d = 0; d < 3; d++) {
    cudaSetDevice(d);
    cudaMalloc(&on[d], 4096 * sizeof(float));
    cudaMemset(on[d], 0, 4096 * sizeof(float));
    for (int peer = 0; peer < 3; peer++)
      if (peer != d) cudaDeviceEnablePeerAccess(peer, 0);
  }
  cudaSetDevice(0);
  show("nothing yet");
  cudaMemcpy(host, on[1], 4096, cudaMemcpyDeviceToHost);
  cudaMemcpy(on[0] + 1024, on[0], 4096, cudaMemcpyDeviceToDevice);
  sum<<<4, 64>>>(on[0], 1024, 1, on[0]);
  cudaDeviceSynchronize();
  show("own memory and the host's");

  cudaMemcpyPeer(on[1], 1, on[0], 0, 1000);
  cudaMemcpy(on[2], on[1], 24, cudaMemcpyDeviceToDevice);
  cudaMemcpy2D(on[0], 256, on[2], 512, 100, 3, cudaMemcpyDefault);
  show("copies");

  sum<<<1, 256>>>(on[1], 1024, 1, on[0]);
  cudaDeviceSynchronize();
  printf("modelled link time is the bytes over its rate: %d\n", took(4096));
  show("1024 neighbouring floats of device 1");
  sum<<<1, 32>>>(on[1], 100, 8, on[0]);
  show("100 floats, one per sector");
  sum<<<2, 32>>>(on[1] + 1, 32, 1, on[0]);
  show("32 floats off a boundary, twice");

  sum_two<<<1, 512>>>(on[1], on[2], on[0]);
  cudaDeviceSynchronize();
  printf("from two devices through one port: %d\n", took(2 * 2048));
  show("512 floats of each");
  cudaSetDevice(1);
  sum_two<<<1, 512>>>(on[2], on[1], on[1]);
  cudaDeviceSynchronize();
  printf("from one device: %d\n", took(2048));
  show("512 floats of it");
  cudaSetDevice(0);

  store<<<1, 33>>>(on[2]);
  show("33 stores to device 2");
  store_two<<<1, 32>>>(on[1], on[2]);
  show("a warp that stores to two devices");
  store_two<<<1, 32>>>(on[1], on[0]);
  show("half of it to its own");
  add<<<1, 20>>>((int *)on[1]);
  show("20 atomics, results unused");
  add_and_use<<<1, 20>>>((int *)on[1], (int *)on[0]);
  show("20 atomics, results used");

  printf("to itself: %d, device 3: %d\n", simt_link_read(1, 1, &none), simt_link_read(0, 3, &none));
  cudaMemcpyPeer(on[1], 1, on[0], 0, 1024);
  sum<<<1, 256>>>(on[1], 1024, 1, on[0]);
  sum<<<1, 8>>>(on[1], 8, 1, on[0]);
  add_and_use<<<1, 32>>>((int *)on[1], (int *)on[0]);
  cudaDeviceSynchronize();
  delete[] host;
}
