// SPDX-License-Identifier: MIT
// A flag of hipcc that asks for warps of 64 lanes is refused.
// nvcc: skip
// simtcc: -mwavefrontsize64
// refused: error: -mwavefrontsize64: warps of the software GPU have 32 lanes; ask the device
#include <hip/hip_runtime.h>

int main() { return 0; }
