// SPDX-License-Identifier: MIT
/// @file warp.h
/// The two numbers of a warp, for device code (.cu only). CUDA's own warpSize is no constant to the
/// compiler; these are.
#ifndef WB_WARP_H
#define WB_WARP_H

static const unsigned WARP_SIZE = 32;         ///< lanes
static const unsigned FULL_MASK = 0xffffffff; ///< all lanes, one bit each

#endif
