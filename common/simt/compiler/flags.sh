# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# flags.sh - what every file is compiled with: clang's flags for what the command line asks for, and
# for what nvcc does without being asked.
#
# make_flags sets the group "Flags that all files have in common" of settings.sh. Flags that only
# some files need are in traits.sh; the commands that they are part of, in passes.sh and host.sh.
# -ffp-contract=off stands in each command: nvcc fuses in device code only, and by other rules.

make_flags() {
  [[ ! -t 2 ]] || color_flags=(-fcolor-diagnostics)
  make_mild_flags
  make_cuda_flags
  make_device_flags
  make_text_flags
  mend_facts=(-v major="$clang_major" -v counted="$counted_major" -v fmad="$fmad" -v ftz="$ftz"
    -v mending="$mending" -v optimised=1)
  is_optimised || mend_facts+=(-v optimised=0)
}

is_optimised() { [[ $device_optimisation != -O0 ]]; }

# What nvcc, or gcc behind it, at most warns of in C++, and clang refuses; and what only clang warns
# of: loops that cannot be unrolled as asked.
make_mild_flags() {
  mild_flags=(-Wno-error=c++11-narrowing -Wno-error=register -Wno-static-float-init
    -Wno-error=reserved-user-defined-literal -Wno-pass-failed)
  [[ $clang_major -lt 16 ]] || mild_flags+=(-Wno-error=enum-constexpr-conversion)
  [[ $clang_major -lt 19 ]] || mild_flags+=(-Wno-error=missing-template-arg-list-after-template-kw)
}

make_cuda_flags() {
  cuda_flags=(-x cuda -nocudainc -nocudalib --cuda-path=/nonexistent --cuda-gpu-arch="$arch"
    -Xclang -target-sdk-version=11.5 -Wno-unknown-cuda-version
    -Xclang -disable-pragma-debug-crash # a text cannot ask the compiler to end
    -Xclang -fcuda-allow-variadic-functions # templates declare them, to find out about types
    -isystem "$include_dir/simt_cuda/wrappers" -isystem "$include_dir"
    -isystem "$include_dir/simt_hip" -D__SIMTCC__=1 "${mild_flags[@]}")
  if [[ -n $precompiled ]]; then
    cuda_flags+=(-include-pch "$precompiled")
  elif [[ $mode != pch ]]; then
    cuda_flags+=(-include cuda_runtime.h)
  fi
  [[ -n $precompiled || $mode == pch ]] ||
    cuda_flags+=("-D__CUDA_ARCH_LIST__=${named_arch:-${arch#sm_}}0")
  cuda_flags+=("${standard:--std=c++17}") # as nvcc
  [[ $fmad -eq 1 ]] || cuda_flags+=(-DSIMT_NO_FMAD=1) # for products of halves
  [[ $fast -eq 0 ]] || cuda_flags+=(-D__USE_FAST_MATH__=1)
  [[ $exact_sqrt -eq 1 ]] || cuda_flags+=(-DSIMT_SQRT_APPROX=1)
  [[ -z $libdevice ]] || cuda_flags+=(-DSIMT_LIBDEVICE=1)
}

make_device_flags() {
  device_flags=(
    # What is stored through a pointer of one type is seen through one of another, as with nvcc.
    -fno-strict-aliasing
    # Memory of the device's heap is never optimised away: malloc() may fail, and leaks are
    # reported.
    -fno-builtin-malloc -fno-builtin-free
    # Tables of addresses would become tables of distances from the table, which PTX cannot say.
    -Xclang -mcmodel=large
    -gline-tables-only -Xclang -debug-info-kind=line-tables-only)
  # Code that asks for its architecture finds the one that the command line names, or nvcc's.
  [[ -z $named_arch || -n $precompiled || $mode == pch ]] ||
    device_flags+=(-Wno-builtin-macro-redefined -U__CUDA_ARCH__ "-D__CUDA_ARCH__=${named_arch}0")
  # Old ones take what both branches begin with before the condition, also the activemask that each
  # branch asks for its own lanes.
  [[ $clang_major -ge $counted_major ]] || device_flags+=(-mllvm -hoist-common-insts=false)
  # Newer ones than 19 join stores of two branches to different state spaces into one generic store,
  # without a line: a finding there could not name either of them.
  [[ $clang_major -le $counted_major ]] || device_flags+=(-mllvm -sink-common-insts=false)
  [[ $ftz -eq 0 ]] || device_flags+=(-fcuda-flush-denormals-to-zero -DSIMT_FTZ=1)
}

# Behind a store through a literal null pointer nothing is reached, say clang and nvcc, whose code
# has a trap there.
# Quotients of -prec-div=false are of full range, with -use_fast_math they are not.
make_text_flags() {
  text_flags=(-S "$device_optimisation" -ffp-contract=off -Xclang -target-feature -Xclang +ptx71
    -mllvm -trap-unreachable)
  [[ $exact_div -eq 1 ]] || text_flags+=(-mllvm "-nvptx-prec-divf32=$((1 - fast))")
  [[ $exact_sqrt -eq 1 ]] || text_flags+=(-mllvm -nvptx-prec-sqrtf32=0)
}
