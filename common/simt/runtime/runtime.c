// SPDX-License-Identifier: MIT
// runtime/runtime.c - the context of the CUDA runtime layer: its start and end, errors, device
// faults, device printf.
//
// Invariants: the lock is held from simt_rt_enter() to simt_rt_leave(); a device fault is printed
// once, and every call that needs the device fails with it until cudaDeviceReset().
#define _DEFAULT_SOURCE 1 // on_exit

#include "runtime/pool.h"
#include "runtime/runtime.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/text.h"
#include "runtime/driver.h"
#include "runtime/platform.h"

enum { EXIT_WITH_FINDINGS = 86, LONGEST_LOCK_MS = 60000 };

static rt_context the_context = {
    .lock = PTHREAD_MUTEX_INITIALIZER,
    .queues = {.work = PTHREAD_COND_INITIALIZER, .moved = PTHREAD_COND_INITIALIZER}};
static _Thread_local cudaError_t last_error;
static _Thread_local uint32_t current_device;

char *simt_rt_copy_string(const char *text) {
  size_t bytes = strlen(text) + 1;
  char *copy = malloc(bytes);
  if (copy) memcpy(copy, text, bytes);
  return copy;
}

// ---- Messages.

enum { TERMINAL_COLUMNS = 80, LONGEST_MESSAGE = 4096 };

// For a terminal: continuation lines are indented further than the message's own lines.
static void wrap(char *text) {
  const simt_sink to = simt_file_sink(stderr);
  for (char *line = text, *next; line; line = next) {
    if ((next = strchr(line, '\n'))) *next++ = '\0';
    int indent = (int)strspn(line, " ");
    if (line[indent]) simt_print_wrapped(&to, line + indent, TERMINAL_COLUMNS, indent, indent + 4);
  }
}

// Files and pipes get the message unwrapped, so that other programs can search it.
static void say(const char *prefix, const char *format, va_list arguments) {
  char text[LONGEST_MESSAGE];
  int length = snprintf(text, sizeof text, "%s", prefix);
  vsnprintf(text + length, sizeof text - (size_t)length, format, arguments);
  fflush(stdout); // keep the order a reader sees
  if (isatty(STDERR_FILENO)) wrap(text);
  else fprintf(stderr, "%s\n", text);
}

void simt_rt_say(const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  say("simt: ", format, arguments);
  va_end(arguments);
}

void simt_rt_note(const rt_context *context, const char *format, ...) {
  if (!context->options.notes) return;
  va_list arguments;
  va_start(arguments, format);
  say("simt: note: ", format, arguments);
  va_end(arguments);
}

// ---- Start and end.

bool simt_rt_has_fault(const rt_context *context) {
  for (uint32_t d = 0; d < context->options.n_devices; d++)
    if (context->devices[d].fault) return true;
  return false;
}

static bool has_unheard_fault(const rt_context *context) {
  for (uint32_t d = 0; d < context->options.n_devices; d++)
    if (context->devices[d].fault_unheard) return true;
  return false;
}

// A program that exits from inside a call (a signal handler) holds the lock; so may the worker, for
// as long as it carries out what is queued.
static bool lock_at_end(rt_context *context) {
  const struct timespec pause = {.tv_nsec = 1000000};
  for (int ms = 0; ms < LONGEST_LOCK_MS; ms++) {
    if (pthread_mutex_trylock(&context->lock) == 0) return true;
    if (!context->queues.n_pending) return false;
    nanosleep(&pause, NULL);
  }
  return false;
}

// At exit: prints the rest of device printf, writes the report, and turns a successful exit status
// into EXIT_WITH_FINDINGS when the checkers found errors, there was a device fault that no call has
// returned to the program (handling a returned fault is up to the program), the program's kernels
// could not even be loaded, nothing could run (a program that ignores errors would make a misspelt
// SIMT_CHECK look like a clean result), or the report was not written.
static void finish(int status) {
  rt_context *context = &the_context;
  if (!lock_at_end(context)) return;
  if (!simt_rt_in_host_function() && !simt_rt_queue_end(context))
    simt_rt_say("a host function does not return: what was queued behind it is lost");
  simt_rt_lose_prints(context);
  bool ran = context->started && !context->start_error, has_findings = false;
  bool unreported = false;
  if (ran) {
    simt_rt_checks_end(context, status);
    unreported = !simt_rt_report_write(context);
    has_findings =
        simt_rt_checks_are_on(context) && simt_findings_errors_but_faults(context->findings) > 0;
  }
  bool faulted = has_unheard_fault(context), load_failed = context->load_failed;
  bool not_started = context->started && context->start_error;
  pthread_mutex_unlock(&context->lock);
  if ((faulted || load_failed || not_started || has_findings || unreported) && status == 0) {
    simt_rt_say("the program ends with %s: exit status %d",
                faulted        ? "a device fault that it never asked about"
                : not_started  ? "nothing run, as the software GPU did not start"
                : load_failed  ? "kernels that could not be loaded"
                : has_findings ? "errors that the checkers found"
                               : "no report written",
                EXIT_WITH_FINDINGS);
    fflush(NULL);
    _exit(EXIT_WITH_FINDINGS);
  }
}

