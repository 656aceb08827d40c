// SPDX-License-Identifier: MIT
// runtime/runtime.h - what the files of the CUDA runtime layer (cudart*.c) share. Private to them.
//
// One process has one context: its devices (SIMT_DEVICES, all of one kind), their memory in one
// address space, the modules and kernels known, streams, counters. Everything in it is guarded by
// one lock, which every public function acquires through simt_rt_enter() and releases through
// simt_rt_leave(); functions named rt_… expect it to be held. Every thread has a current device,
// which is context->on while it holds the lock. Work is done at the call that submits it, so a
// stream is a clock (modelled time), and a queue only behind host functions (runtime/queue.h).
//
// Not modelled: interprocess handles, overlap of streams beyond independent clocks.
#ifndef SIMT_CUDART_H
#define SIMT_CUDART_H

#include <pthread.h>
#include <stdio.h>

#include "engine/engine.h"
#include "include/cuda_runtime_api.h"
#include "include/simt.h"
#include "runtime/nodes.h"
#include "runtime/queue.h"

// ---- Modules and kernels. A module belongs to the program (registered at start-up) or to a
// library (loaded by call); its PTX is read when something of it is first used.
typedef struct rt_module rt_module;
typedef struct rt_loaded { // a module on one device, with variables of its own there
  simt_module *module;     // NULL until first use
  cudaError_t error;
  bool tried;
} rt_loaded;
struct rt_module {
  rt_module *next;
  const void *wrapper; // registered: the fat binary wrapper; library: NULL
  char *text;          // library: its own copy of the PTX; else NULL
  size_t text_bytes;
  char *name;
  rt_loaded on[SIMT_MAX_DEVICES];
  // Relocatable device code (-rdc=true): the module that is loaded stands for the whole program and
  // has no text of its own; its units are the modules that name it here.
  rt_module *whole;
  uint32_t n_units; // of a whole program: the units that have joined it
  bool unregistered;
};

// One kernel: what cudaKernel_t and cudaFunction_t point to.
typedef struct CUkern_st rt_kernel;
typedef struct rt_kernel_on { // a kernel on one device
  const simt_kernel *kernel;  // NULL until resolved
  int max_dynamic_shared;     // cudaFuncAttributeMaxDynamicSharedMemorySize; -1: not set
  int carveout;
  rt_cluster_settings cluster;
} rt_kernel_on;
struct CUkern_st {
  rt_kernel *next;
  rt_module *module;
  const void *host_function; // registered kernels: the address the program launches by
  char *name;
  rt_kernel_on on[SIMT_MAX_DEVICES];
};

typedef struct rt_variable rt_variable;
struct rt_variable {
  rt_variable *next;
  rt_module *module;
  const void *host_shadow; // the program's address for it
  void **managed_pointer;  // nvcc's __managed__: where the host looks the address up, or NULL
  char *name;
  size_t size_bytes;
  bool is_shared; // managed, on a device: the host's bytes are its storage
  bool is_known;  // and the device knows their address
  bool is_kept;   // of a managed pointer: they lie outside the device's memory
};

typedef struct CUlib_st rt_library;
struct CUlib_st {
  rt_library *next;
  rt_module module;
};

typedef struct CUmemPoolHandle_st rt_pool;

// ---- Diagnostics printed by the runtime, and options from the environment.
typedef struct rt_options {
  uint64_t max_warp_instructions;
  uint64_t max_print_bytes;
  uint32_t n_host_threads;
  bool counters;
  simt_lines_mode lines;   // costs by line of source in the report
  const char *only_source; // the one file that reports quote; NULL: any
  bool work;               // who does the work: simt_work_last_launch()
  bool model;              // launches get a modelled time
  bool repeats;            // a launch that comes again on the same memory runs only twice
  bool exact_model;        // modelled times without sampling
  bool launch_blocking;    // a fault is returned by the launch itself
  const char *report;      // path, or NULL
  bool notes;              // explain refused calls on stderr
  unsigned checkers;       // SIMT_CHECK_… bits
  bool links;              // print what travelled between devices at the end
  uint32_t n_devices;
  uint64_t nccl_seconds; // how long a rank waits for the others
  simt_schedule schedule;
  uint32_t n_sweep; // hostile schedules run after each launch; 0: no sweep
  uint64_t sweep_max_bytes, sweep_max_threads; // of memory to copy; of a launch
} rt_options;

