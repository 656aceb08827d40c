// SPDX-License-Identifier: MIT
//
// cuComplex.h, in host and device code: the same bits on both sides, but for fused operations.
#include <cuComplex.h>

#include <cstdio>

static __host__ __device__ void compute(cuFloatComplex *a, cuDoubleComplex *b) {
  a[1] = cuCaddf(a[0], make_cuFloatComplex(0.5f, -1.0f));
  a[2] = cuCsubf(a[0], cuConjf(a[1]));
  a[3] = cuCmulf(a[1], make_cuComplex(2.0f, 4.0f));
  a[4] = make_cuFloatComplex(cuCabsf(make_cuFloatComplex(3.0f, -4.0f)), cuCimagf(a[0]));
  a[5] = cuCdivf(make_cuFloatComplex(8.0f, 4.0f), make_cuFloatComplex(2.0f, 2.0f));
  a[6] = cuCfmaf(make_cuFloatComplex(1.0f, 2.0f), make_cuFloatComplex(3.0f, 4.0f), a[5]);
  a[7] = make_cuFloatComplex(cuCabsf(make_cuFloatComplex(3e38f, 0.0f)), cuCrealf(a[3]));
  b[1] = cuCadd(b[0], cuComplexFloatToDouble(a[3]));
  b[2] = cuCmul(b[1], cuCsub(b[1], cuConj(b[0])));
  b[3] = cuCdiv(make_cuDoubleComplex(1.0, 0.0), make_cuDoubleComplex(0.0, 1e-200));
  b[4] = cuCfma(b[0], b[0], make_cuDoubleComplex(cuCabs(b[0]), cuCreal(b[1])));
}

__global__ void on_device(cuFloatComplex *a, cuDoubleComplex *b) { compute(a, b); }

int main() {
  cuFloatComplex *a, on_host[8] = {make_cuFloatComplex(1.5f, 2.0f)};
  cuDoubleComplex *b, host_double[8] = {make_cuDoubleComplex(3.0, 4.0)};
  cudaMallocManaged(&a, sizeof on_host);
  cudaMallocManaged(&b, sizeof host_double);
  a[0] = on_host[0];
  b[0] = host_double[0];
  compute(on_host, host_double);
  on_device<<<1, 1>>>(a, b);
  cudaDeviceSynchronize();
  for (int i = 0; i < 8; i++)
    printf("%g%+gi %d\n", cuCrealf(a[i]), cuCimagf(a[i]),
           a[i].x == on_host[i].x && a[i].y == on_host[i].y);
  for (int i = 0; i < 5; i++)
    printf("%g%+gi %d\n", cuCreal(b[i]), cuCimag(b[i]),
           b[i].x == host_double[i].x && b[i].y == host_double[i].y);
  cudaFree(a);
  cudaFree(b);
}
