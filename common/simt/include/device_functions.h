// SPDX-License-Identifier: MIT
// device_functions.h - older programs include it for intrinsics: cuda_runtime.h has them.
#pragma once
#include "cuda_runtime.h"
