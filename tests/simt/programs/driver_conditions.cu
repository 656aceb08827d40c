// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// Conditional nodes, allocations, sets and copies through cuGraphAddNode(), and their changes.
#include <cuda_runtime.h>
#include <cstring>
#include "runtime_calls.h"

#include <cuda.h>
// graphs of the driver API: conditional nodes, allocations, events, updates by cuGraphNodeSetParams
#define D(...)                                                                                     \
  do {                                                                                             \
    CUresult e_ = (__VA_ARGS__);                                                                   \
    const char *s_ = "?";                                                                          \
    cuGetErrorName(e_, &s_);                                                                       \
    printf("%s -> %s\n", #__VA_ARGS__, s_);                                                        \
  } while (0)
__global__ void count(int *p, CUgraphConditionalHandle h) { cudaGraphSetConditional(h, --*p > 0); }
__global__ void add(int *p, int v) { p[1] += v; }
int main() {
  CK(cudaFree(0));
  CUcontext ctx;
  D(cuCtxGetCurrent(&ctx));
  int *m;
  CK(cudaMallocManaged(&m, 64));
  m[0] = 3;
  m[1] = 0;
  cudaFunction_t fc, fa;
  CK(cudaGetFuncBySymbol(&fc, (void *)count));
  CK(cudaGetFuncBySymbol(&fa, (void *)add));
  CUgraph g;
  D(cuGraphCreate(&g, 0));
  CUgraphConditionalHandle h;
  D(cuGraphConditionalHandleCreate(&h, g, ctx, 1, CU_GRAPH_COND_ASSIGN_DEFAULT));
  CUgraphNodeParams p;
  memset(&p, 0, sizeof p);
  p.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
  p.conditional.handle = h;
  p.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  p.conditional.size = 1;
  p.conditional.ctx = ctx;
  CUgraphNode w;
  D(cuGraphAddNode(&w, g, 0, 0, 0, &p));
  CUgraph body = p.conditional.phGraph_out[0];
  CUgraphNode n1, n2;
  memset(&p, 0, sizeof p);
  p.type = CU_GRAPH_NODE_TYPE_KERNEL;
  p.kernel.func = fa;
  p.kernel.gridDimX = p.kernel.gridDimY = p.kernel.gridDimZ = 1;
  p.kernel.blockDimX = p.kernel.blockDimY = p.kernel.blockDimZ = 1;
  p.kernel.ctx = ctx;
  int v = 5;
  void *aa[] = {&m, &v}, *ac[] = {&m, &h};
  p.kernel.kernelParams = aa;
  D(cuGraphAddNode(&n1, body, 0, 0, 0, &p));
  p.kernel.func = fc;
  p.kernel.kernelParams = ac;
  D(cuGraphAddNode(&n2, body, &n1, 0, 1, &p));
  CUgraphExec x;
  D(cuGraphInstantiate(&x, g, 0));
  D(cuGraphLaunch(x, 0));
  D(cuCtxSynchronize());
  printf("%d %d\n", m[0], m[1]);
  CUgraphNodeType ty;
  D(cuGraphNodeGetType(w, &ty));
  printf("%d\n", ty);
  CUgraph g2;
  D(cuGraphCreate(&g2, 0));
  memset(&p, 0, sizeof p);
  p.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC;
  p.alloc.poolProps.allocType = CU_MEM_ALLOCATION_TYPE_PINNED;
  p.alloc.poolProps.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
  p.alloc.bytesize = 256;
  CUgraphNode al, ms, cp, fr;
  D(cuGraphAddNode(&al, g2, 0, 0, 0, &p));
  CUdeviceptr d = p.alloc.dptr;
  printf("%d\n", d != 0);
  memset(&p, 0, sizeof p);
  p.type = CU_GRAPH_NODE_TYPE_MEMSET;
  p.memset.dst = d;
  p.memset.elementSize = 2;
  p.memset.width = 8;
  p.memset.height = 1;
  p.memset.value = 0x102;
  p.memset.ctx = ctx;
  D(cuGraphAddNode(&ms, g2, &al, 0, 1, &p));
  int out[4];
  memset(&p, 0, sizeof p);
  p.type = CU_GRAPH_NODE_TYPE_MEMCPY;
  p.memcpy.copyCtx = ctx;
  p.memcpy.copyParams.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  p.memcpy.copyParams.srcDevice = d;
  p.memcpy.copyParams.dstMemoryType = CU_MEMORYTYPE_HOST;
  p.memcpy.copyParams.dstHost = out;
  p.memcpy.copyParams.WidthInBytes = 16;
  p.memcpy.copyParams.Height = p.memcpy.copyParams.Depth = 1;
  D(cuGraphAddNode(&cp, g2, &ms, 0, 1, &p));
  memset(&p, 0, sizeof p);
  p.type = CU_GRAPH_NODE_TYPE_MEM_FREE;
  p.free.dptr = d;
  D(cuGraphAddNode(&fr, g2, &cp, 0, 1, &p));
  D(cuGraphInstantiate(&x, g2, 0));
  D(cuGraphLaunch(x, 0));
  D(cuCtxSynchronize());
  printf("%x %x\n", out[0], out[3]);
  memset(&p, 0, sizeof p);
  p.type = CU_GRAPH_NODE_TYPE_MEMSET;
  p.memset.dst = d;
  p.memset.elementSize = 1;
  p.memset.width = 16;
  p.memset.height = 1;
  p.memset.value = 7;
  p.memset.ctx = ctx;
  D(cuGraphExecNodeSetParams(x, ms, &p));
  D(cuGraphNodeSetParams(ms, &p));
  D(cuGraphLaunch(x, 0));
  D(cuCtxSynchronize());
  printf("%x %x\n", out[0], out[3]);
  p.type = CU_GRAPH_NODE_TYPE_KERNEL;
  D(cuGraphNodeSetParams(ms, &p));
  D(cuGraphAddNode(&cp, g2, 0, 0, 0, nullptr));
  p.type = (CUgraphNodeType)77;
  D(cuGraphAddNode(&cp, g2, 0, 0, 0, &p));
  return 0;
}
