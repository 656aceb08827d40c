// SPDX-License-Identifier: MIT
// Not this one.
int limit(void) { return 0; }
