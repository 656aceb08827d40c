// SPDX-License-Identifier: MIT
// Calls a function that the runtime does not have: refused by the compiler, by name.
int main() { return cudaGetTheAnswer(42); }
