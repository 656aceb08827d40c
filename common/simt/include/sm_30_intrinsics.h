// SPDX-License-Identifier: MIT
// sm_30_intrinsics.h - older programs include it for shuffles: cuda_runtime.h has them.
#pragma once
#include "cuda_runtime.h"
