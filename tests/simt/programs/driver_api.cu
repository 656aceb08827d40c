// SPDX-License-Identifier: MIT
// The driver API: a context, a module of PTX text, its variable, launches, and what goes wrong.
// flags: -lcuda
#include <cuda.h>
#include <cstdio>
#include <cstring>

// int factor = 3; void scale(int *data, int n): data[i] = data[i] * factor + i
static const char ptx[] = R"(.version 7.0
.target sm_75
.address_size 64
.visible .global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 data, .param .u32 n)
{
  .reg .pred %p;
  .reg .b32 %r<9>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [n];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.s32 %p, %r5, %r1;
  @%p bra done;
  cvta.to.global.u64 %rd2, %rd1;
  mul.wide.s32 %rd3, %r5, 4;
  add.s64 %rd4, %rd2, %rd3;
  ld.global.u32 %r6, [%rd4];
  ld.global.u32 %r7, [factor];
  mad.lo.s32 %r8, %r6, %r7, %r5;
  st.global.u32 [%rd4], %r8;
done:
  ret;
}
)";

static const char *name_of(CUresult result) {
  const char *name = "?";
  cuGetErrorName(result, &name);
  return name;
}
#define SAY(call) printf("%s: %s\n", #call, name_of(call))

enum { N = 1000 };

static void launch(CUfunction scale, CUdeviceptr data) {
  static int host[N];
  int n = N;
  void *parameters[] = {&data, &n};
  SAY(cuLaunchKernel(scale, (N + 127) / 128, 1, 1, 128, 1, 1, 0, NULL, parameters, NULL));
  SAY(cuCtxSynchronize());
  SAY(cuMemcpyDtoH(host, data, sizeof host));
  long long sum = 0;
  for (int i = 0; i < N; i++) sum += (long long)host[i] * (i % 7);
  printf("[0] %d [1] %d [999] %d, sum %lld\n", host[0], host[1], host[N - 1], sum);
}

static void mistakes(CUmodule module, CUfunction scale) {
  CUfunction none;
  CUdeviceptr address;
  size_t bytes;
  const char *text;
  SAY(cuModuleGetFunction(&none, module, "nothing"));
  SAY(cuModuleGetGlobal(&address, &bytes, module, "nothing"));
  SAY(cuMemAlloc(&address, 0));
  SAY(cuLaunchKernel(scale, 1, 1, 1, 2048, 1, 1, 0, NULL, NULL, NULL));
  cuGetErrorString(CUDA_ERROR_OUT_OF_MEMORY, &text);
  printf("%s\n", text);
}

int main() {
  int count = 0, threads = 0;
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction scale;
  CUdeviceptr data, factor;
  size_t bytes = 0;
  SAY(cuDeviceGetCount(&count));
  SAY(cuInit(0));
  SAY(cuDeviceGetCount(&count));
  SAY(cuDeviceGet(&device, 0));
  SAY(cuDevicePrimaryCtxRetain(&context, device));
  SAY(cuCtxSetCurrent(context));
  SAY(cuDeviceGetAttribute(&threads, CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK, device));
  printf("devices %s, threads per block %d\n", count > 0 ? "found" : "none", threads);
  SAY(cuModuleLoadData(&module, ptx));
  SAY(cuModuleGetFunction(&scale, module, "scale"));
  SAY(cuModuleGetGlobal(&factor, &bytes, module, "factor"));
  printf("factor has %d bytes\n", (int)bytes);
  SAY(cuMemAlloc(&data, N * sizeof(int)));
  SAY(cuMemsetD32(data, 5, N));
  launch(scale, data);
  const int ten = 10;
  SAY(cuMemcpyHtoD(factor, &ten, sizeof ten));
  SAY(cuMemsetD8(data, 1, N * sizeof(int)));
  launch(scale, data);
  mistakes(module, scale);
  SAY(cuMemFree(data));
  SAY(cuModuleUnload(module));
  SAY(cuDevicePrimaryCtxRelease(device));
  return 0;
}
