// SPDX-License-Identifier: MIT
count = 2; // an int

twice(n) { return product(n, count); }

product(a, b) { return a * b; }
