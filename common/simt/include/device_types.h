// SPDX-License-Identifier: MIT
// device_types.h - older programs include it for names of rounding modes: cuda_runtime.h has
// what is needed.
#pragma once
#include "cuda_runtime.h"
