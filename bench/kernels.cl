// SPDX-License-Identifier: MIT
// kernels.cl - the kernels of simt_kernels.cu in OpenCL C, statement by statement, for the rivals.

float block_sum(__local float *s, float v) {
  uint t = get_local_id(0);
  s[t] = v;
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint d = get_local_size(0) / 2; d > 0; d /= 2) {
    if (t < d) s[t] += s[t + d];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  return s[0];
}

__kernel void tree(__global const float *x, __global float *partial, uint n) {
  __local float s[256];
  uint i = get_group_id(0) * get_local_size(0) + get_local_id(0);
  float sum = block_sum(s, i < n ? x[i] : 0.0f);
  if (get_local_id(0) == 0) partial[get_group_id(0)] = sum;
}

__kernel void grid_stride(__global const float *x, __global float *partial, uint n) {
  __local float s[256];
  float v = 0.0f;
  uint first = get_group_id(0) * get_local_size(0) + get_local_id(0);
  for (uint i = first; i < n; i += get_global_size(0)) v += x[i];
  float sum = block_sum(s, v);
  if (get_local_id(0) == 0) partial[get_group_id(0)] = sum;
}
