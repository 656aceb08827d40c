// SPDX-License-Identifier: MIT
// flags: -lcuda
//
// Attributes of devices under the driver API's names.
#include <cuda.h>
#include <cstdio>

static void say(const char *what, CUdevice_attribute attribute, CUdevice device) {
  int value = -1;
  const CUresult result = cuDeviceGetAttribute(&value, attribute, device);
  printf("%s: %d, %d\n", what, (int)result, value);
}

int main() {
  CUdevice device;
  cuInit(0);
  cuDeviceGet(&device, 0);
  say("warp", CU_DEVICE_ATTRIBUTE_WARP_SIZE, device);
  say("width of a texture", CU_DEVICE_ATTRIBUTE_MAXIMUM_TEXTURE2D_WIDTH, device);
  say("virtual memory", CU_DEVICE_ATTRIBUTE_VIRTUAL_MEMORY_MANAGEMENT_SUPPORTED, device);
  say("virtual memory by its older name", CU_DEVICE_ATTRIBUTE_VIRTUAL_ADDRESS_MANAGEMENT_SUPPORTED,
      device);
  say("words of 64 bits", CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS, device);
  say("registered memory", CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED, device);
  say("beyond the last", CU_DEVICE_ATTRIBUTE_MAX, device);
}
