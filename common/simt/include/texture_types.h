// SPDX-License-Identifier: MIT
// texture_types.h - older programs include it for the types of texture objects: cuda_runtime.h
// has them.
#pragma once
#include "cuda_runtime.h"
