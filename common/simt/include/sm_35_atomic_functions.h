// SPDX-License-Identifier: MIT
// sm_35_atomic_functions.h - older programs include it for atomics: cuda_runtime.h has them.
#pragma once
#include "cuda_runtime.h"
