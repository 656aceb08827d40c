// SPDX-License-Identifier: MIT
// hipcub.hpp - refused by name: a library that is not part of the software GPU.
#error "hipCUB is not there: write the reduction as lessons 05 to 07 do, or use CUB with simt-nvcc"
