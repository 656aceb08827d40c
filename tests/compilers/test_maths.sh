#!/bin/bash
# SPDX-License-Identifier: MIT
# test_maths.sh SIMTCC - whose math functions simtcc takes (a stand-in for a toolkit, and commands
# that are only shown), and what it says of options that it cannot follow.
set -u
simtcc=$(readlink -f "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
printf '__global__ void k(float *x) { *x = sinf(*x); }\nint main() { return 0; }\n' >"$work/a.cu"
mkdir -p "$work/toolkit/nvvm/libdevice" "$work/path"
printf 'BC' >"$work/toolkit/nvvm/libdevice/libdevice.10.bc"
printf 'text' >"$work/text.bc"
toolkit=$work/toolkit/nvvm/libdevice/libdevice.10.bc
unset SIMTCC_MATHS CUDA_PATH
export CUDA_HOME=$work/toolkit
failed=0

# expect STATUS SAYS LACKS OPTION...: simtcc ends with STATUS, SAYS occurs in what it writes to
# standard error, and LACKS does not.
expect() {
  local wanted=$1 says=$2 lacks=$3 status errors
  shift 3
  errors=$("$simtcc" --dryrun "$@" "$work/a.cu" 2>&1 >/dev/null)
  status=$?
  if [[ $status -ne $wanted || $errors != *"$says"* ||
    -n $lacks && $errors == *"$lacks"* ]]; then
    printf 'simtcc %s: ended with %s, wanted %s and "%s" without "%s":\n%s\n' "$*" "$status" \
      "$wanted" "$says" "$lacks" "$errors"
    failed=1
  fi
}

expect 0 "math functions: $toolkit" 'its own'
expect 0 "-mlink-builtin-bitcode -Xclang $toolkit" 'its own' --maths=toolkit
expect 0 'math functions: its own' "$toolkit" --maths=own
SIMTCC_MATHS=own expect 0 'math functions: its own' "$toolkit"
SIMTCC_MATHS=own expect 0 "math functions: $toolkit" 'its own' --maths=toolkit
expect 0 "math functions: $toolkit" 'its own' "--maths=$toolkit"
expect 1 'is not LLVM bitcode; --maths=own does without it' '' "--maths=$work/text.bc"
expect 1 'own, toolkit, auto or a file' '' --maths=mine
if ! hash nvcc 2>/dev/null && [[ ! -e /usr/local/cuda/nvvm && ! -e /usr/lib/nvidia-cuda-toolkit ]]
then
  CUDA_HOME=$work/path expect 1 'found no libdevice.10.bc' '' --maths=toolkit
  CUDA_HOME=$work/path expect 0 'math functions: its own' ''
fi

# The options of nvcc for float arithmetic, one by one and together.
expect 0 '-D__USE_FAST_MATH__=1' '' -use_fast_math
expect 0 '-nvptx-prec-divf32=0' '' -use_fast_math
expect 0 '-nvptx-prec-divf32=1' '-D__USE_FAST_MATH__' -prec-div=false
expect 0 '-nvptx-prec-sqrtf32=0' '-nvptx-prec-divf32' --prec-sqrt false
expect 0 '-fcuda-flush-denormals-to-zero' '-nvptx-prec' -ftz=true
expect 0 '-D__USE_FAST_MATH__=1' '-fcuda-flush-denormals-to-zero' -use_fast_math -ftz=false
expect 0 '' '-nvptx-prec' -prec-div=true -prec-sqrt=true
expect 1 '-ftz=perhaps: true or false' '' -ftz=perhaps

# Functions of host code do not set errno where the file draws random numbers and does not ask.
cat >"$work/a.cu" <<'END'
#include <random>
float draw(std::mt19937 &from) { return std::normal_distribution<float>()(from); }
END
expect 0 '-fno-math-errno' ''
echo 'int reason() { return errno; }' >>"$work/a.cu"
expect 0 '' '-fno-math-errno'
exit $failed
