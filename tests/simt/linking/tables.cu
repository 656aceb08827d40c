// SPDX-License-Identifier: MIT
#include "shared.h"

__device__ int counter = 100;
__constant__ float weights[4] = {1, 2, 3, 4};
__managed__ int from_host = 40;
