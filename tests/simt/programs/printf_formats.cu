// SPDX-License-Identifier: MIT
// The device's printf: its conversions, the number it returns (of arguments), and the conversions
// of C that it does not have and prints as they stand.
#include <cstddef>
#include <cstdint>
#include <cstdio>

__global__ void formats() {
  int r[24], n = 0;
  const char *text = "text";
  r[n++] = printf("plain\n");
  r[n++] = printf("100%%, 100%% %d\n", 7);
  r[n++] = printf("[%d] [%5d] [%-5d] [%05d] [%+d] [% d] [%.3d]\n", 1, 2, 3, 4, 5, 6, 7);
  r[n++] = printf("[%u] [%x] [%#x] [%X] [%#X] [%o] [%#o] [%i]\n", 4000000000u, 255, 255, 255, 255,
                  64, 64, -9);
  r[n++] = printf("[%ld] [%lld] [%lu] [%llx]\n", -5000000000l, -5000000000ll, 5000000000ul,
                  5000000000ull);
  r[n++] = printf("[%hd] [%hu] [%hx]\n", 70000, 70000, 70000);
  r[n++] = printf("[%f] [%.2f] [%10.3f] [%-10.1f] [%+.0f] [%e] [%g] [%G]\n", 1.5, 2.255, 3.14159,
                  4.25, 5.5, 12345.678, 0.0001, 1e-10);
  r[n++] = printf("[%a] [%E] [%F]\n", 1.0, 0.5, 2.5);
  r[n++] = printf("[%c] [%5c] [%-3c]\n", 'x', 'y', 'z');
  r[n++] = printf("[%s] [%8s] [%-8s] [%.2s]\n", text, text, text, text);
  r[n++] = printf("[%p]\n", (void *)0);
  r[n++] = printf("[%f] [%f] [%f]\n", 1.0 / 0.0, -1.0 / 0.0, 0.0);
  for (int i = 0; i < n; i++) printf("%d ", r[i]);
  printf("\n");
}

// Not in the device's printf: the text stands as it is. (With conversions of the device's beside
// them, these print what happens to lie in memory.)
__global__ void literal() {
  int r[16], n = 0;
  r[n++] = printf("[%zu]\n", (size_t)5);
  r[n++] = printf("[%jd]\n", (intmax_t)5);
  r[n++] = printf("[%td]\n", (ptrdiff_t)5);
  r[n++] = printf("[%.*f]\n", 2, 1.5);
  r[n++] = printf("[%k] [%y]\n");
  for (int i = 0; i < n; i++) printf("%d ", r[i]);
  printf("\n");
}

// hh: the kernel packs no argument for it, the host prints the next word all the same. So what
// follows takes the argument before its own, and behind the last one stands the format's text.
__global__ void bytes(int z) {
  printf("[%hhd] [%hhu] [%hhx]\n", (signed char)-7, (unsigned char)200, (unsigned char)255);
  printf("%hhu %hhd %hhx %hho %hhi\n", 300 + z, 300 + z, 511 + z, 257 + z, -129 + z);
  printf("%5hhd|%-5hhu|%05hhx|%+hhd|%#hhx\n", 5 + z, 200 + z, 255 + z, 127 + z, 15 + z);
  unsigned char c = 200;
  signed char s = -100;
  short h = -30000;
  unsigned short u = 60000;
  printf("%hhu %hhd %hd %hu %d %d\n", c, s, h, u, c, s);
  printf("[%hd] [%hhd] [%hu] [%hhu] [%hx]\n", h, s, u, c, h);
  printf("%d %hhd %d %hhd %d\n", 1 + z, 2 + z, 3 + z, 4 + z, 5 + z);
}

// Threads and blocks in order of the blocks, as one block after the other is launched.
__global__ void who(int base) { printf("block %d thread %d\n", base, (int)threadIdx.x); }

int main() {
  formats<<<1, 1>>>();
  cudaDeviceSynchronize();
  literal<<<1, 1>>>();
  cudaDeviceSynchronize();
  bytes<<<1, 1>>>(0);
  cudaDeviceSynchronize();
  for (int b = 0; b < 2; b++) who<<<1, 3>>>(b);
  printf("%s\n", cudaGetErrorName(cudaDeviceSynchronize()));
}