#ifdef __GLIBC__
static void finish_with_status(int status, void *unused) {
  (void)unused;
  finish(status);
}
static void at_exit(void) { on_exit(finish_with_status, NULL); }
#else
static void finish_plainly(void) { finish(1); } // the exit status is not known here: left alone
static void at_exit(void) { atexit(finish_plainly); }
#endif

void simt_rt_end_by_signal(int status, uint64_t address) {
  if (!lock_at_end(&the_context)) return;
  simt_rt_explain_host_access(&the_context, address);
  pthread_mutex_unlock(&the_context.lock);
  finish(status);
}

static void take_parts(rt_context *context) {
  context->memory = simt_engine_memory(context->engine);
  context->findings = simt_engine_findings(context->engine);
  context->checks = simt_engine_checks(context->engine);
}

static cudaError_t start_engine(rt_context *context) {
  const rt_options *o = &context->options;
  const simt_engine_options options = {.device = context->device,
                                       .checkers = o->checkers,
                                       .no_counters = !o->counters,
                                       .no_model = !o->model,
                                       .repeats_launches = o->repeats,
                                       .exact_model = o->exact_model,
                                       .lines = o->lines,
                                       .work = o->work,
                                       .locates_findings = o->n_sweep > 0,
                                       .platform = simt_host_platform(),
                                       .sources = simt_host_sources(o->only_source)};
  simt_diag diag;
  simt_status status = simt_engine_create(&context->engine, &options, &diag);
  if (status == SIMT_OK) take_parts(context);
  else simt_rt_say("%s", diag.text);
  return simt_rt_error_of(status);
}

cudaError_t simt_rt_engine_reset(rt_context *context) {
  simt_diag diag;
  simt_status status = simt_engine_reset(context->engine, &diag);
  take_parts(context);
  if (status != SIMT_OK) simt_rt_say("%s", diag.text);
  return simt_rt_error_of(status);
}

void simt_rt_set_default_limits(const rt_context *context, rt_device *device) {
  device->limits[cudaLimitStackSize] = 1024;
  device->limits[cudaLimitPrintfFifoSize] = (size_t)context->device->n_sms << 16; // as an H100 has
  device->limits[cudaLimitMallocHeapSize] = (size_t)8 << 20;
  device->limits[cudaLimitDevRuntimeSyncDepth] = 2;
  device->limits[cudaLimitDevRuntimePendingLaunchCount] = 2048;
  device->limits[cudaLimitMaxL2FetchGranularity] = 64;
  device->limits[cudaLimitPersistingL2CacheSize] = // as an H100 has
      context->device->capability_major < 9 ? 0 : (size_t)(context->device->l2_bytes / 16 * 3);
}

static void start_device(rt_context *context, uint32_t ordinal) {
  rt_device *d = &context->devices[ordinal];
  d->ordinal = d->legacy.device = d->per_thread.device = ordinal;
  d->legacy.id = RT_LEGACY_ID;
  d->per_thread.id = RT_PER_THREAD_ID;
  simt_rt_set_default_limits(context, d);
}

void simt_rt_switch(rt_context *context, uint32_t device) {
  context->on = &context->devices[device];
  if (context->memory) simt_memory_set_device(context->memory, device);
}

void simt_rt_choose(rt_context *context, uint32_t device) {
  simt_drv_note_runtime();
  current_device = device;
  simt_rt_switch(context, device);
}

// As in NVIDIA's runtime, which begins with the first call: destructors of objects that are older
// find it gone.
static void unload(void) {
  pthread_mutex_lock(&the_context.lock);
  the_context.is_unloading = true;
  pthread_mutex_unlock(&the_context.lock);
}

static cudaError_t start(rt_context *context) {
  cudaError_t error = simt_rt_options_read(context);
  if (error) return error;
  for (uint32_t d = 0; d < SIMT_MAX_DEVICES; d++) start_device(context, d);
  context->next_stream_id = RT_PER_THREAD_ID + 1;
  simt_rt_watch_signals();
  return start_engine(context);
}

// With the program's kernels, before main: after the destructors of objects that free memory.
static void register_finish(rt_context *context) {
  if (!context->finish_registered) at_exit();
  context->finish_registered = true;
}

static rt_context *enter(void) {
  rt_context *context = &the_context;
  pthread_mutex_lock(&context->lock);
  register_finish(context);
  if (!context->started) {
    context->started = true;
    atexit(unload);
    context->start_error = start(context);
  }
  simt_rt_switch(context, current_device);
  if (context->queues.n_pending) simt_rt_queue_entered(context);
  return context;
}

rt_context *simt_rt_enter_unstarted(void) {
  pthread_mutex_lock(&the_context.lock);
  register_finish(&the_context);
  return &the_context;
}

