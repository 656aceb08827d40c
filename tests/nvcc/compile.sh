#!/bin/sh
# SPDX-License-Identifier: MIT
# compile.sh NVCC SM[,SM...] INCLUDE_DIR FILE.cu... - each file compiles for each sm_SM, without a
# warning. One call of nvcc compiles the host code once for all of them.
set -u
nvcc=$1 all_sm=$2 include=$3
shift 3
targets=
for sm in $(printf '%s' "$all_sm" | tr , ' '); do
  targets="$targets -gencode=arch=compute_$sm,code=sm_$sm"
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0
for source; do
  # shellcheck disable=SC2086
  if ! said=$("$nvcc" -c -O3 $targets -I"$include" "$source" -o "$work/out.o" 2>&1); then
    printf '%s does not compile for sm_%s:\n%s\n' "$source" "$all_sm" "$said"
    status=1
  elif printf '%s\n' "$said" | grep -q 'warning'; then
    printf '%s compiles for sm_%s with warnings:\n%s\n' "$source" "$all_sm" "$said"
    status=1
  fi
done
exit $status
