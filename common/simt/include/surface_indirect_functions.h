// SPDX-License-Identifier: MIT
// surface_indirect_functions.h - older programs include it for surface objects: cuda_runtime.h
// has them.
#pragma once
#include "cuda_runtime.h"