rt_context *simt_rt_enter_quietly(void) { return enter(); }

cudaError_t simt_rt_answer(cudaError_t error) {
  return simt_rt_leave(simt_rt_enter_quietly(), error);
}

rt_context *simt_rt_enter_idle(void) {
  rt_context *context = enter();
  simt_rt_queue_wait_all(context);
  return context;
}

// The device whose fault counts for all, the current one first; NULL: no device has one. After a
// fault no device of the process can be used, as on an H200.
static rt_device *faulted(rt_context *context) {
  if (context->on->fault) return context->on;
  for (uint32_t d = 0; d < context->options.n_devices; d++)
    if (context->devices[d].fault) return &context->devices[d];
  return NULL;
}

// Until the host waits for the device it does not know of a fault: calls that only submit work
// succeed, and the work is not done.
static cudaError_t fault_that_stands(rt_context *context) {
  const rt_device *device = faulted(context);
  return device && device->fault_noticed ? device->fault : cudaSuccess;
}

cudaError_t simt_rt_notice_fault(rt_context *context) {
  rt_device *device = faulted(context);
  if (!device) return cudaSuccess;
  simt_rt_flush_prints(context); // the host has waited: what was printed before it is seen
  device->fault_noticed = true;
  return device->fault;
}

static cudaError_t not_permitted(rt_context *context) {
  if (!context->queues.call_noted)
    simt_rt_note(context, "a host function calls CUDA, which it must not: cudaErrorNotPermitted");
  context->queues.call_noted = true;
  return cudaErrorNotPermitted;
}

cudaError_t simt_rt_enter(rt_context **context) {
  *context = enter();
  simt_drv_note_runtime();
  simt_drv_note_device(current_device, true);
  if ((*context)->start_error) return (*context)->start_error;
  if (simt_rt_in_host_function()) return not_permitted(*context);
  if ((*context)->is_unloading) return cudaErrorCudartUnloading;
  if ((*context)->on->is_lost) return cudaErrorDevicesUnavailable;
  return fault_that_stands(*context);
}

cudaError_t simt_rt_enter_faulted(rt_context **context) {
  *context = enter();
  return (*context)->start_error;
}

static void note_asked(rt_context *context, cudaError_t error) {
  rt_device *device = error == cudaSuccess ? NULL : faulted(context);
  if (device && device->fault == error) device->fault_unheard = false;
}

cudaError_t simt_rt_leave(rt_context *context, cudaError_t error) {
  note_asked(context, error);
  if (error == cudaErrorNotSupported) context->n_not_supported++;
  return simt_rt_leave_unheard(context, error);
}

cudaError_t simt_rt_leave_unheard(rt_context *context, cudaError_t error) {
  if (context->queues.n_pending) simt_rt_queue_left(context);
  pthread_mutex_unlock(&context->lock);
  if (error != cudaSuccess && error != cudaErrorNotReady) last_error = error;
  return error;
}

// ---- Errors.

cudaError_t simt_rt_exchange_error(cudaError_t error) {
  const cudaError_t before = last_error;
  last_error = error;
  return before;
}

// The errors that calls of this thread have returned: a launch whose kernel faults returns
// cudaSuccess, and the next call that synchronises returns the fault, as on a GPU.
cudaError_t cudaPeekAtLastError(void) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  note_asked(context, last_error);
  pthread_mutex_unlock(&context->lock);
  return error ? error : last_error;
}

cudaError_t cudaGetLastError(void) {
  cudaError_t error = cudaPeekAtLastError();
  last_error = cudaSuccess;
  return error;
}

void simt_rt_fault(rt_context *context, const simt_diag *diag, const simt_fault_record *fault) {
  context->on->fault = simt_rt_error_of(diag->status);
  context->on->fault_unheard = true;
  context->fault_diag = *diag;
  context->latest_fault = fault->info;
  simt_rt_find_fault(context, fault, diag->text);
  simt_rt_say("%s: %s", cudaGetErrorName(context->on->fault), diag->text);
  const simt_sink to = simt_file_sink(stderr);
  simt_findings_explain_fault(context->findings, &to);
}

// ---- The host waits.

void simt_rt_synchronize(rt_context *context) {
  simt_rt_queue_wait_device(context);
  simt_rt_flush_prints(context);
  simt_rt_stream_wait(context, &context->on->legacy);
  simt_rt_stream_wait(context, &context->on->per_thread);
  for (rt_stream *s = context->streams; s; s = s->next)
    if (s->device == context->on->ordinal) simt_rt_stream_wait(context, s);
}

cudaError_t cudaDeviceSynchronize(void) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = simt_rt_capture_forbids_waits(context);
  simt_rt_synchronize(context);
  if (!error) error = simt_rt_notice_fault(context);
  simt_rt_pools_synchronised(context, NULL);
  return simt_rt_leave(context, error);
}
