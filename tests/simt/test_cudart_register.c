// SPDX-License-Identifier: MIT
// test_cudart_register.c - how programs make their kernels known before main: fat binaries as clang
// and nvcc embed them, kernels, variables, call configurations.
#define _DEFAULT_SOURCE 1 // mkstemp, setenv, dup

#include <string.h>

#include "cudart_fixture.h"
#include "run_suite.h"

#define HEAD ".version 7.0\n.target sm_75\n.address_size 64\n"

static const char *const program_text =
    HEAD ".visible .global .align 4 .u32 cell = 7;\n.visible .entry nothing() { ret; }\n";

void **__cudaRegisterFatBinary(void *wrapper);
void __cudaRegisterFunction(void **handle, const char *host, char *device, const char *name,
                            int limit, void *tid, void *bid, void *block, void *grid, int *warp);
void __cudaRegisterVar(void **handle, char *host, char *device, const char *name, int is_extern,
                       size_t size, int is_constant, int is_global);
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void *stream);
cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream);

typedef struct wrapper {
  uint32_t magic, version;
  const void *data;
  void *unused;
} wrapper;

typedef struct image {
  uint16_t kind, version;
  uint32_t header_bytes;
  uint64_t payload_bytes;
  uint32_t compressed_bytes, options;
  uint16_t minor, major;
  uint32_t arch, name_offset, name_bytes;
  uint64_t flags, reserved, uncompressed_bytes;
} image;

static uint8_t container[16384];
static size_t container_bytes;

static void container_begin(void) {
  container_bytes = 16;
  memcpy(container, &(uint32_t){0xba55ed50u}, 4);
  memcpy(container + 4, &(uint16_t){1}, 2);
  memcpy(container + 6, &(uint16_t){16}, 2);
}

static void container_add(uint16_t kind, uint32_t arch, uint64_t flags, const char *text) {
  size_t bytes = (strlen(text) + 8) / 8 * 8;
  image i = {.kind = kind,
             .version = 0x101,
             .header_bytes = sizeof i,
             .payload_bytes = bytes,
             .arch = arch,
             .flags = flags};
  memcpy(container + container_bytes, &i, sizeof i);
  memcpy(container + container_bytes + sizeof i, text, strlen(text));
  container_bytes += sizeof i + bytes;
  memcpy(container + 8, &(uint64_t){container_bytes - 16}, 8);
}

static char host_function, host_variable; // addresses only
static wrapper the_wrapper = {0x466243b1u, 1, container, NULL};

static void register_program(const void *data, const char *kernel) {
  the_wrapper.data = data;
  void **handle = __cudaRegisterFatBinary(&the_wrapper);
  __cudaRegisterFunction(handle, &host_function, (char *)(uintptr_t)kernel, kernel, -1, NULL, NULL,
                         NULL, NULL, NULL);
  __cudaRegisterVar(handle, &host_variable, (char *)(uintptr_t) "cell", "cell", 0, 4, 0, 0);
}

static cudaError_t launch_registered(void) {
  return cudaLaunchKernel(&host_function, (dim3){1, 1, 1}, (dim3){1, 1, 1}, NULL, 0, 0);
}

START_TEST(clang_embeds_raw_ptx)
{
  register_program(program_text, "nothing");
  OK(launch_registered());
  int value = 0;
  OK(cudaMemcpyFromSymbol(&value, &host_variable, 4, 0, cudaMemcpyDeviceToHost));
  ck_assert_int_eq(value, 7);
  value = 8;
  OK(cudaMemcpyToSymbol(&host_variable, &value, 4, 0, cudaMemcpyHostToDevice));
  OK(cudaDeviceReset()); // and the module comes back as it was
  OK(launch_registered());
  OK(cudaMemcpyFromSymbol(&value, &host_variable, 4, 0, cudaMemcpyDeviceToHost));
  ck_assert_int_eq(value, 7);
}
END_TEST

