// SPDX-License-Identifier: MIT
// Tries what a program of unknown origin must not do; its own folder is its to write, in a copy.
#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdio>

static bool writes(const char *path) {
  FILE *file = fopen(path, "a");
  if (file) fclose(file);
  return file != nullptr;
}

int main() {
  char here[4096], above[4200];
  if (!getcwd(here, sizeof here)) return 3;
  snprintf(above, sizeof above, "%s/../right.cu", here);
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_port = htons(22);
  address.sin_addr.s_addr = htonl(0x7f000001);
  const int s = socket(AF_INET, SOCK_STREAM, 0);
  const bool connected = s >= 0 && connect(s, (sockaddr *)&address, sizeof address) == 0;
  const bool bad = writes(above) || writes("/usr/outside") || connected || !writes("own");
  printf("%s\n", bad ? "FAILED" : "PASSED");
  return bad;
}
