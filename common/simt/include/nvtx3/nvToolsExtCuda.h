// SPDX-License-Identifier: MIT
// nvtx3/nvToolsExtCuda.h - annotations that name CUDA objects: of those there is nothing here.
#pragma once
#include "nvToolsExt.h"
