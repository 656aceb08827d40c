#!/bin/sh
# SPDX-License-Identifier: MIT
# build.sh [--run] WHAT... - configures when necessary and builds quietly: one line of progress, and
# the compiler's output when something fails. WHAT is a CMake target: programs, judge, all, book,
# ... It configures a new folder, one made for another backend, and one since which a package that
# the build looks for has come or gone: build/.packages holds what was there (setup.sh --state).
# --run: what is built is to be run here, so a GPU's programs are not built where none answers.
# Environment: BUILD (build), BACKEND (AUTO), JOBS (all cores), BUILD_OPTIONS (for cmake -S).
set -u
unset MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES CDPATH
cd "$(dirname -- "$0")/../.." || exit 1
build=${BUILD:-build}
backend=${BACKEND:-AUTO}
log=$build/build.log
jobs=${JOBS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 2)}

run=
[ "${1:-}" = --run ] && { run=yes; shift; }

case $jobs in
  '' | 0* | *[!0-9]*) echo "JOBS is '$jobs': a number of at least 1 is needed" >&2; exit 2 ;;
esac
case $backend in
  AUTO | SIMT | CUDA) ;;
  *) echo "BACKEND is '$backend': AUTO, SIMT (the software GPU) or CUDA is needed" >&2; exit 2 ;;
esac

configure() {
  mkdir -p "$build" || exit 1
  rm -f "$build/.packages"
  # shellcheck disable=SC2086
  if ! cmake -S . -B "$build" -DWORKBOOK_BACKEND="$backend" ${BUILD_OPTIONS:-} >"$log" 2>&1; then
    cat "$log" >&2
    exit 1
  fi
  printf '%s\n' "$packages" >"$build/.packages"
  grep -h '^-- Lessons run on' "$log" | sed 's/^-- //' >&2
}

needs_configuring() {
  cache=$build/CMakeCache.txt
  [ -f "$cache" ] && { [ -f "$build/Makefile" ] || [ -f "$build/build.ninja" ]; } || return 0
  grep -q "^WORKBOOK_BACKEND:[A-Z]*=$backend\$" "$cache" || return 0
  if ! grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" "$cache"; then
    rm -f "$cache" # the checkout was moved or copied
    return 0
  fi
  [ "$(cat "$build/.packages" 2>/dev/null)" != "$packages" ]
}

# Copies stdin to the log. On a terminal the percentage runs on one line.
show_progress() {
  tty=0
  [ -t 2 ] && tty=1
  awk -v log_file="$log" -v tty="$tty" '
    { print >> log_file }
    tty && match($0, /^\[ *[0-9]+(%|\/[0-9]+)\]/) {
      line = $0
      gsub(/\033\[[0-9;]*m/, "", line) # make colours its lines; a dumb terminal shows the codes
      printf "\r%-78s", substr(line, 1, 78) > "/dev/stderr"
    }
    END { if (tty) printf "\r%78s\r", "" > "/dev/stderr" }'
}

# True where this was built, and since then neither a source has changed, come or gone nor anything
# of what was built. To ask make takes most of a second of each `make try`. Times are those of the
# files' records (ctime), which no tool sets back.
is_up_to_date() {
  [ -e "$build/.began-$1" ] && [ -e "$build/.built-$1" ] || return 1
  [ -z "$(find . -path "./$build" -prune -o -path './build*' -prune -o -path './.*' -prune -o \
    -path ./exercises -prune -o -cnewer "$build/.began-$1" -print 2>&1 | head -n 1)" ] || return 1
  [ -z "$(find "$build/tests" "$build/common" -path '*/CMakeFiles' -prune -o \
    -cnewer "$build/.built-$1" -print 2>&1 | head -n 1)" ]
}

packages=$(common/scripts/setup.sh --state)
needs_configuring && configure
[ -z "$run" ] || common/scripts/gpu_state.sh --require "$build" || exit 1
[ -n "$run" ] && is_up_to_date "$*" && exit 0
: >"$log"
: >"$build/.begins-$*"
# Something to build? Then say so before the silence.
[ -e "$build/.built-$*" ] || echo "Building (the first time takes a minute; log: $log)" >&2
{ cmake --build "$build" --parallel "$jobs" --target "$@" 2>&1 || echo failed >"$build/failed"; } |
  show_progress
if [ -e "$build/failed" ]; then
  rm -f "$build/failed"
  grep -vE '^(\[ *[0-9]+[%/]|(Consolidate|Scanning) |make\[|gmake\[|make: |gmake: )|^$' "$log" >&2
  echo "The build failed; everything it said is in $log" >&2
  exit 1
fi
: >"$build/.built-$*"
mv "$build/.begins-$*" "$build/.began-$*"
