// SPDX-License-Identifier: MIT
// env: SIMT_DEVICE=h100
// flags: -lcuda
//
// A device's attributes and properties through the driver API.
#include <cuda.h>
#include <cstring>
#include "driver_calls.h"

int main() {
  start();
  CUdevice d;
  CK(cuDeviceGet(&d, 0));
  char name[64];
  CK(cuDeviceGetName(name, 64, d));
  printf("%s\n", strstr(name, "H100") ? "H100" : "other");
  int v;
  for (int a :
       {1,   2,   3,   4,   5,   6,   7,   8,   9,   10,  11,  12,  14,  15,  16,  17,  18,  19,
        20,  21,  22,  23,  24,  25,  26,  31,  32,  35,  37,  39,  40,  41,  42,  43,  44,  45,
        51,  53,  68,  69,  75,  76,  77,  78,  79,  80,  81,  82,  83,  84,  86,  87,  88,  89,
        90,  91,  93,  95,  96,  97,  98,  99,  100, 101, 102, 103, 106, 108, 109, 111, 112, 113,
        115, 116, 117, 118, 119, 120, 121, 122, 123, 124, 125, 127, 128, 129, 131, 132}) {
    v = -1;
    CUresult r = cuDeviceGetAttribute(&v, (CUdevice_attribute)a, d);
    printf("%d: %d %s\n", a, v, nm(r));
  }
  E(cuDeviceGetAttribute(&v, (CUdevice_attribute)9999, d));
  E(cuDeviceGetAttribute(&v, (CUdevice_attribute)0, d));
  int ma, mi;
  E(cuDeviceComputeCapability(&ma, &mi, d));
  printf("%d %d\n", ma, mi);
  CUuuid u;
  E(cuDeviceGetUuid(&u, d));
  char bus[32];
  E(cuDeviceGetPCIBusId(bus, 32, d));
  CUdevice e;
  E(cuDeviceGetByPCIBusId(&e, bus));
  printf("%d\n", e == d);
  E(cuDeviceGetByPCIBusId(&e, "0000:ff:1f.7"));
  size_t t, f;
  E(cuDeviceTotalMem(&t, d));
  E(cuMemGetInfo(&f, &t));
  printf("%d\n", f <= t);
  E(cuDeviceCanAccessPeer(&v, d, d));
  printf("%d\n", v);
  E(cuDeviceGetP2PAttribute(&v, CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED, d, d));
  int n;
  E(cuDeviceGetCount(&n));
  printf("%d\n", n);
  E(cuDriverGetVersion(&v));
  printf("%d\n", v >= 12000);
  size_t w;
  E(cuDeviceGetTexture1DLinearMaxWidth(&w, CU_AD_FORMAT_FLOAT, 1, d));
  printf("%zu\n", w);
  E(cuDeviceGetExecAffinitySupport(&v, CU_EXEC_AFFINITY_TYPE_SM_COUNT, d));
  printf("%d\n", v);
  CUdevprop pr;
  E(cuDeviceGetProperties(&pr, d));
  printf("%d %d %d %d %d %d\n", pr.maxThreadsPerBlock, pr.maxThreadsDim[2], pr.maxGridSize[1],
         pr.sharedMemPerBlock, pr.regsPerBlock, pr.textureAlign);
  CUcontext c;
  E(cuCtxGetCurrent(&c));
  E(cuCtxEnablePeerAccess(c, 0));
  E(cuCtxDisablePeerAccess(c));
  cuuint64_t gm;
  E(cuDeviceGetGraphMemAttribute(d, CU_GRAPH_MEM_ATTR_USED_MEM_CURRENT, &gm));
  printf("%llu\n", (unsigned long long)gm);
  E(cuDeviceGraphMemTrim(d));
  char luid[8];
  unsigned mask;
  E(cuDeviceGetLuid(luid, &mask, d));
  E(cuFlushGPUDirectRDMAWrites(CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TARGET_CURRENT_CTX,
                               CU_FLUSH_GPU_DIRECT_RDMA_WRITES_TO_OWNER));
  return 0;
}
