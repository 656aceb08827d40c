// SPDX-License-Identifier: MIT
// Headers that programs of all ages include, and the flags of their makefiles. nvcc needs the
// toolkit's own nvtx3, which is a header alone.
// flags: -lineinfo -Xptxas -O3 -lcudart -lcudadevrt
#include <cuda_runtime.h>
#include <cuda.h>
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <device_launch_parameters.h>
#include <math_constants.h>
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtCudaRt.h>
#include <channel_descriptor.h>
#include <common_functions.h>
#include <device_types.h>
#include <driver_functions.h>
#include <sm_20_intrinsics.h>
#include <sm_32_atomic_functions.h>
#include <sm_32_intrinsics.h>
#include <sm_35_atomic_functions.h>
#include <sm_35_intrinsics.h>
#include <sm_61_intrinsics.h>
#include <surface_indirect_functions.h>
#include <surface_types.h>
#include <texture_indirect_functions.h>
#include <texture_types.h>
#include <vector_functions.hpp>
#include <cstdio>

// Samples' helpers ask by the toolkit's include guards what there is.
#if !defined(__DRIVER_TYPES_H__) || !defined(__CUDA_RUNTIME_H__) || !defined(__cuda_cuda_h__)
#error "the include guards that programs ask for are not defined"
#endif

__global__ void constants(float *f, double *d) {
  f[0] = CUDART_PI_F;
  f[1] = CUDART_INF_F;
  f[2] = -CUDART_MAX_NORMAL_F;
  f[3] = CUDART_LN2_F;
  d[0] = CUDART_PI;
  d[1] = CUDART_SQRT_TWO;
  d[2] = CUDART_INF;
}

int main() {
  printf("version %d\n", CUDA_VERSION >= 11000);
  nvtxRangePushA("all");
  nvtxNameCudaStreamA(0, "the default one");
  const cudaDataType_t element = CUDA_R_16BF; // of <library_types.h>, which comes with the runtime
  const libraryPropertyType property = PATCH_LEVEL;
  printf("element %d, property %d\n", (int)element, (int)property);
  cudaProfilerStart();
  float *f;
  double *d;
  if (cudaMallocManaged(&f, 4 * sizeof *f) || cudaMallocManaged(&d, 3 * sizeof *d)) return 1;
  constants<<<1, 1>>>(f, d);
  if (cudaDeviceSynchronize() != cudaSuccess) return 1;
  printf("%.9g %g %g %.9g %.17g %.17g %g\n", f[0], f[1], f[2], f[3], d[0], d[1], d[2]);
  cudaProfilerStop();
  printf("%d\n", cudaCreateChannelDesc<float2>().y + make_int2(1, 2).y + (int)cudaRoundPosInf);
  nvtxRangePop();
  cudaFree(f);
  cudaFree(d);
  return 0;
}
