#!/bin/sh
# SPDX-License-Identifier: MIT
# known_errors.sh WRAPPER COMPILER - known_errors.cu by one compiler: right with and without
# optimisation of device code, and where all of it is in a header of another folder.
# WRAPPER: simtcc or simt-nvcc; COMPILER: a clang++, or nvcc.
# With a clang it must fail when simtcc does not mend what is known: it can. (e) keeps everything
# from running; without it the negated truth values must be wrong, up to clang 19, and (i).
# Exit 77 (skipped) where COMPILER is not installed.
set -eu
command -v "$2" >/dev/null || { echo "$2 is not installed"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SIMTCC_CLANG="$2" NVCC="$2"

program=$here/known_errors.cu
build() { "$1" -std=c++17 "$program" -o "$work/program" "$2"; }
judge() { # WRAPPER COMPILER FLAG
  build "$1" "$3"
  "$work/program" >"$work/output" || { echo "$2 $3: wrong values, see above"; exit 1; }
  diff "$here/known_errors.expected" "$work/output"
}

for flag in -O2 -G; do
  judge "$1" "$2" "$flag"
done
mkdir "$work/headers" "$work/sources"
cp "$program" "$work/headers/all.h"
echo '#include <all.h>' >"$work/sources/all.cu"
program=$work/sources/all.cu
judge "$1" "$2" "-I$work/headers"
program=$here/known_errors.cu

case $("$2" --version | head -n 1) in
  *'clang version '*)
    export SIMTCC_MEND=no
    build "$1" -O2
    if "$work/program" >"$work/output" 2>&1; then
      echo "$2: right without simtcc's mending: has it lost its errors?"
      exit 1
    fi
    grep -q 'should be' "$work/output"
    case $("$2" -dumpversion) in
      1[4-9].*)
        build "$1" -DLOADABLE
        "$work/program" >"$work/output" 2>&1 || true
        if ! grep -q '^truth.*should be' "$work/output" ||
          ! grep -q '^added once.*should be' "$work/output" ||
          ! grep -q '^float\[0\] 34400000$' "$work/output"; then
          echo "$2: unmended, negated truth values or lanes are right, or nothing ran"
          exit 1
        fi ;;
    esac ;;
esac
