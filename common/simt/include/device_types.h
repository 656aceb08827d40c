// SPDX-License-Identifier: MIT
// device_types.h - rounding modes by name.
#pragma once
#define __DEVICE_TYPES_H__ // as in the toolkit

enum cudaRoundMode { cudaRoundNearest, cudaRoundZero, cudaRoundPosInf, cudaRoundMinInf };
