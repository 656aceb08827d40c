// SPDX-License-Identifier: MIT
// runtime/devices.c - several devices: choosing one, access from one to another's memory, copies
// between them, and resetting one.
//
// SIMT_DEVICES is their number; all are of one kind. Every device's memory has addresses of its
// own. A kernel that accesses another device's memory faults unless peer access is enabled; copies
// do not need it, as on GPUs with unified addressing. Every pair of devices can enable peer access.
// Bytes between devices are counted (runtime/links.c). Not modelled: limits on the number of peers,
// native atomics between only some of the devices.
#include "runtime/arrays.h"
#include "runtime/graphs.h"
#include "runtime/pool.h"

static cudaError_t check_device(const rt_context *context, int device) {
  bool is_one = device >= 0 && (uint32_t)device < context->options.n_devices;
  return is_one ? cudaSuccess : cudaErrorInvalidDevice;
}

// ---- The choice of one.

cudaError_t cudaGetDeviceCount(int *count) {
  rt_context *context = simt_rt_enter_quietly();
  if (!count) return simt_rt_leave(context, cudaErrorInvalidValue);
  *count = context->start_error ? 0 : (int)context->options.n_devices;
  return simt_rt_leave(context, context->start_error);
}

cudaError_t cudaGetDevice(int *device) {
  rt_context *context = simt_rt_enter_quietly();
  if (!device) return simt_rt_leave(context, cudaErrorInvalidValue);
  *device = (int)context->on->ordinal;
  return simt_rt_leave(context, context->start_error);
}

cudaError_t cudaSetDevice(int device) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error) error = check_device(context, device);
  if (!error) simt_rt_choose(context, (uint32_t)device);
  if (!error && context->on->is_lost) error = cudaErrorDevicesUnavailable;
  return simt_rt_leave(context, error);
}

cudaError_t cudaInitDevice(int device, unsigned int device_flags, unsigned int flags) {
  (void)device_flags, (void)flags;
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  return simt_rt_leave(context, error ? error : check_device(context, device));
}

// All devices are of one kind, so the first one is as good as any.
cudaError_t cudaChooseDevice(int *device, const struct cudaDeviceProp *properties) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && (!device || !properties)) error = cudaErrorInvalidValue;
  if (!error) *device = 0;
  return simt_rt_leave(context, error);
}

// Takes the first valid device of the list; an empty list means all devices.
cudaError_t cudaSetValidDevices(int *devices, int n) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && (n < 0 || (n > 0 && !devices))) error = cudaErrorInvalidValue;
  for (int i = 0; !error && i < n; i++) error = check_device(context, devices[i]);
  return simt_rt_leave(context, error);
}

// ---- Peer access.

cudaError_t cudaDeviceCanAccessPeer(int *can, int device, int peer) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error && !can) error = cudaErrorInvalidValue;
  if (!error) error = check_device(context, device);
  if (!error) error = check_device(context, peer);
  if (!error) *can = device != peer;
  return simt_rt_leave(context, error);
}

// A device other than the current one, for which it is `own`.
static cudaError_t check_peer(const rt_context *context, int peer, cudaError_t own) {
  cudaError_t error = check_device(context, peer);
  return error || (uint32_t)peer != context->on->ordinal ? error : own;
}

cudaError_t cudaDeviceEnablePeerAccess(int peer, unsigned int flags) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = check_device(context, peer);
  if (!error && flags) error = cudaErrorInvalidValue;
  if (!error) error = check_peer(context, peer, cudaErrorPeerAccessUnsupported);
  if (!error && context->on->peers >> peer & 1) error = cudaErrorPeerAccessAlreadyEnabled;
  if (!error) context->on->peers |= 1u << peer;
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceDisablePeerAccess(int peer) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = check_device(context, peer);
  if (!error && !(context->on->peers >> peer & 1)) error = cudaErrorPeerAccessNotEnabled;
  if (!error) context->on->peers &= ~(1u << peer);
  return simt_rt_leave(context, error);
}

cudaError_t cudaDeviceGetP2PAttribute(int *value, enum cudaDeviceP2PAttr attribute, int from,
                                      int to) {
  rt_context *context;
  cudaError_t error = simt_rt_enter_faulted(&context);
  if (!error) error = check_device(context, from);
  if (!error) error = check_device(context, to);
  if (!error && from == to) error = cudaErrorInvalidDevice;
  if (!error && (!value || attribute < cudaDevP2PAttrPerformanceRank ||
                 attribute > cudaDevP2PAttrCudaArrayAccessSupported))
    error = cudaErrorInvalidValue;
  if (!error) *value = attribute != cudaDevP2PAttrPerformanceRank;
  return simt_rt_leave(context, error);
}

// ---- Copies from one device to another: the device numbers only repeat what the pointers say.

static cudaError_t check_pair(int to, int from) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  if (!error) error = check_device(context, to);
  if (!error) error = check_device(context, from);
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemcpyPeer(void *dst, int to, const void *src, int from, size_t count) {
  cudaError_t error = check_pair(to, from);
  return error ? error : cudaMemcpy(dst, src, count, cudaMemcpyDeviceToDevice);
}

// During a capture an error that ends it, as on a GPU, if there is anything to copy.
static cudaError_t check_peer_stream(cudaStream_t handle, size_t count) {
  rt_context *context;
  cudaError_t error = simt_rt_enter(&context);
  const rt_stream *stream = error ? NULL : simt_rt_stream_of(context, handle);
  if (!error && !stream) error = cudaErrorInvalidResourceHandle;
  if (!error && count) error = simt_rt_capture_refuses(stream);
  return simt_rt_leave(context, error);
}

cudaError_t cudaMemcpyPeerAsync(void *dst, int to, const void *src, int from, size_t count,
                                cudaStream_t stream) {
  cudaError_t error = check_pair(to, from);
  if (!error) error = check_peer_stream(stream, count);
  return error ? error : cudaMemcpyAsync(dst, src, count, cudaMemcpyDeviceToDevice, stream);
}

// ---- Reset.

static void tell_of_reset(const simt_allocation *a, void *data) { simt_rt_tell_freed(data, a); }

// With a single device everything starts afresh, addresses too. Findings stay: a reset does not
// correct what was wrong.
static cudaError_t reset(rt_context *context) {
  rt_device *on = context->on;
  const bool is_all = context->options.n_devices == 1;
  simt_rt_synchronize(context);
  simt_rt_modules_reset(context, is_all);
  simt_rt_graphs_reset(context);
  simt_rt_arrays_reset(context);
  simt_rt_pools_reset(context);
  simt_rt_streams_reset(context);
  on->is_lost |= on->fault != cudaSuccess;
  on->fault = cudaSuccess;
  on->fault_noticed = on->fault_unheard = false;
  on->peers = 0;
  on->flags = 0;
  on->cache_config = cudaFuncCachePreferNone;
  simt_drv_note_device(on->ordinal, false);
  simt_rt_set_default_limits(context, on);
  on->has_used_heap = on->has_printed = false;
  context->load_failed = false;
  if (is_all) return context->start_error = simt_rt_engine_reset(context);
  simt_memory_free_all_of(context->memory, on->ordinal, tell_of_reset, context);
  return cudaSuccess;
}

// Forgets everything about the current device: memory, modules' device state, streams, events. Also
// the sticky fault; but a device that has had one is not available to the process again, as on an
// H100.
cudaError_t cudaDeviceReset(void) {
  rt_context *context = simt_rt_enter_quietly();
  if (context->start_error) return simt_rt_leave(context, context->start_error);
  return simt_rt_leave(context, reset(context));
}
