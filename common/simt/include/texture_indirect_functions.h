// SPDX-License-Identifier: MIT
// texture_indirect_functions.h - older programs include it for reads of texture objects:
// cuda_runtime.h has them.
#pragma once
#include "cuda_runtime.h"
