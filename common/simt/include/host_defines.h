// SPDX-License-Identifier: MIT
// host_defines.h - older programs include it for __host__ and its relatives.
#pragma once
#include "simt_cuda/qualifiers.h"
