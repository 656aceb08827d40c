// SPDX-License-Identifier: MIT
//
// Integers of 128 bits, whose division a compiler brings along as code that takes the flag of
// sub.cc for a carry; and __byte_perm(), which uses three bits of each selector.
#include <cstdio>

__device__ void show(const char *name, __int128 x) {
  printf("%s %llx %llx\n", name, (unsigned long long)(x >> 64), (unsigned long long)x);
}

__global__ void divide(long long l, unsigned long long m, long long d) {
  __int128 square = (__int128)l * l;
  show("quotient", square / 1000003);
  show("remainder", square % 1000003);
  show("by a variable", square / d);
  show("negative", -square / d);
  unsigned __int128 u = (unsigned __int128)m << 64 | m;
  show("2^64 + 1", u / m);
  show("tenth", u / 10);
  show("by more than 2^64", u / ((unsigned __int128)d << 60));
  show("less than one", m / u);
}

__global__ void convert(long long l, unsigned long long m, double d) {
  const __int128 x = (__int128)l * l * 5;
  const unsigned __int128 u = (unsigned __int128)m << 64 | 1;
  printf("%.17g %.17g %.9g %.9g\n", (double)x, (double)-x, (float)x, (float)(x >> 70));
  printf("%.17g %.9g %.17g\n", (double)u, (float)u, (double)(u >> 10));
  show("double", (__int128)d);
  show("negative", (__int128)(d * -1e-15));
  show("unsigned", (unsigned __int128)(d * 1e7));
  show("float", (__int128)(float)d);
}

__global__ void flags(unsigned a, unsigned b) {
  unsigned low, high, carry;
  asm("sub.cc.u32 %0, %3, %4; subc.cc.u32 %1, 0, 0; addc.u32 %2, 0, 0;"
      : "=r"(low), "=r"(high), "=r"(carry)
      : "r"(a), "r"(b));
  printf("%u - %u: %x %x, carry %u\n", a, b, high, low, carry);
}

__global__ void bytes(unsigned x, unsigned y, unsigned selector) {
  printf("%08x %08x\n", __byte_perm(x, y, selector), __byte_perm(x, y, 0xfb73));
}

int main() {
  divide<<<1, 1>>>(-1234567890123456789LL, 0xfedcba9876543210ull, 1000003);
  convert<<<1, 1>>>(-1234567890123456789LL, 0xfedcba9876543210ull, 1.25e30);
  flags<<<1, 1>>>(7, 5);
  flags<<<1, 1>>>(5, 5);
  flags<<<1, 1>>>(5, 7);
  bytes<<<1, 1>>>(0xdeadbeef, 0x12345678, 0x98fe);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
}
