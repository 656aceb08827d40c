// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// More of the driver API: packed arguments, two texts linked, libraries, planes, pools, sets in
// streams, words that streams write, what a pointer is, entry points by name.
#include <cuda.h>
#include <cstdio>
#include <cstring>

static const char *caller =
    ".version 7.0\n.target sm_60\n.address_size 64\n"
    ".extern .func (.param .b32 r) twice(.param .b32 x);\n"
    ".visible .entry apply(.param .u64 p, .param .u32 v) {\n"
    "  .reg .b64 %rd<4>; .reg .b32 %r<6>;\n"
    "  ld.param.u64 %rd1, [p]; ld.param.u32 %r1, [v]; cvta.to.global.u64 %rd2, %rd1;\n"
    "  mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd3, %rd2, %rd3;\n"
    "  ld.global.u32 %r3, [%rd3]; add.s32 %r3, %r3, %r1;\n"
    "  { .param .b32 x; .param .b32 r; st.param.b32 [x], %r3;\n"
    "  call.uni (r), twice, (x); ld.param.b32 %r4, [r]; }\n"
    "  st.global.u32 [%rd3], %r4; ret; }\n";
static const char *callee = ".version 7.0\n.target sm_60\n.address_size 64\n"
                            ".visible .func (.param .b32 r) twice(.param .b32 x) {\n"
                            "  .reg .b32 %r<3>; ld.param.b32 %r1, [x]; add.s32 %r2, %r1, %r1;\n"
                            "  st.param.b32 [r], %r2; ret; }\n";

static const char *name_of(CUresult result) {
  const char *name = "?";
  cuGetErrorName(result, &name);
  return name;
}
#define SAY(call) printf("%s: %s\n", #call, name_of(call))

static void code(CUdeviceptr p) {
  CUlinkState link;
  void *image;
  size_t bytes = 0, offset = 0;
  SAY(cuLinkCreate(0, nullptr, nullptr, &link));
  cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)caller, strlen(caller) + 1, "caller", 0, 0, 0);
  cuLinkAddData(link, CU_JIT_INPUT_PTX, (void *)callee, strlen(callee) + 1, "callee", 0, 0, 0);
  SAY(cuLinkComplete(link, &image, &bytes));
  CUlibrary library;
  CUkernel kernel;
  CUfunction function;
  unsigned n = 0;
  const char *name = "?";
  SAY(cuLibraryLoadData(&library, image, nullptr, nullptr, 0, nullptr, nullptr, 0));
  SAY(cuLinkDestroy(link));
  SAY(cuLibraryGetKernelCount(&n, library));
  SAY(cuLibraryGetKernel(&kernel, library, "apply"));
  SAY(cuKernelGetFunction(&function, kernel));
  SAY(cuFuncGetName(&name, function));
  SAY(cuKernelGetParamInfo(kernel, 1, &offset, &bytes));
  printf("%u kernels, %s, second argument at %zu of %zu bytes\n", n, name, offset, bytes);
  struct {
    CUdeviceptr p;
    int v;
  } arguments = {p, 1};
  size_t packed = sizeof arguments;
  void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, &arguments, CU_LAUNCH_PARAM_BUFFER_SIZE, &packed,
                   CU_LAUNCH_PARAM_END};
  SAY(cuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, 0, nullptr, extra)); // padding is too much
  packed = sizeof arguments.p + sizeof arguments.v;
  SAY(cuLaunchKernel(function, 1, 1, 1, 8, 1, 1, 0, 0, nullptr, extra));
  CUlaunchConfig config = {};
  config.gridDimX = config.gridDimY = config.gridDimZ = 1;
  config.blockDimX = 8;
  config.blockDimY = config.blockDimZ = 1;
  int ten = 10;
  void *parameters[] = {&p, &ten};
  SAY(cuLaunchKernelEx(&config, function, parameters, nullptr));
  int values[8];
  SAY(cuMemcpyDtoH(values, p, sizeof values));
  printf("%d %d\n", values[0], values[7]);
  SAY(cuLibraryUnload(library));
}

