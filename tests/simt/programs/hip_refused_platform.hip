// SPDX-License-Identifier: MIT
// The platform AMD is refused by name: code for it would be wrong for warps of 32 lanes.
// flags: -D__HIP_PLATFORM_AMD__
// refused: this is HIP's NVIDIA platform, with warps of 32 lanes: leave out -D__HIP_PLATFORM_AMD__
#include <hip/hip_runtime.h>

int main() { return 0; }
