// SPDX-License-Identifier: MIT
int limit(void) { return 7; }
