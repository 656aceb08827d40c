// SPDX-License-Identifier: MIT
// Needs a library that is no part of the CUDA runtime.
#include <cublas_that_is_not_there.h>

int main() { return 0; }
