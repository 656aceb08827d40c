#!/bin/sh
# SPDX-License-Identifier: MIT
# The harness and all suites compile as in a build for a GPU, also where there is none: without
# WORKBOOK_SIMT, and so without what only the software GPU knows.
#
#   test_gpu_sources.sh C_COMPILER
set -u
compiler=$1
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0

# (-Wformat-truncation depends on what the optimiser sees.)
compiles() { # file
  "$compiler" -std=c11 -D_DEFAULT_SOURCE -Wall -Wextra -Wshadow -Wconversion -Werror \
    -Wno-format-truncation -I "$root/common/workbook" -I "$root/common/simt" \
    -I "$root/common/simt/include" -c "$1" -o "$work/object" 2>"$work/said"
}

for file in "$root"/common/workbook/*.c "$root"/tests/*.c; do
  compiles "$file" || {
    cat "$work/said"
    failures=$((failures + 1))
  }
done

# It can fail: a member that is the software GPU's, and its twin.
for member in has_waited launched; do
  printf '#include "judge_internal.h"\nbool f(wb_judge *judge);\n%s\n' \
    "bool f(wb_judge *judge) { return judge->$member; }" >"$work/$member.c"
done
compiles "$work/has_waited.c" && {
  echo "what only the software GPU knows is accepted"
  failures=$((failures + 1))
}
compiles "$work/launched.c" || {
  echo "what both know is refused:"
  cat "$work/said"
  failures=$((failures + 1))
}
[ "$failures" -eq 0 ] && echo "harness and suites compile for a GPU"
exit "$failures"
