// SPDX-License-Identifier: MIT
// Copies and sets in two dimensions, in all directions, and what is refused: widths beyond a pitch
// (which pitch matters depends on the height), allocations that cannot be.
#include <cstdint>
#include <cstdio>
#include <cstring>

enum { WIDTH = 10, HEIGHT = 4 };

static void show(const char *what, cudaError_t error) {
  printf("%s: %s\n", what, cudaGetErrorName(error));
  cudaGetLastError();
}

static void refusals(const char *from, char *to, enum cudaMemcpyKind kind, const char *name) {
  struct {
    size_t to_pitch, from_pitch, width, height;
  } cases[] = {{16, 16, 10, 4}, {8, 16, 10, 4}, {16, 8, 10, 4}, {8, 16, 10, 1},
               {16, 8, 10, 1},  {0, 0, 10, 1},  {0, 0, 10, 4},  {8, 8, 10, 0},
               {0, 0, 0, 4},    {16, 0, 10, 1}, {0, 16, 10, 1}};
  for (auto &c : cases) {
    char text[96];
    snprintf(text, sizeof text, "%s %zu<-%zu, %zu x %zu", name, c.to_pitch, c.from_pitch, c.width,
             c.height);
    show(text, cudaMemcpy2D(to, c.to_pitch, from, c.from_pitch, c.width, c.height, kind));
  }
}

int main() {
  char host[HEIGHT][32], back[HEIGHT][24];
  for (int y = 0; y < HEIGHT; y++)
    for (int x = 0; x < 32; x++) host[y][x] = (char)('a' + (y * 7 + x) % 26);
  memset(back, '.', sizeof back);
  char *device, *other;
  size_t pitch = 0;
  show("cudaMallocPitch", cudaMallocPitch((void **)&device, &pitch, WIDTH, HEIGHT));
  printf("pitch %d\n", (int)(pitch >= WIDTH && pitch % 32 == 0));
  show("cudaMalloc", cudaMalloc((void **)&other, 32 * HEIGHT));
  show("down", cudaMemcpy2D(device, pitch, host, 32, WIDTH, HEIGHT, cudaMemcpyHostToDevice));
  show("across", cudaMemcpy2D(other, 16, device, pitch, WIDTH, HEIGHT, cudaMemcpyDeviceToDevice));
  show("set", cudaMemset2D(other + 2, 16, '#', 3, 2));
  show("up", cudaMemcpy2D(back, 24, other, 16, WIDTH, HEIGHT, cudaMemcpyDeviceToHost));
  for (int y = 0; y < HEIGHT; y++) printf("%.24s\n", back[y]);
  show("host", cudaMemcpy2D(back[0] + 12, 24, host, 32, 5, HEIGHT, cudaMemcpyHostToHost));
  for (int y = 0; y < HEIGHT; y++) printf("%.24s\n", back[y]);

  refusals(&host[0][0], &back[0][0], cudaMemcpyHostToHost, "host to host");
  refusals(&host[0][0], other, cudaMemcpyHostToDevice, "host to device");
  refusals(other, &back[0][0], cudaMemcpyDeviceToHost, "device to host");
  refusals(other, other + 64, cudaMemcpyDeviceToDevice, "device to device");
  show("set 8, 10 x 4", cudaMemset2D(other, 8, 0, 10, 4));
  show("set 8, 10 x 1", cudaMemset2D(other, 8, 0, 10, 1));
  show("set 0, 10 x 1", cudaMemset2D(other, 0, 0, 10, 1));
  show("set 8, 10 x 0", cudaMemset2D(other, 8, 0, 10, 0));
  void *none = nullptr;
  show("pitch of everything", cudaMallocPitch(&none, &pitch, SIZE_MAX, SIZE_MAX));
  show("far too much", cudaMallocPitch(&none, &pitch, (size_t)1 << 44, 4));
  cudaFree(device);
  cudaFree(other);
}
