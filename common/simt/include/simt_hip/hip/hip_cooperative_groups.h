// SPDX-License-Identifier: MIT
// hip_cooperative_groups.h - HIP's cooperative groups: CUDA's, of cooperative_groups.h.
#include "hip_runtime.h"

#include <cooperative_groups.h>
