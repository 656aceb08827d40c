// SPDX-License-Identifier: MIT
// device_launch_parameters.h - threadIdx and its relatives: cuda_runtime.h has them.
#pragma once
#include "cuda_runtime.h"
