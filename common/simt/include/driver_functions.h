// SPDX-License-Identifier: MIT
// driver_functions.h - older programs include it for make_cudaExtent and its relatives:
// cuda_runtime.h has them.
#pragma once
#include "cuda_runtime.h"
