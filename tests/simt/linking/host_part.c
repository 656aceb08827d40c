// SPDX-License-Identifier: MIT
int in_c(int x) { return x + 2; }
