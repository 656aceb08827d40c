// SPDX-License-Identifier: MIT
// Beside split_chevrons.cu: found from there by its name alone.
enum { STEP = 100 };
