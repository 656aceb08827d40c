// SPDX-License-Identifier: MIT
// Stands for a CUDA toolkit's own header, which build files name with -I: simtcc takes its own.
#error "the toolkit's cuda_runtime.h was included"
