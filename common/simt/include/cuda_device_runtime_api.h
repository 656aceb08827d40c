// SPDX-License-Identifier: MIT
// cuda_device_runtime_api.h - the runtime as device code may call it: of that there is nothing
// here.
#pragma once
#include "cuda_runtime_api.h"
