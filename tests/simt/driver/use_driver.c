// SPDX-License-Identifier: MIT
// use_driver.c - a program that is not linked with the software GPU: it opens libcuda.so.1, as
// language bindings do, and runs a kernel through the driver API's symbols.
//
//     use_driver LIBRARY
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

static const char ptx[] = ".version 7.0\n.target sm_75\n.address_size 64\n"
                          ".visible .entry scale(.param .u64 data, .param .u32 factor)\n{\n"
                          ".reg .b32 %r<5>; .reg .b64 %rd<4>;\n"
                          "ld.param.u64 %rd1, [data]; ld.param.u32 %r1, [factor];\n"
                          "mov.u32 %r2, %tid.x; mul.wide.u32 %rd2, %r2, 4;\n"
                          "add.s64 %rd3, %rd1, %rd2; ld.global.u32 %r3, [%rd3];\n"
                          "mul.lo.u32 %r4, %r3, %r1; st.global.u32 [%rd3], %r4; ret;\n}\n";

static void *library;
static int failures;

// The function behind a symbol, through an object pointer: ISO C has no other way.
#define GET(type, name)                                                                            \
  type name;                                                                                       \
  *(void **)(&name) = dlsym(library, #name);                                                       \
  if (!name) return fprintf(stderr, "no symbol %s\n", #name), 1

static void want(int result, int wanted, const char *what) {
  if (result == wanted) return;
  fprintf(stderr, "%s: %d, not %d\n", what, result, wanted);
  failures++;
}
#define OK(call) want(call, 0, #call)

typedef int call_0(void);
typedef int call_init(unsigned);
typedef int call_int(int *, int);
typedef int call_context(void **, int);
typedef int call_pointer(void *);
typedef int call_load(void **, const void *);
typedef int call_function(void **, void *, const char *);
typedef int call_allocate(uint64_t *, size_t);
typedef int call_to(uint64_t, const void *, size_t);
typedef int call_from(void *, uint64_t, size_t);
typedef int call_free(uint64_t);
typedef int call_launch(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
                        unsigned, void *, void **, void **);

static int run(void) {
  GET(call_init *, cuInit);
  GET(call_int *, cuDeviceGet);
  GET(call_context *, cuDevicePrimaryCtxRetain);
  GET(call_pointer *, cuCtxSetCurrent);
  GET(call_load *, cuModuleLoadData);
  GET(call_function *, cuModuleGetFunction);
  GET(call_allocate *, cuMemAlloc_v2);
  GET(call_to *, cuMemcpyHtoD_v2);
  GET(call_from *, cuMemcpyDtoH_v2);
  GET(call_free *, cuMemFree_v2);
  GET(call_launch *, cuLaunchKernel);
  GET(call_0 *, cuCtxSynchronize);
  enum { N = 32, NOT_INITIALISED = 3 };
  int device = -1;
  void *context, *module, *function;
  uint64_t data;
  uint32_t values[N], factor = 7;
  want(cuDeviceGet(&device, 0), NOT_INITIALISED, "before cuInit");
  OK(cuInit(0));
  OK(cuDeviceGet(&device, 0));
  OK(cuDevicePrimaryCtxRetain(&context, device));
  OK(cuCtxSetCurrent(context));
  OK(cuModuleLoadData(&module, ptx));
  OK(cuModuleGetFunction(&function, module, "scale"));
  OK(cuMemAlloc_v2(&data, sizeof values));
  for (uint32_t i = 0; i < N; i++) values[i] = i;
  OK(cuMemcpyHtoD_v2(data, values, sizeof values));
  void *arguments[] = {&data, &factor};
  OK(cuLaunchKernel(function, 1, 1, 1, N, 1, 1, 0, NULL, arguments, NULL));
  OK(cuCtxSynchronize());
  OK(cuMemcpyDtoH_v2(values, data, sizeof values));
  OK(cuMemFree_v2(data));
  for (uint32_t i = 0; i < N; i++) want((int)values[i], (int)(7 * i), "value");
  return failures != 0;
}

int main(int n, char **arguments) {
  if (n != 2) return fprintf(stderr, "usage: use_driver LIBRARY\n"), 2;
  library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (!library) return fprintf(stderr, "%s\n", dlerror()), 1;
  if (dlsym(library, "cudaMalloc") || dlsym(library, "simt_engine_create"))
    return fprintf(stderr, "the library shows more than the driver API\n"), 1;
  return run();
}
