#!/bin/sh
# SPDX-License-Identifier: MIT
# test_checkers.sh BUILD - the checkers where people meet them: make try (the grader's --try),
# lesson programs, make sanitize. Every wrong program has a right twin that must stay quiet.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
build=$(CDPATH='' cd -- "$1" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work" "$build/sanitize/checkers_test_"*' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL LESSON PROG ARGS CHECK SCHEDULE N VARIANT DEVICE
unset SIMT_CHECK SIMT_SCHEDULE SIMT_REPORT
export NO_COLOR=1
failures=0

# expect WHAT STATUS PATTERN COMMAND...: the exit status, and a text in the output; PATTERN !x:
# none.
expect() {
  what=$1 status=$2 pattern=$3
  shift 3
  output=$("$@" 2>&1)
  got=$?
  case $pattern in
    !*) printf '%s\n' "$output" | grep -qE -- "${pattern#!}" && found=1 || found=0 ;;
    *) printf '%s\n' "$output" | grep -qE -- "$pattern" && found=0 || found=1 ;;
  esac
  [ "$got" -eq "$status" ] && [ "$found" -eq 0 ] && return
  printf 'FAIL: %s: status %s (want %s), want "%s" in:\n%s\n' \
    "$what" "$got" "$status" "$pattern" "$output"
  failures=$((failures + 1))
}

# ---- make try. A tree that relies on its last warp running in step: right by luck.
solution=$root/solutions/01_shared_tree.cu
lucky=$work/01_shared_tree.cu
awk '/__syncthreads\(\);/ && ++n == 2 {
       sub(/__syncthreads\(\);/, "if (left > 32) __syncthreads();") }
  { print }' "$solution" >"$lucky"
cmp -s "$solution" "$lucky" &&
  { echo 'FAIL: the solution of 01 no longer has a second barrier'; exit 1; }
try() { VERBOSE=1 "$build/common/grade/grade" --build "$build" --try 01_shared_tree --source "$@"; }

expect 'luck without checkers' 0 '^ +ok +one_block' try "$lucky"
expect 'luck is no pass' 1 'all results were right, but the checkers object' \
  try "$lucky" --check racecheck
expect 'the failing check is named' 1 '^ +FAIL +one_block' try "$lucky" --check racecheck
expect 'the missing call is named' 1 'Likely missing: __sync' try "$lucky" --check racecheck
expect 'a sweep shows the luck' 1 'the checkers found:' try "$lucky" --schedule sweep:4
expect 'the solution under all' 0 'passed ([0-9]+) of \1 checks' \
  try "$solution" --check all --schedule sweep:2
expect 'an unknown checker is no verdict on the kernel' 3 "no checker 'racechek'" \
  try "$solution" --check racechek

# Grading has the checkers and the schedules of make try unless told otherwise; a stand-in says how
# the grader was called.
mkdir -p "$work/soft/common/grade"
echo 'WORKBOOK_BACKEND_RESOLVED:INTERNAL=SIMT' >"$work/soft/CMakeCache.txt"
printf '#!/bin/sh\necho "grade $*"\n' >"$work/soft/common/grade/grade"
chmod +x "$work/soft/common/grade/grade"
grading() { env BUILD="$work/soft" "$@" "$root/common/scripts/lesson.sh" grade; }
expect 'grading is checked' 0 '^grade .*--check all --schedule sweep:4$' grading
expect 'grading without' 0 '^grade .*--check none --schedule lockstep$' \
  grading CHECK=none SCHEDULE=lockstep

# ---- Lesson programs.
program() { "$build/lessons/04_warp_sync" --n 1000 "$@"; }
expect 'a right program' 0 'checkers all; schedule sweep:2; 0 errors' \
  program --check --schedule sweep:2
expect 'a wrong program' 1 'Likely missing: __syncwarp' \
  program --variant broken_fold --check=racecheck
expect 'right by luck' 0 '^volatile_fold .* ok$' program --variant volatile_fold
expect 'the same without the luck' 1 'WRONG' program --variant volatile_fold --schedule lane-serial
expect 'no checkers, no findings' 1 '!racecheck' program --variant broken_fold
expect 'an unknown checker' 1 "there is no checker 'racechek'" program --check=racechek
expect 'nothing ran, nothing is right' 1 '!0 errors' program --check=racechek
expect 'an empty list of checkers' 2 '--check: its value is missing' program --check=
expect 'an unknown schedule' 1 'there is no such schedule' program --schedule backwards

# ---- make sanitize.
cat >"$work/checkers_test_wrong.cu" <<'CUDA'
#include <cuda_runtime.h>
__global__ void reverse(int *data, int read_late) {
  __shared__ int tile[64];
  tile[threadIdx.x] = data[threadIdx.x];
  BARRIER
  data[threadIdx.x] = tile[63 - threadIdx.x] + read_late;
}
int main(int argc, char **) {
  int *data;
  cudaMalloc(&data, 64 * sizeof *data);
  cudaMemset(data, 0, 64 * sizeof *data);
  reverse<<<1, 64>>>(data, argc);
  cudaFree(data);
  return cudaDeviceSynchronize();
}
CUDA
sed 's/BARRIER/__syncthreads();/' "$work/checkers_test_wrong.cu" >"$work/checkers_test_right.cu"
sed 's/BARRIER/__syncthreads();/; s/return cuda.*/return 0;/' "$work/checkers_test_wrong.cu" \
  >"$work/checkers_test_heedless.cu"