START_TEST(nvcc_container_newest_ptx_is_taken)
{
  container_begin();
  container_add(2, 90, 0x11, "\177ELF");
  container_add(1, 75, 0x11, HEAD ".visible .entry k() { trap; }\n");
  container_add(1, 90, 0x11, HEAD ".visible .entry k() { ret; }\n");
  container_add(1, 80, 0x11, HEAD ".visible .entry k() { trap; }\n");
  register_program(container, "k");
  OK(launch_registered());
  OK(cudaDeviceSynchronize());
}
END_TEST

static void launch_compressed(void) { IS(cudaErrorInvalidPtx, launch_registered()); }
static void launch_without_ptx(void) { IS(cudaErrorNoKernelImageForDevice, launch_registered()); }

START_TEST(nvcc_container_without_readable_ptx)
{
  container_begin();
  container_add(2, 90, 0x11, "\177ELF");
  if (_i == 0) container_add(1, 90, 0x8011, "(compressed)");
  register_program(container, "k");
  const char *said = stderr_of(_i == 0 ? launch_compressed : launch_without_ptx);
  ck_assert_ptr_nonnull(strstr(said, _i == 0 ? "--no-compress" : "compute_75"));
  ck_assert_str_eq(stderr_of(_i == 0 ? launch_compressed : launch_without_ptx), ""); // said once
  OK(cudaDeviceReset()); // else the process would end with status 86, as a program should
}
END_TEST

START_TEST(damaged_container_is_refused)
{
  container_begin();
  container_add(1, 75, 0x11, HEAD ".visible .entry k() { ret; }\n");
  memcpy(container + 16 + 8, &(uint64_t){UINT64_MAX - 60}, 8); // payload size
  register_program(container, "k");
  freopen("/dev/null", "w", stderr);
  IS(cudaErrorInvalidPtx, launch_registered());
  OK(cudaDeviceReset());
}
END_TEST

START_TEST(unknown_functions_and_symbols)
{
  IS(cudaErrorInvalidDeviceFunction, launch(NULL, NULL));
  IS(cudaErrorInvalidResourceHandle, launch_registered());
  int value = 0;
  IS(cudaErrorInvalidSymbol,
     cudaMemcpyToSymbol(&host_variable, &value, 4, 0, cudaMemcpyHostToDevice));
  register_program(program_text, "absent");
  IS(cudaErrorInvalidDeviceFunction, launch_registered());
}
END_TEST

START_TEST(call_configurations_nest)
{
  dim3 grid, block;
  size_t shared = 0;
  void *stream = NULL;
  ck_assert_uint_eq(__cudaPushCallConfiguration((dim3){1, 2, 3}, (dim3){4, 5, 6}, 7, (void *)8), 0);
  ck_assert_uint_eq(__cudaPushCallConfiguration((dim3){9, 1, 1}, (dim3){1, 1, 1}, 0, NULL), 0);
  OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  ck_assert_uint_eq(grid.x, 9);
  OK(__cudaPopCallConfiguration(&grid, &block, &shared, &stream));
  ck_assert(grid.z == 3 && block.y == 5 && shared == 7 && stream == (void *)8);
  IS(cudaErrorMissingConfiguration, __cudaPopCallConfiguration(&grid, &block, &shared, &stream));
}
END_TEST

int main(void) {
  Suite *suite = suite_create("cudart_register");
  setenv("SIMT_NOTES", "0", 1);
  TCase *tcase = tcase_create("registration");
  tcase_add_test(tcase, clang_embeds_raw_ptx);
  tcase_add_test(tcase, nvcc_container_newest_ptx_is_taken);
  tcase_add_loop_test(tcase, nvcc_container_without_readable_ptx, 0, 2);
  tcase_add_test(tcase, damaged_container_is_refused);
  tcase_add_test(tcase, unknown_functions_and_symbols);
  tcase_add_test(tcase, call_configurations_nest);
  suite_add_tcase(suite, tcase);
  return run_suite(suite);
}
