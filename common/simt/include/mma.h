// SPDX-License-Identifier: MIT
// mma.h - matrix instructions, which the software GPU does not have.
#pragma once
#error "mma.h: no matrix (tensor core) instructions on the software GPU; use ordinary arithmetic"
