// SPDX-License-Identifier: MIT
// common_functions.h - older programs include it for clock, printf and memset in kernels:
// cuda_runtime.h has them.
#pragma once
#include "cuda_runtime.h"
