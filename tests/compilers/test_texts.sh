#!/bin/bash
# SPDX-License-Identifier: MIT
# test_texts.sh SIMTCC - of a file that clang reads as a copy, spelled as it wants it, nothing
# shows: not in PTX, which is the same each time, nor in lists of dependencies, nor in messages; and
# which headers' texts decide on passes.
set -u
simtcc=$(readlink -f "$1")
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
failed=0
complain() {
  printf '%s\n' "$*"
  failed=1
}

cat >plain.cu <<'END'
__global__ void k(int *x) { *x = 1; }
int main() { k<<<1, 1>>>(nullptr); }
END
sed 's/<<</<< </' plain.cu >split.cu
sed 's/nullptr/nothing/' split.cu >wrong.cu
for name in plain split; do
  for copy in 1 2; do
    "$simtcc" --maths=own -ptx "$name.cu" -o "$name.$copy.ptx" || complain "$name: no PTX"
  done
  cmp "$name.1.ptx" "$name.2.ptx" || complain "$name: not the same twice"
  ! grep -n simtcc "$name.1.ptx" || complain "$name: a temporary file's name"
done

# heads LIST: what a list of dependencies is of, and the first of them.
heads() { awk 'NR == 1 { print $1, $2 }' "$1"; }
expect() { # LIST WANTED OPTION...
  local list=$1 wanted=$2
  shift 2
  rm -f -- *.d
  "$simtcc" --maths=own "$@" split.cu || complain "$*: failed"
  [[ -f $list && $(heads "$list") == "$wanted" ]] ||
    complain "$*: wanted '$wanted' in $list, got: $(heads "$list" 2>&1)"
}
expect split.d 'split.ptx: split.cu' -ptx -MD
expect out.d 'out.ptx: split.cu' -ptx -MMD -o out.ptx
expect list 'out.ptx: split.cu' -ptx -MD -MF list -o out.ptx
expect list 'all: split.cu' -ptx -MD -MF list -MT all
expect split.d 'split.o: split.cu' -c -MD
expect list 'all: split.cu' -c -MD -MF list -MT all

# What a system's headers say is no reason to make a pass again, also where -MD has them listed;
# what an own header says is.
keeps_bits() { # OPTION...
  "$simtcc" -v --maths=own -ptx "$@" bits.cu -o bits.ptx 2>&1 | grep -q -- -no-implicit-float
}
printf '#include "own.h"\n__global__ void k(float *x) { *x = fabsf(*x); }\n' >bits.cu
: >own.h
keeps_bits && complain 'bits.cu: passes again for nothing'
keeps_bits -MD && complain 'bits.cu, -MD: passes again for what stands in a header of the system'
echo 'union both { float f; int i; };' >own.h
keeps_bits || complain 'bits.cu: what own.h says is not noticed'
keeps_bits -MD || complain 'bits.cu, -MD: what own.h says is not noticed'

"$simtcc" -c wrong.cu 2>said && complain 'wrong.cu: compiled'
grep -q '^wrong\.cu:2:.*nothing' said || complain "wrong.cu: $(<said)"
exit $failed
