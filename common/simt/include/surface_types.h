// SPDX-License-Identifier: MIT
// surface_types.h - older programs include it for the types of surface objects: cuda_runtime.h
// has them.
#pragma once
#include "cuda_runtime.h"
