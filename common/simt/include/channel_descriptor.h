// SPDX-License-Identifier: MIT
// channel_descriptor.h - older programs include it for cudaCreateChannelDesc(): cuda_runtime.h has
// it.
#pragma once
#include "cuda_runtime.h"
