// SPDX-License-Identifier: MIT
// Events that a launch records by its attributes; shapes of arrays that there are not.
// flags: -arch=sm_90
#include <cstdio>

__global__ void increase(int *number) { ++*number; }

static void launch(cudaLaunchAttribute attribute, cudaEvent_t event, int *number) {
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = 1;
  config.attrs = &attribute;
  config.numAttrs = 1;
  const cudaError_t launched = cudaLaunchKernelEx(&config, increase, number);
  const cudaError_t waited = cudaEventSynchronize(event);
  cudaDeviceSynchronize();
  printf("%s %s %s %d\n", cudaGetErrorName(launched), cudaGetErrorName(waited),
         cudaGetErrorName(cudaEventQuery(event)), *number);
}

int main() {
  int *number;
  cudaEvent_t event;
  cudaMallocManaged(&number, sizeof *number);
  *number = 0;
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaLaunchAttribute attribute = {};
  attribute.id = cudaLaunchAttributeLaunchCompletionEvent;
  attribute.val.launchCompletionEvent.event = event;
  launch(attribute, event, number);
  attribute = cudaLaunchAttribute{};
  attribute.id = cudaLaunchAttributeProgrammaticEvent;
  attribute.val.programmaticEvent.event = event;
  launch(attribute, event, number);

  const cudaChannelFormatDesc one = cudaCreateChannelDesc<int>();
  cudaArray_t array;
  printf("%s\n", cudaGetErrorName(cudaMalloc3DArray(&array, &one, make_cudaExtent(4, 0, 2))));
  cudaEventDestroy(event);
  cudaFree(number);
}