static void memory(CUstream s) {
  CUdeviceptr p, inside, q;
  size_t pitch = 0, bytes = 0;
  unsigned char host[4][16], back[2][6] = {};
  for (int i = 0; i < 64; i++) host[i / 16][i % 16] = (unsigned char)i;
  SAY(cuMemAllocPitch(&p, &pitch, 16, 4, 4));
  CUDA_MEMCPY2D c = {};
  c.srcMemoryType = CU_MEMORYTYPE_HOST;
  c.srcHost = host;
  c.srcPitch = 16;
  c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  c.dstDevice = p;
  c.dstPitch = pitch;
  c.WidthInBytes = 16;
  c.Height = 4;
  SAY(cuMemcpy2D(&c));
  CUDA_MEMCPY2D d = {};
  d.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  d.srcDevice = p;
  d.srcPitch = pitch;
  d.srcXInBytes = 3;
  d.srcY = 1;
  d.dstMemoryType = CU_MEMORYTYPE_HOST;
  d.dstHost = back;
  d.dstPitch = 6;
  d.WidthInBytes = 6;
  d.Height = 2;
  SAY(cuMemcpy2DAsync(&d, s));
  SAY(cuStreamSynchronize(s));
  printf("%d %d %d %d\n", back[0][0], back[0][5], back[1][0], back[1][5]);
  SAY(cuMemGetAddressRange(&inside, &bytes, p + 40));
  printf("the start: %d\n", inside == p);
  unsigned type = 0;
  int device = -1, managed = -1;
  SAY(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, p));
  CUpointer_attribute asked[] = {CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL,
                                 CU_POINTER_ATTRIBUTE_IS_MANAGED};
  void *answers[] = {&device, &managed};
  SAY(cuPointerGetAttributes(2, asked, answers, p));
  printf("type %u, device %d, managed %d\n", type, device, managed);
  SAY(cuStreamWriteValue32(s, p + 60, 99, CU_STREAM_WRITE_VALUE_DEFAULT));
  SAY(cuStreamWaitValue32(s, p + 60, 90, CU_STREAM_WAIT_VALUE_GEQ));
  int word = 0;
  SAY(cuMemcpyDtoHAsync(&word, p + 60, sizeof word, s));
  SAY(cuStreamSynchronize(s));
  printf("%d\n", word);
  SAY(cuMemFree(p));
  SAY(cuMemAllocAsync(&q, 64, s));
  SAY(cuMemsetD32Async(q, 7, 16, s));
  SAY(cuMemsetD16Async(q, 3, 4, s));
  SAY(cuStreamWriteValue32(s, q + 60, 99, CU_STREAM_WRITE_VALUE_DEFAULT));
  SAY(cuStreamWaitValue32(s, q + 60, 90, CU_STREAM_WAIT_VALUE_GEQ));
  int words[16];
  SAY(cuMemcpyDtoHAsync(words, q, sizeof words, s));
  SAY(cuStreamSynchronize(s));
  printf("%#x %d %d\n", words[0], words[2], words[15]);
  SAY(cuMemFreeAsync(q, s));
  void *pinned;
  SAY(cuMemHostAlloc(&pinned, 64, CU_MEMHOSTALLOC_DEVICEMAP));
  SAY(cuMemHostGetDevicePointer(&q, pinned, 0));
  SAY(cuMemFreeHost(pinned));
}

int main() {
  CUdevice device;
  CUcontext context;
  CUstream s;
  CUdeviceptr p;
  size_t limit = 0;
  int priority = 9;
  unsigned flags = 9;
  SAY(cuInit(0));
  SAY(cuDeviceGet(&device, 0));
  SAY(cuCtxCreate(&context, nullptr, 0, device));
  SAY(cuStreamCreateWithPriority(&s, CU_STREAM_NON_BLOCKING, -1));
  SAY(cuStreamGetPriority(s, &priority));
  SAY(cuStreamGetFlags(s, &flags));
  printf("priority %d, flags %u\n", priority, flags);
  SAY(cuCtxSetLimit(CU_LIMIT_STACK_SIZE, 4096));
  SAY(cuCtxGetLimit(&limit, CU_LIMIT_STACK_SIZE));
  printf("%zu\n", limit);
  SAY(cuMemAlloc(&p, 32));
  SAY(cuMemsetD32(p, 4, 8));
  code(p);
  memory(s);
  CUresult (*get_count)(int *) = nullptr;
  int n = 0;
  SAY(cuGetProcAddress("cuDeviceGetCount", (void **)&get_count, 12000, CU_GET_PROC_ADDRESS_DEFAULT,
                       nullptr));
  printf("%d device or more\n", get_count && get_count(&n) == CUDA_SUCCESS && n >= 1);
  void *nothing = nullptr;
  CUdriverProcAddressQueryResult status = CU_GET_PROC_ADDRESS_SUCCESS;
  cuGetProcAddress("cuNoSuchThing", &nothing, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &status);
  printf("no such thing: %d %d\n", nothing != nullptr, status);
  SAY(cuMemFree(p));
  SAY(cuStreamDestroy(s));
  SAY(cuCtxDestroy(context));
}
