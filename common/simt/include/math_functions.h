// SPDX-License-Identifier: MIT
// math_functions.h - older programs include it for the maths library: cuda_runtime.h has it.
#pragma once
#include "cuda_runtime.h"
