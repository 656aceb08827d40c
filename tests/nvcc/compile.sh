#!/bin/sh
# SPDX-License-Identifier: MIT
# compile.sh NVCC SM INCLUDE_DIR FILE.cu... - each file compiles for sm_SM, without a warning.
set -u
nvcc=$1 sm=$2 include=$3
shift 3
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0
for source; do
  if ! said=$("$nvcc" -c -O3 -arch="sm_$sm" -I"$include" "$source" -o "$work/out.o" 2>&1); then
    printf '%s does not compile for sm_%s:\n%s\n' "$source" "$sm" "$said"
    status=1
  elif printf '%s\n' "$said" | grep -q 'warning'; then
    printf '%s compiles for sm_%s with warnings:\n%s\n' "$source" "$sm" "$said"
    status=1
  fi
done
exit $status
