// SPDX-License-Identifier: MIT
// Found by the name alone, from another folder.
#define SHIFT 3
int apply(int *device);
