// SPDX-License-Identifier: MIT
// What a toolkit has and the software GPU has not, is found.
#define FROM_TOOLKIT 4
