// SPDX-License-Identifier: MIT
// sm_61_intrinsics.h - older programs include it for products of packed integers: cuda_runtime.h
// has them.
#pragma once
#include "cuda_runtime.h"
