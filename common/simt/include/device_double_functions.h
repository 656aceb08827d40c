// SPDX-License-Identifier: MIT
// device_double_functions.h - older programs include it for intrinsics on double: cuda_runtime.h
// has them.
#pragma once
#include "cuda_runtime.h"
