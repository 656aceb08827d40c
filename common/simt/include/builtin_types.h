// SPDX-License-Identifier: MIT
// builtin_types.h - older programs include it for float4 and its relatives.
#pragma once
#include "driver_types.h"
#include "vector_types.h"
