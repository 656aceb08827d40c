// SPDX-License-Identifier: MIT
// Wants an argument.
#include <cstdio>

int main(int argc, char **argv) {
  if (argc < 2) {
    printf("usage: %s N\n", argv[0]);
    return 1;
  }
  return 0;
}