// What each device has of its own.
typedef struct rt_device {
  uint32_t ordinal;
  rt_stream legacy, per_thread; // cudaStreamLegacy (0), cudaStreamPerThread
  cudaError_t fault;            // sticky; cudaSuccess: none
  bool fault_noticed;           // the host has waited for it: every call returns it from now on
  bool fault_unheard;           // no call has returned it to the program
  bool is_lost;                 // reset after a fault: the process gets no context any more
  uint32_t peers;               // devices whose memory its kernels may access, a bit for each
  rt_pool *current_pool;
  size_t limits[7];
  bool has_used_heap;  // of kernels: its size is fixed
  bool has_printed;    // kernels print: so is the room for it
  uint64_t block_left; // of the block of device memory that small allocations are taken from
  uint64_t graph_used, graph_used_high, graph_reserved, graph_reserved_high; // bytes of graphs
  unsigned flags;
  enum cudaFuncCache cache_config;
} rt_device;

struct rt_context {
  pthread_mutex_t lock;
  rt_queues queues;
  bool started, finish_registered;
  bool is_unloading; // the program ends: what was created before its first call goes after it
  cudaError_t start_error;
  rt_options options;
  const simt_model_device *device; // what each of the devices is
  rt_device devices[SIMT_MAX_DEVICES];
  rt_device *on; // the current one of the thread that holds the lock
  simt_engine *engine;
  simt_memory *memory; // the engine's, as are findings and checks
  rt_module *modules;
  rt_kernel *kernels;
  rt_variable *variables;
  rt_library *libraries;
  rt_stream *streams; // that the program has created
  rt_event *events;
  rt_graph *graphs;
  struct cudaArray *arrays;
  struct cudaMipmappedArray *mipmaps;
  rt_pool *pools;
  unsigned long long n_freed; // allocations of pools, in the order of their frees
  unsigned long long next_stream_id;
  double host_clock_ms; // modelled time up to which the host has waited
  double given_ms;      // modelled time at which it submitted its latest launch
  double modelled_ms;   // all work so far
  unsigned long long next_capture_id;

  bool conversion_noted;        // of printf: said once
  bool load_failed;             // the program's own kernels could not be loaded
  simt_diag load_diag;          // of the first module that could not be loaded
  uint64_t n_not_supported;     // calls that ended with cudaErrorNotSupported
  simt_diag fault_diag;         // of the latest device fault
  simt_fault_info latest_fault; // the same as a record

  simt_findings *findings;
  simt_checks *checks; // NULL: all off
  bool sweep_refused;  // said once

  char *print; // device printf not yet written
  size_t print_bytes, print_capacity;
};

// runtime/runtime.c
// ---------------------------------------------------------------------------------- Locks the
// context, starting it if need be. Returns the error every call gives now (start-up failed, a
// device fault stands), else cudaSuccess. Always followed by simt_rt_leave().
cudaError_t simt_rt_enter(rt_context **context);
// Unlocks; remembers a failure for cudaGetLastError(). Returns `error`.
cudaError_t simt_rt_leave(rt_context *context, cudaError_t error);
// The same for a call whose result the program does not see: it does not report a fault to the
// program.
cudaError_t simt_rt_leave_unheard(rt_context *context, cudaError_t error);
// The same for calls that work while a fault is sticky, and for those that cannot fail at all.
cudaError_t simt_rt_enter_faulted(rt_context **context);
rt_context *simt_rt_enter_quietly(void);

