// SPDX-License-Identifier: MIT
// hip_vector_types.h - float4 and its relatives: CUDA's, without HIP's operators on them.
#include "hip_runtime_api.h"

#include <vector_types.h>