sed 's/BARRIER/__syncthreads();/; s/reverse<<<.*/if (argc > 1) &/' "$work/checkers_test_wrong.cu" \
  >"$work/checkers_test_idle.cu" # launches only when it has an argument
echo 'int main() { return 0; }' >"$work/checkers_test_no_cuda.cu"
sed -i.old 's/BARRIER//' "$work/checkers_test_wrong.cu"
sanitize() { env BUILD="$build" "$@" "$root/common/scripts/lesson.sh" sanitize; }

expect 'a wrong file' 1 'tile\[threadIdx.x\] = data' sanitize PROG="$work/checkers_test_wrong.cu"
expect 'its advice' 1 '__syncthreads\(\) between line 4 and line 6' \
  sanitize PROG="$work/checkers_test_wrong.cu" CHECK=racecheck
expect 'a right file' 0 '^Nothing found \(checkers: all; schedule: sweep\)' \
  sanitize PROG="$work/checkers_test_right.cu"
expect 'nothing launched is not nothing found' 2 '^No kernel was launched' \
  sanitize PROG="$work/checkers_test_idle.cu"
expect 'the same file, launching' 0 '^Nothing found' \
  sanitize PROG="$work/checkers_test_idle.cu" ARGS=go
expect 'a program without CUDA' 2 '^No kernel was launched' \
  sanitize PROG="$work/checkers_test_no_cuda.cu"
expect 'its own report is kept' 0 '^Nothing found' \
  sanitize PROG="$work/checkers_test_right.cu" SIMT_REPORT="$work/report.json"
grep -q '"launched": 1,' "$work/report.json" ||
  { echo 'FAIL: no report'; failures=$((failures + 1)); }
expect 'a report that cannot be written' 1 'no report written' \
  sanitize PROG="$work/checkers_test_right.cu" SIMT_REPORT="$work/none/report.json"
expect 'no colours in a pipe' 1 "!$(printf '\033')" sanitize PROG="$work/checkers_test_wrong.cu"
expect 'an unknown checker finds nothing' 1 '!Nothing found' \
  sanitize PROG="$work/checkers_test_heedless.cu" CHECK=racechek
expect 'no file' 2 'There is no file' sanitize PROG="$work/none.cu"
expect 'no PROG' 2 'Which file' sanitize PROG=

# The reports that the book shows are what the programs say; numbers depend on the compiler's
# version.
mask() { grep -v '^#' | sed 's/[0-9][0-9a-fx]*/N/g'; }
says() { # stored report; what is said now comes in
  shown=$root/figures/data/$1
  mask >"$work/said"
  mask <"$shown" | diff - "$work/said" >"$work/difference" && return
  echo "FAIL: the program says something else than $shown:"
  cat "$work/difference"
  failures=$((failures + 1))
}
sanitize PROG="$root/tests/workbook/tree.cu" CHECK=racecheck SCHEDULE=lockstep \
  2>"$work/stderr" >/dev/null
says checks-report.txt <"$work/stderr"
"$build/lessons/04_warp_sync" --variant volatile_fold --check=racecheck 2>"$work/stderr" >/dev/null
says checks-volatile-fold.txt <"$work/stderr"

# On a GPU: NVIDIA's tools, one after the other; here stand-ins that say how they were called.
mkdir "$work/bin" "$work/gpu"
echo 'WORKBOOK_BACKEND_RESOLVED:INTERNAL=CUDA' >"$work/gpu/CMakeCache.txt"
cat >"$work/bin/nvcc" <<'SH'
#!/bin/sh
echo "nvcc $*"
SH
cat >"$work/bin/compute-sanitizer" <<'SH'
#!/bin/sh
echo "ran $*"
[ "$2" != racecheck ] || exit 86
SH
chmod +x "$work/bin/nvcc" "$work/bin/compute-sanitizer"
on_gpu() {
  env PATH="$work/bin:$PATH" BUILD="$work/gpu" "$@" "$root/common/scripts/lesson.sh" sanitize
}
expect 'all tools on a GPU' 1 'ran --tool synccheck' on_gpu PROG="$work/checkers_test_right.cu"
expect 'one tool on a GPU' 0 'ran --tool memcheck' \
  on_gpu PROG="$work/checkers_test_right.cu" CHECK=memcheck
expect 'only that tool' 0 '!--tool racecheck' \
  on_gpu PROG="$work/checkers_test_right.cu" CHECK=memcheck

[ "$failures" -eq 0 ] && echo 'checkers: found, and quiet, where they should be'
[ "$failures" -eq 0 ]
