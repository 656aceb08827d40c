// SPDX-License-Identifier: MIT
// Does not end.
int main() {
  for (volatile int i = 0;; i++) {}
}
