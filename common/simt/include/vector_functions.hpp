// SPDX-License-Identifier: MIT
// vector_functions.hpp - older programs include it for make_float4() and its relatives.
#pragma once
#include "vector_functions.h"