// Enters quietly and leaves with `error`: the answer of a call that needs nothing of the device.
cudaError_t simt_rt_answer(cudaError_t error);
rt_context *simt_rt_enter_idle(void); // the same, after all work that is queued
// For registration, which comes before main: only locks, so that a program can still set options.
rt_context *simt_rt_enter_unstarted(void);
// "simt: …" on stderr. A note explains why a call is refused (off with SIMT_NOTES=0).
void simt_rt_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
void simt_rt_note(const rt_context *context, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
// A device fault: prints it and makes it sticky.
void simt_rt_fault(rt_context *context, const simt_diag *diag, const simt_fault_record *fault);
void simt_rt_print(void *context, const char *text, size_t bytes); // simt_launch.print
void simt_rt_note_conversion(void *context, const char *conversion);
void simt_rt_flush_prints(rt_context *context);
void simt_rt_lose_prints(rt_context *context);
// The last words of a program that a signal ends. `address`: what host code could not access, or 0.
void simt_rt_end_by_signal(int status, uint64_t address);
// The host waits for all work.
void simt_rt_synchronize(rt_context *context);
// Makes `device` the current one, of the context alone or of the calling thread from now on.
void simt_rt_switch(rt_context *context, uint32_t device);
void simt_rt_choose(rt_context *context, uint32_t device);
bool simt_rt_has_fault(const rt_context *context);     // on any device
cudaError_t simt_rt_notice_fault(rt_context *context); // the host has waited
void simt_rt_set_default_limits(const rt_context *context, rt_device *device);
cudaError_t simt_rt_read_attribute(const simt_model_device *device, enum cudaDeviceAttr attribute,
                                   int *value);
cudaError_t simt_rt_engine_reset(rt_context *context); // all memory and checkers
char *simt_rt_copy_string(const char *text);

// runtime/driver_context.c ---------------------------------------------------------------------
// The program has called the runtime, which initialises the driver API too: its device's context is
// current where the thread has chosen no other. Calls that the driver API makes do not count.
void simt_drv_note_runtime(void);
// A device's primary context is used by the runtime from now on, or is no more.
void simt_drv_note_device(uint32_t device, bool in_use);

// runtime/errors.c -----------------------------------------------------------------------------
cudaError_t simt_rt_error_of(simt_status status); // device faults and the rest

// runtime/options.c ----------------------------------------------------------------------------
// Reads the environment. On an unknown value prints which and what is allowed.
cudaError_t simt_rt_options_read(rt_context *context);
// SIMT_LINKS: prints what travelled between devices. SIMT_REPORT: writes findings and counters as
// JSON. False, with a message, when it cannot.
bool simt_rt_report_write(const rt_context *context);

// runtime/register.c ---------------------------------------------------------------------------
// The PTX text of a registered fat binary (clang's raw text or nvcc's container).
simt_status simt_rt_fatbin_text(const void *wrapper, const char **text, size_t *bytes,
                                simt_diag *diag);

// runtime/module.c -----------------------------------------------------------------------------
// Parses and links the module at first use. The diagnostic is printed once.
cudaError_t simt_rt_module_use(rt_context *context, rt_module *module);
bool simt_rt_is_managed(const void *host_shadow); // a variable that simtcc compiled as __managed__
void simt_rt_module_release(rt_context *context, rt_module *module); // its state on all devices
// Kernel by host function address or cudaKernel_t; resolved. Error as CUDA's.
cudaError_t simt_rt_kernel_find(rt_context *context, const void *function, rt_kernel **kernel);
cudaError_t simt_rt_kernel_resolve(rt_context *context, rt_kernel *kernel);
rt_variable *simt_rt_variable_find(rt_context *context, const void *symbol);
// The module as the current device has it; NULL before its first use there.
static inline simt_module *simt_rt_loaded(const rt_context *context, const rt_module *module) {
  const rt_module *loaded = module->whole ? module->whole : module;
  return loaded->on[context->on->ordinal].module;
}
static inline rt_kernel_on *simt_rt_kernel_on(const rt_context *context, rt_kernel *kernel) {
  return &kernel->on[context->on->ordinal];
}
// A new kernel that no device knows yet.
rt_kernel *simt_rt_kernel_new(rt_context *context, rt_module *module, const void *host_function,
                              const char *name);
// Drops the current device's state of all modules and kernels; registered ones are loaded again at
// their next use. With `libraries`, libraries are dropped as a whole.
void simt_rt_modules_reset(rt_context *context, bool libraries);

// runtime/library.c ----------------------------------------------------------------------------
void simt_rt_libraries_reset(rt_context *context); // unloads those of cudaLibraryLoad…()

// runtime/stream.c -----------------------------------------------------------------------------
// The stream behind a handle (0 and the two special handles included), or NULL.
rt_stream *simt_rt_stream_of(rt_context *context, cudaStream_t handle);
// Accounts for `ms` of modelled work in a stream; returns its end.
double simt_rt_stream_work(rt_context *context, rt_stream *stream, double ms);
// The same for a launch, or a copy by the device, which the host takes time to submit.
double simt_rt_stream_launch(rt_context *context, rt_stream *stream, double ms);
// The end of a stream's work, not before the host has submitted it: the stream continues from
// there.
double simt_rt_stream_settle(rt_context *context, rt_stream *stream);
void simt_rt_stream_wait(rt_context *context, rt_stream *stream);
// An event of the program, recorded or waited for in a stream that is not captured.
cudaError_t simt_rt_event_record(rt_context *context, cudaEvent_t event, rt_stream *stream);
cudaError_t simt_rt_event_wait(rt_context *context, cudaEvent_t event, rt_stream *stream);
bool simt_rt_is_legacy(const rt_stream *stream);
bool simt_rt_is_default(const rt_stream *stream); // either default stream of its device
void simt_rt_streams_reset(rt_context *context);  // of the current device
void simt_rt_stream_drop(rt_context *context, rt_stream *stream);

// runtime/graph.c ------------------------------------------------------------------------------
// Appends a copy of `node` (taking its params) to the graph a stream is capturing into.
// Arguments as one block, in the form that a launch needs; NULL and *error on failure.
void *simt_rt_launch_pack(const simt_kernel *kernel, void **arguments, cudaError_t *error);
// The same from a block that the program has packed.
void *simt_rt_launch_pack_bytes(const simt_kernel *kernel, const void *packed, size_t bytes,
                                cudaError_t *error);
cudaError_t simt_rt_graph_add(rt_graph *graph, const rt_node *node);

// runtime/capture.c ----------------------------------------------------------------------------
// The same into the graph that `stream` is captured into, after what the stream has captured.
cudaError_t simt_rt_capture_add(rt_stream *stream, const rt_node *node);
// An event is recorded in a captured stream; a stream waits for an event of a capture, and joins
// it.
cudaError_t simt_rt_capture_record(rt_event *event, const rt_stream *stream);
cudaError_t simt_rt_capture_wait(rt_stream *stream, const rt_event *event);
void simt_rt_frontier_free(rt_frontier *frontier);
// Operations that may not happen during a capture. cudaSuccess where no capture forbids them;
// otherwise CUDA's error, and the captures concerned are invalid from now on. They concern, in
// order: this stream or event; an allocation or the like, which the capture modes are about; a
// host's wait for a whole device; work in the default stream, which would synchronise with the
// captured one.
cudaError_t simt_rt_capture_refuses(const rt_stream *stream);
cudaError_t simt_rt_capture_isolates(const rt_stream *stream); // it waits for work outside
cudaError_t simt_rt_capture_refuses_event(const rt_event *event);
cudaError_t simt_rt_capture_forbids(rt_context *context);
cudaError_t simt_rt_capture_forbids_waits(rt_context *context);
// What becomes of the capture, if there is one, of a stream that is destroyed.
void simt_rt_capture_lose(rt_context *context, rt_stream *stream);
cudaError_t simt_rt_capture_forbids_legacy(rt_context *context, const rt_stream *stream);
void simt_rt_graphs_reset(rt_context *context);

// runtime/graph_memory.c -------------------------------------------------------------------------
// Memory that a graph has allocated; freeing it outside of graphs comes here too.
void simt_rt_graph_memory_freed(rt_context *context, uint64_t address);
// cudaMallocAsync() and cudaFreeAsync() in a stream that is captured.
cudaError_t simt_rt_capture_allocation(rt_context *context, rt_stream *stream, size_t bytes,
                                       void **pointer);
cudaError_t simt_rt_capture_free(rt_context *context, rt_stream *stream, void *pointer);

// runtime/links.c ------------------------------------------------------------------------------
// A copy of `bytes` from one device's memory to another's: counted on their link, with its modelled
// time in `stream`. False: both pointers are to one device's memory, or the host's.
bool simt_rt_link_copy(rt_context *context, rt_stream *stream, const void *to, const void *from,
                       uint64_t bytes);
// When the stream sees the event, which has been recorded: on another device a signal later.
double simt_rt_signal_ms(const rt_context *context, const rt_event *event, const rt_stream *stream);
void simt_rt_links_write(FILE *out, const rt_context *context); // into the report, as JSON
void simt_rt_links_print(const rt_context *context);            // SIMT_LINKS=1, at the end

// runtime/copy.c -------------------------------------------------------------------------------
cudaError_t simt_rt_copy(rt_context *context, rt_stream *stream, const rt_node *node);
cudaError_t simt_rt_set(rt_context *context, rt_stream *stream, const rt_node *node);
// Address of [offset, offset + count) of a symbol.
cudaError_t simt_rt_copy_bytes(rt_context *context, void *dst, const void *src, size_t bytes,
                               enum cudaMemcpyKind kind, cudaStream_t stream, bool waits);
cudaError_t simt_rt_symbol_range(rt_context *context, const void *symbol, size_t count,
                                 size_t offset, void **address);
// runtime/array.c ------------------------------------------------------------------------------
// A copy of one slice, as a node.
cudaError_t simt_rt_slice_node(rt_context *context, const struct cudaMemcpy3DParms *p, rt_node *n);

// runtime/check.c ------------------------------------------------------------------------------
bool simt_rt_checks_are_on(const rt_context *context); // any checker, or a sweep
// At the end of the process, which is about to end with `status`: leaks and a summary.
void simt_rt_checks_end(rt_context *context, int status);
void simt_rt_findings_print(rt_context *context);
// Records a device fault, which is printed elsewhere, as a finding.
void simt_rt_find_fault(rt_context *context, const simt_fault_record *fault, const char *text);
void simt_rt_find_wrong_free(rt_context *context, const char *text);
// Host memory operations, for the checkers that follow them; ranges of device or host memory.
void simt_rt_tell_allocated(rt_context *context, uint64_t address);
void simt_rt_tell_freed(rt_context *context, const simt_allocation *allocation);
void simt_rt_tell_set(rt_context *context, const void *to, size_t bytes);
void simt_rt_tell_copied(rt_context *context, const void *to, const void *from, size_t bytes);

// runtime/ranges.c -----------------------------------------------------------------------------
// cudaErrorNotSupported, with a note: for calls that give something to another process.
cudaError_t simt_rt_refuse_sharing(const char *call);

// runtime/crash.c ------------------------------------------------------------------------------
// Before a signal ends the program, simt_rt_end_by_signal(): not where the program has an action of
// its own for the signal.
void simt_rt_watch_signals(void);
// Says so when `address` belongs to the device alone.
void simt_rt_explain_host_access(const rt_context *context, uint64_t address);

// runtime/sweep.c ------------------------------------------------------------------------------
typedef struct rt_sweep rt_sweep;
typedef struct rt_sweep_launch {
  const ptx_function *kernel;
  uint64_t number;
} rt_sweep_launch;
// Copies all device memory. NULL: no sweep is wanted, or not of so large a launch; or there is too
// much memory, or too little for the copies (then said, once).
rt_sweep *simt_rt_sweep_begin(rt_context *context, const simt_launch *launch);
// After the lockstep run: the hostile ones. A device fault is returned like the launch's own.
simt_status simt_rt_sweep_run(rt_context *context, rt_sweep *sweep, const simt_launch *lockstep,
                              const rt_sweep_launch *l, simt_diag *diag, simt_fault_record *fault);
void simt_rt_sweep_end(rt_sweep *sweep);

// runtime/launch.c -----------------------------------------------------------------------------
// Checks the geometry; CUDA's error and, in a note, the reason.
cudaError_t simt_rt_launch_check(rt_context *context, const rt_launch *launch);
// Geometry, stream and attributes of a configuration, without its kernel.
cudaError_t simt_rt_launch_configure(rt_context *context, const cudaLaunchConfig_t *config,
                                     rt_launch *out);
// Runs it. A device fault is not an error of the launch: it sticks to the context.
cudaError_t simt_rt_launch_run(rt_context *context, rt_stream *stream, const rt_launch *launch);

// runtime/function.c ---------------------------------------------------------------------------
// Blocks of a kernel that fit on a multiprocessor; and 0 where the kernel is compiled for fewer
// threads.
int simt_rt_occupancy(const rt_context *context, rt_kernel *kernel, uint32_t block_threads,
                      size_t dynamic_shared_bytes);
int simt_rt_blocks_per_sm(const rt_context *context, rt_kernel *kernel, uint32_t block_threads,
                          size_t dynamic_shared_bytes);

#endif
