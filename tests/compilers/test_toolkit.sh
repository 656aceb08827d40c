#!/bin/bash
# SPDX-License-Identifier: MIT
# test_toolkit.sh SIMTCC - which headers simtcc takes from a CUDA toolkit (a stand-in for one), for
# which files, and what it says where no toolkit has them.
set -u
simtcc=$(readlink -f "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
unset CUDA_PATH
export CUDA_HOME=$work/toolkit SIMTCC_MATHS=own
mkdir -p toolkit/include/cccl/thrust toolkit/include/cccl/cuda/std empty
cat >toolkit/include/cccl/thrust/answer.h <<'END'
#include <cuda/std/type_traits>
#include <of_toolkit.h>
static_assert(!__nv_is_extended_device_lambda_closure_type(int), "asked of lambdas");
END
echo '#define ANSWER 42' >toolkit/include/cccl/cuda/std/type_traits # simtcc has one, too
echo '#define BEHIND 1' >toolkit/include/of_toolkit.h
echo '#error "a toolkit, and not simtcc"' >toolkit/include/cuda_fp16.h
failed=0
complain() {
  printf '%s\n' "$*"
  failed=1
}

cat >taken.cu <<'END'
#include <thrust/answer.h>
#include <cuda_fp16.h>
__global__ void k(int *x) { *x = ANSWER + BEHIND; }
int main() { return __CUDA_ARCH_LIST__ / 10; }
END
cat >own.cu <<'END'
#include <cuda/std/type_traits>
#ifdef ANSWER
#error "of the toolkit"
#endif
#ifdef WARNS
#warning "an error, if asked for"
#endif
__global__ void k(int *x) { *x = cuda::std::is_same_v<int, int>; }
END
sed 's,thrust/answer.h,thrust/question.h,' taken.cu >missed.cu

# expect STATUS SAYS LACKS ARGUMENT...: simtcc ends with STATUS, SAYS occurs in what it writes to
# standard error, and LACKS does not.
expect() {
  local wanted=$1 says=$2 lacks=$3 status errors
  shift 3
  errors=$("$simtcc" "$@" 2>&1 >/dev/null)
  status=$?
  if [[ $status -ne $wanted || $errors != *"$says"* || -n $lacks && $errors == *"$lacks"* ]]; then
    complain "simtcc $*: ended with $status, wanted $wanted and '$says' without '$lacks': $errors"
  fi
}
target_of() { sed -n 's/^\.target \(sm_[0-9]*\).*/\1/p' "$1"; }

# Libraries ask the runtime for which architecture a kernel was compiled: for the one that its code
# finds in __CUDA_ARCH__.
for arch in '' 90; do
  expect 0 '' error ${arch:+-arch=sm_$arch} -ptx taken.cu
  [[ $(target_of taken.ptx) == "sm_${arch:-75}" ]] ||
    complain "-arch=sm_$arch: the PTX is for $(target_of taken.ptx)"
  expect 0 '' error ${arch:+-arch=sm_$arch} taken.cu -o taken
  ./taken
  [[ $? -eq ${arch:-75} ]] || complain "-arch=sm_$arch: the host's code does not know it"
done
cp taken.ptx first.ptx
expect 0 '' error -arch=sm_90 -ptx taken.cu
cmp taken.ptx first.ptx || complain 'not the same twice'

# In one command, too, each file has the headers that it would have alone.
expect 0 '' error -c taken.cu own.cu
expect 0 '' error -ptx own.cu
[[ $(target_of own.ptx) == sm_80 ]] || complain "own.cu: the PTX is for $(target_of own.ptx)"
printf '%s\n' '-arch=sm_90 -diag-suppress 177' '-DNAMED=1' >options
expect 0 '' error -optf options -Werror all-warnings -time none -ptx own.cu
[[ $(target_of own.ptx) == sm_90 ]] && grep -q '^\.version 7\.8' own.ptx ||
  complain "own.cu: with -arch=sm_90 the PTX is for $(target_of own.ptx)"
expect 1 'no such file: missing' '' -optf missing -ptx own.cu
expect 1 'own.cu' '' -Werror all-warnings -DWARNS -ptx own.cu

# Where no toolkit has the header, clang's error is what is said, once.
expect 1 "missed.cu:1:10: fatal error: 'thrust/question.h' file not found" '' -c missed.cu
[[ $("$simtcc" -c missed.cu 2>&1 | grep -c 'file not found') -eq 1 ]] ||
  complain 'missed.cu: the error is not said once'
if ! hash nvcc 2>/dev/null && [[ ! -e /usr/local/cuda/include && ! -e /usr/include/thrust ]]; then
  CUDA_HOME=$work/empty expect 1 "'thrust/answer.h' file not found" '' -c taken.cu
fi
exit $failed
