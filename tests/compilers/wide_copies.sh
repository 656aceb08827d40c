#!/bin/sh
# SPDX-License-Identifier: MIT
# wide_copies.sh WRAPPER COMPILER - wide_copies.cu by one compiler: each kernel's PTX has the
# accesses that its comment says, and the values are right. WRAPPER: simtcc or simt-nvcc; COMPILER:
# a clang++, or nvcc. With a clang it must fail when simtcc does not mend the intermediate code.
# Exit 77 (skipped) where COMPILER is not installed.
set -eu
command -v "$2" >/dev/null || { echo "$2 is not installed"; exit 77; }
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export SIMTCC_CLANG="$2" NVCC="$2"

# "kernel: ld.global.v4 1 st.global.v4 1", a line for each kernel, in the order of the text.
wanted() {
  awk '/^\/\/ accesses: /{ said = $0; sub(/^\/\/ accesses: /, "", said); gsub(/,/, "", said) }
    /^extern "C" __global__/ { name = $0; sub(/.* void /, "", name); sub(/\(.*/, "", name)
      print name ": " said }' "$here/wide_copies.cu" | sort
}
made() { # the same of PTX, in the order in which accesses first occur
  awk '/\.entry / { name = $0; sub(/.*\.entry /, "", name); sub(/\(.*/, "", name); n = 0
      split("", count) }
    /^\t(ld|st)\.(volatile\.)?(global|shared)\./ {
      kind = $1; sub(/\.[bufs](32|64)$/, "", kind)
      if ($1 !~ /\.v[24]\./ && $1 ~ /64$/) kind = kind ".64"
      if (!count[kind]++) order[++n] = kind
    }
    /^}/ { text = name ":"
      for (i = 1; i <= n; i++) text = text " " order[i] " " count[order[i]]
      print text }' "$1" | sort
}

wanted >"$work/wanted"
"$1" -std=c++17 -ptx "$here/wide_copies.cu" -o "$work/whole.ptx"
made "$work/whole.ptx" >"$work/made"
diff "$work/wanted" "$work/made" || { echo "$2: other accesses than the comments say"; exit 1; }

# Likewise in a file that looks at the bits of floats, which simtcc optimises in another way.
{
  cat "$here/wide_copies.cu"
  echo 'extern "C" __global__ void magnitudes(unsigned *out, const float *in) {'
  echo '  out[threadIdx.x] = __float_as_uint(in[threadIdx.x]) & 0x7fffffff;'
  echo '}'
} >"$work/bits.cu"
"$1" -std=c++17 -ptx "$work/bits.cu" -o "$work/bits.ptx"
made "$work/bits.ptx" | grep -v '^magnitudes:' >"$work/made"
diff "$work/wanted" "$work/made" || { echo "$2: other accesses beside bits of floats"; exit 1; }

"$1" -std=c++17 "$here/wide_copies.cu" -o "$work/program"
"$work/program" || { echo "$2: wrong values, see above"; exit 1; }

case $("$2" --version | head -n 1) in
  *'clang version '*)
    SIMTCC_MEND=no "$1" -std=c++17 -ptx "$here/wide_copies.cu" -o "$work/cut.ptx"
    made "$work/cut.ptx" >"$work/made"
    if diff "$work/wanted" "$work/made" >/dev/null; then
      echo "$2: whole accesses without simtcc's mending: is it needed any more?"
      exit 1
    fi ;;
esac
