// SPDX-License-Identifier: MIT
int offset(int value) { return value + 1; }
