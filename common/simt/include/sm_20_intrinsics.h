// SPDX-License-Identifier: MIT
// sm_20_intrinsics.h - older programs include it for votes and fences: cuda_runtime.h has them.
#pragma once
#include "cuda_runtime.h"
