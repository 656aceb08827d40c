// SPDX-License-Identifier: MIT
// judge_module.c - loads the module under test, finds its kernels, and refuses those whose
// parameters are not what the suite hands over.
#include "judge_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// What the software GPU does not take, or has no room for, it never takes: make try says so
// before anything is handed in. So that is the module's fault; of a GPU it may be the driver's, and
// then, as for any other error, there is nothing to judge.
static bool is_modules_fault(cudaError_t error) {
#ifdef WORKBOOK_SIMT
  return error == cudaErrorInvalidPtx || error == cudaErrorLaunchOutOfResources ||
         error == cudaErrorMemoryAllocation;
#else
  (void)error;
  return false;
#endif
}

static void not_loaded(wb_judge *judge, cudaError_t error) {
  const char *said = wb_judge_said(judge);
  if (is_modules_fault(error))
    wb_judge_fail_why(judge, (wb_why){WB_CAUSE_MODULE_NOT_LOADED, NULL, NULL},
                      "the module cannot be loaded: %s (%s)%s%.2500s", cudaGetErrorString(error),
                      cudaGetErrorName(error), *said ? "\n" : "", said);
  wb_judge_break(judge, WB_CAUSE_MODULE_NOT_LOADED,
                 "the module %.400s cannot be loaded: %s (%s)%s%.2500s", judge->module_path,
                 cudaGetErrorString(error), cudaGetErrorName(error), *said ? "\n" : "", said);
}

static void load_module(wb_judge *judge) {
  cudaError_t error =
      cudaLibraryLoadFromFile(&judge->library, judge->module_path, NULL, NULL, 0, NULL, NULL, 0);
  if (error != cudaSuccess) not_loaded(judge, error);
  judge->loaded = true;
}

// Size of the parameter whose declaration begins at `text`, "float *in[8]" being a struct of eight;
// *next: after its comma, NULL at the end.
static size_t declared_bytes(const char *text, const char **next) {
  static const char *const wide[] = {"*", "size_t", "long", "double", "int64_t"};
  char one[64];
  size_t length = strcspn(text, ",)");
  snprintf(one, sizeof one, "%.*s", (int)length, text);
  *next = text[length] == ',' ? text + length + 1 : NULL;
  const char *count = strchr(one, '[');
  const size_t n = count ? strtoul(count + 1, NULL, 10) : 1;
  for (size_t i = 0; i < sizeof wide / sizeof *wide; i++)
    if (strstr(one, wide[i])) return 8 * n;
  return 4 * n;
}

static void refuse_signature(wb_judge *judge, const wb_kernel *kernel, const char *what) {
  wb_judge_fail_why(judge, (wb_why){WB_CAUSE_SIGNATURE, NULL, NULL},
                    "`%s` has other parameters than the exercise asks for: %s\n"
                    "wanted: extern \"C\" __global__ void %s",
                    kernel->name, what, kernel->signature);
}

// A launch hands over as many bytes as the kernel declares: the sizes must be the suite's.
static void check_signature(wb_judge *judge, const wb_kernel *kernel) {
#if CUDART_VERSION >= 13000
  const void *function = (const void *)kernel->handle;
  size_t index = 0, offset, size;
  char what[96];
  for (const char *at = strchr(kernel->signature, '(') + 1; at; index++) {
    size_t want = declared_bytes(at, &at);
    if (cudaFuncGetParamInfo(function, index, &offset, &size) != cudaSuccess) {
      snprintf(what, sizeof what, "it has %zu only", index);
      refuse_signature(judge, kernel, what);
    } else if (size != want) {
      snprintf(what, sizeof what, "parameter %zu has %zu bytes, not %zu", index + 1, size, want);
      refuse_signature(judge, kernel, what);
    }
  }
  if (cudaFuncGetParamInfo(function, index, &offset, &size) == cudaSuccess)
    refuse_signature(judge, kernel, "it has more");
  cudaGetLastError(); // the question for one parameter too many left an error behind
#else
  (void)judge, (void)kernel; // no way to ask
#endif
}

wb_kernel wb_judge_kernel(wb_judge *judge, const char *signature) {
  if (!judge->loaded) load_module(judge);
  wb_kernel kernel = {.signature = signature};
  size_t length = strcspn(signature, "(");
  snprintf(kernel.name, sizeof kernel.name, "%.*s", (int)length, signature);
#ifdef WORKBOOK_SIMT
  if (judge->is_tried)
    snprintf(kernel.name, sizeof kernel.name, "%.*s_tried_%u", (int)length, signature,
             judge->tried);
#endif
  cudaError_t error = cudaLibraryGetKernel(&kernel.handle, judge->library, kernel.name);
  if (error != cudaSuccess && error != cudaErrorSymbolNotFound) not_loaded(judge, error);
  if (error != cudaSuccess)
    wb_judge_fail_why(
        judge,
        (wb_why){WB_CAUSE_NO_KERNEL, "the kernel was renamed, or its `extern \"C\"` is missing",
                 NULL},
        "the module has no kernel named `%s`.\nwanted: extern \"C\" __global__ void %s",
        kernel.name, signature);
  check_signature(judge, &kernel);
  return kernel;
}
