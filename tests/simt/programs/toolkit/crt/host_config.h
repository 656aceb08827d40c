// SPDX-License-Identifier: MIT
// By this file simtcc knows a folder of a CUDA toolkit.
