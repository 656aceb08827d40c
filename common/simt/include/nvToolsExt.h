// SPDX-License-Identifier: MIT
// nvToolsExt.h - where NVIDIA's annotations were before version 3.
#pragma once
#include "nvtx3/nvToolsExt.h"
