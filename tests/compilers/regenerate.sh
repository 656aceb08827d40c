#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Compiles all solutions with the compilers named below and stores the PTX here, so that machines
# without those compilers test what they emit. Directories in the output are removed: they would
# differ from machine to machine. Each file's first line says what made it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

strip() { sed -E 's#[[:space:]]*// .*$##; s#(\.file[[:space:]]+[0-9]+ ")[^"]*/#\1#'; }

store() { # name, description, then the command that writes PTX to $tmp
  local file=tests/compilers/$1 what=$2
  shift 2
  "$@"
  { echo "// $what, from ${file##*/}'s solution"; strip <"$tmp"; } >"$file"
}

tmp=$(mktemp)
trap 'rm -f "$tmp"' EXIT
for source in solutions/*.cu; do
  lesson=$(basename "$source" .cu)
  if command -v clang++-19 >/dev/null; then
    store "$lesson.clang19.ptx" "clang 19, sm_80, -O3" env SIMTCC_CLANG=clang++-19 \
      common/simt/simtcc -ptx -O3 --maths=own -Icommon/workbook -DWORKBOOK_SIMT \
        "$source" -o "$tmp"
  fi
  if command -v nvcc >/dev/null; then
    for arch in sm_75 sm_90; do
      store "$lesson.nvcc_$arch.ptx" "nvcc 13.0, $arch, -O3 -lineinfo" \
        nvcc -ptx -O3 -lineinfo -arch=$arch -Icommon/workbook "$source" -o "$tmp"
    done
  fi
done
