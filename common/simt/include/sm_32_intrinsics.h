// SPDX-License-Identifier: MIT
// sm_32_intrinsics.h - older programs include it for loads through the read-only cache:
// cuda_runtime.h has them.
#pragma once
#include "cuda_runtime.h"
