#!/bin/sh
# SPDX-License-Identifier: MIT
# check.sh - `make check`: builds everything, then runs the tests through CTest, in parallel.
# A failing test shows its output; the end says what was skipped or left out, and why.
# Results as JUnit XML: build/check/junit.xml.
# Environment: BUILD, BACKEND, JOBS; ALL=1 runs what tests/nightly.txt leaves to the nightly run
# too; ARGS is passed on to ctest, e.g. ARGS="-R simt_ptx", and leaves the choice to ctest.
set -u
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES
cd "$(dirname -- "$0")/../.." || exit 1
build=${BUILD:-build}
jobs=${JOBS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}
case $build in /*) ;; *) build=$PWD/$build ;; esac

all=${ALL:-}
case $all in
  '' | 0 | 1) ;;
  *) echo "ALL is '$all': 1 (every test) or nothing is needed" >&2; exit 2 ;;
esac
# The nightly tests' names, in one expression for ctest, unless all or some by name were asked for.
# Its expressions have ten groups at most, so each line's group is written out: a(b|c) as ab|ac.
written_out() {
  awk '/^#|^$/ { next }
    !match($0, /\([^()]*\)/) { print; next }
    { n = split(substr($0, RSTART + 1, RLENGTH - 2), choices, "|")
      for (i = 1; i <= n; i++)
        print substr($0, 1, RSTART - 1) choices[i] substr($0, RSTART + RLENGTH) }' "$1"
}
nightly=
if [ "$all" != 1 ] && [ -z "${ARGS:-}" ]; then
  nightly="^($(written_out tests/nightly.txt | paste -sd '|'))\$"
fi

# Tests set what they need; settings of the user's shell must not reach them.
unset SIMT_CHECK SIMT_SCHEDULE SIMT_DEVICE SIMT_REPORT SIMT_MAX_WARP_INSTRUCTIONS
unset WB_MODULE WB_SOURCE WB_RESULTS WB_SEED WB_LIMIT_S WB_FORK CK_RUN_SUITE CK_RUN_CASE CK_FORK
unset ALL LESSON N VARIANT HINT DEVICE SUBMISSIONS STUDENT SWEEP SIZES LESSONS FRESH GPU BLOCK PARTS

common/scripts/build.sh --run all || exit 1
mkdir -p "$build/check"
begin=$(date +%s)
# shellcheck disable=SC2086
ctest --test-dir "$build" --parallel "$jobs" --progress --output-on-failure --no-tests=error \
  --test-output-size-passed 100000 \
  --output-junit "$build/check/junit.xml" ${nightly:+-E "$nightly"} ${ARGS:-}
status=$?
end=$(date +%s)
python3 -B common/scripts/check_report.py "$build/check/junit.xml" "$build" \
  ${nightly:+--nightly} >&2
echo "make check took $((end - begin)) s after building; JUnit: $build/check/junit.xml" >&2
exit $status
