// SPDX-License-Identifier: MIT
// cuda_profiler_api.h - cudaProfilerStart and cudaProfilerStop: the runtime API has them.
#pragma once
#include "cuda_runtime_api.h"
