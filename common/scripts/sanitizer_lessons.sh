#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# sanitizer_lessons.sh - compute-sanitizer over every lesson program and every solution, on a GPU:
# all four tools must be quiet.
#
#   sanitizer_lessons.sh [--build DIR] [--jobs N] [--seconds N] [--only lessons|solutions]
#                        [--tools LIST] OUT.csv
#
# Builds the CUDA backend into DIR (build-gpu), where that has not been done. Lessons run every
# variant on two inputs of a small n, once and untimed (--profile): the timed loops run the same
# kernels hundreds of times. A solution is judged by its whole suite.
# One row per program and tool: findings, exit status, what was said first. What takes longer than
# --seconds (300) is written as `stopped`. Exit status: 0 all quiet, 1 not.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

usage() { sed -n '3,/^set/s/^# \{0,1\}//p' "$0" | sed '$d'; }

build=build-gpu jobs=$(nproc) seconds=300 only='' out=''
tools='racecheck memcheck initcheck synccheck' # the slow ones first
while [ $# -gt 0 ]; do
  case $1 in
  --build) build=$2; shift ;;
  --jobs) jobs=$2; shift ;;
  --seconds) seconds=$2; shift ;;
  --only) only=$2; shift ;;
  --tools) tools=${2//,/ }; shift ;;
  -h | --help) usage; exit 0 ;;
  -*) echo "sanitizer_lessons.sh: unknown option '$1'; see --help" >&2; exit 2 ;;
  *) out=$1 ;;
  esac
  shift
done
[ -n "$out" ] || { usage >&2; exit 2; }

# The lesson's variants that are right, at a size that fills several blocks and ends in the middle
# of one. Warm: one copy of the input is enough, and to follow the thousands that keep it out of the
# L2 takes initcheck minutes.
lesson_options=(--n 20011 --block 256 --regime warm --profile --json)

build_all() {
  local arch
  arch=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader | head -1 | tr -d '. ')
  [ -e "$build/CMakeCache.txt" ] ||
    cmake -S . -B "$build" -DWORKBOOK_BACKEND=CUDA -DCMAKE_CUDA_ARCHITECTURES="$arch"
  cmake --build "$build" -j "$jobs" --target all
}

# The sum of the first number after `words` over all processes of a run; `-` when none said it.
sum_of() { # FILE WORDS
  awk -v words="$2" '(at = index($0, words)) { said = 1; n += substr($0, at + length(words)) + 0 }
    END { print said ? n : "-" }' "$1"
}

# One job: NAME TOOL PROGRAM ARGUMENTS…; prints a row. A suite's checks share one process: to open
# the device under a sanitizer for each takes longer than all of them.
one() {
  local name=$1 tool=$2 log status=0 errors first begin=$SECONDS options=()
  shift 2
  # Lesson 07 asks for a launch that must be refused; the programs look at every status themselves.
  [ "$tool" != memcheck ] || options=(--report-api-errors no)
  log=$(mktemp)
  WB_FORK=no timeout "$seconds" compute-sanitizer --tool "$tool" "${options[@]}" \
    --target-processes all "$@" >"$log" 2>&1 || status=$?
  errors=$(sum_of "$log" 'ERROR SUMMARY: ')
  [ "$tool" != racecheck ] || errors=$(sum_of "$log" 'RACECHECK SUMMARY: ') # errors and warnings
  first=$(grep -E '^=+ [A-Z]' "$log" | grep -vE 'COMPUTE-SANITIZER|SUMMARY' | head -1 |
    sed 's/^=* //; s/"//g')
  case $status in 124 | 137 | 143) first=stopped ;; esac
  echo "$name,$tool,$errors,$status,\"$first\""
  echo "$name $tool: $((SECONDS - begin)) s" >&2
  rm -f "$log"
}
export -f one sum_of
export seconds

jobs_of() { # a line a job
  local tool program module name
  for tool in $tools; do
    for program in "$build"/lessons/[0-9]*; do
      if [ -d "$program" ] || [ ! -x "$program" ]; then continue; fi
      echo "lessons/${program##*/} $tool $program ${lesson_options[*]}"
    done
    for module in "$build"/modules/solution_*.fatbin; do
      name=${module##*/solution_} name=${name%.fatbin}
      [ -x "$build/tests/$name" ] || continue
      echo "solutions/$name $tool $build/tests/$name --suite exercise --module $module"
    done
  done
}

mkdir -p "$build"
build_all >"$build/sanitizer-build.log" 2>&1 || {
  tail -20 "$build/sanitizer-build.log" >&2
  exit 1
}
{
  python3 -B common/scripts/provenance.py "$build" "common/scripts/sanitizer_lessons.sh OUT.csv"
  version=$(compute-sanitizer --version | sed -n 's/^Version \([0-9.]*\).*/\1/p')
  echo "# tool: compute-sanitizer $version"
  echo "# method: lessons with ${lesson_options[*]}, each variant once on two inputs;" \
    "solutions judged by their whole suite; each tool's defaults;" \
    "findings = errors, of racecheck with warnings"
  echo "# key: program/tool"
  echo "program,tool,findings,exit_status,first"
} >"$out"
jobs_of | { grep "^$only" || true; } | xargs -P "$jobs" -I{} bash -c 'one {}' >>"$out"
sorted=$(sed -n '/^#/!{/^program,/!p}' "$out" | sort)
head=$(sed -n '/^#/p; /^program,/p' "$out")
printf '%s\n%s\n' "$head" "$sorted" >"$out"
awk -F, '!/^#/ && $1 != "program" { n++; if ($3 != "0" || $4 != "0") { bad++; print } }
  END { printf "%d runs, %d not clean\n", n, bad; exit bad > 0 || n == 0 }' "$out"
