#!/bin/sh
# SPDX-License-Identifier: MIT
# A package that comes or goes between two commands is seen by the second: build.sh configures
# again, and CMake looks afresh. On a made-up machine (a PATH of its own) with a made-up project.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset WORKBOOK_SETUP BUILD BACKEND JOBS BUILD_OPTIONS CMAKE_GENERATOR
failures=0
fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

here="$work/a project"
mkdir -p "$here/common" "$here/cmake" "$work/bin"
cp -R "$root/common/scripts" "$here/common/"
cp "$root/cmake/WorkbookLookups.cmake" "$here/cmake/"
for tool in sh awk cat cmake cmp cut dirname env find getconf grep head make mkdir mv nproc rm \
  sed tr uname; do
  tool_path=$(command -v "$tool") && ln -s "$tool_path" "$work/bin/$tool"
done
cat >"$here/CMakeLists.txt" <<'CMAKE'
cmake_minimum_required(VERSION 3.22)
project(reconfigured NONE)
list(APPEND CMAKE_MODULE_PATH "${CMAKE_SOURCE_DIR}/cmake")
set(WORKBOOK_BACKEND AUTO CACHE STRING "")
include(WorkbookLookups)
find_program(DOXYGEN_EXECUTABLE doxygen NO_CMAKE_SYSTEM_PATH)
if(REQUIRE_IT)
  list(APPEND CMAKE_PREFIX_PATH "${CMAKE_SOURCE_DIR}/prefix")
  workbook_require(Imagined "is needed here" imagined-dev imagined-devel imagined)
endif()
file(APPEND "${CMAKE_BINARY_DIR}/configured" "x")
file(WRITE "${CMAKE_BINARY_DIR}/found" "${DOXYGEN_EXECUTABLE}")
add_custom_target(thing)
add_custom_target(counted COMMAND sh "${CMAKE_SOURCE_DIR}/count.sh")
CMAKE

build() { output=$(PATH="$work/bin" "$here/common/scripts/build.sh" thing 2>&1); }
n_configured() { wc -c <"$here/build/configured"; }
found() { # the end of what find_program gives
  build || fail "$1: the build failed: $output"
  got=$(cat "$here/build/found")
  [ "${got%"$1"}" != "$got" ] || fail "found '$got', want $1"
}

found -NOTFOUND
before=$(n_configured)
found -NOTFOUND
[ "$(n_configured)" -eq "$before" ] || fail 'configured again though nothing changed'
printf '#!/bin/sh\n' >"$work/bin/doxygen"
chmod +x "$work/bin/doxygen"
found /bin/doxygen
[ "$(n_configured)" -gt "$before" ] || fail 'not configured again'
rm "$work/bin/doxygen" # and gone again: what was found is not believed
found -NOTFOUND

# What is required and missing stops the build with the way out, each time, until it is there.
BUILD_OPTIONS=-DREQUIRE_IT=ON
export BUILD_OPTIONS
rm -rf "$here/build"
for _ in first again; do
  build && fail 'a required package is missing and the build goes on'
  case $output in
    *'Imagined is missing'*'apt install'*'imagined-dev'*) ;;
    *) fail "no way out: $output" ;;
  esac
done
mkdir -p "$here/prefix/lib/cmake/Imagined"
: >"$here/prefix/lib/cmake/Imagined/ImaginedConfig.cmake"
build || fail "the required package is there now: $output"

# What is up to date is not built again, where it is built to be run; whatever changes is.
unset BUILD_OPTIONS
mkdir -p "$here/exercises" "$here/lessons" "$here/build/tests" "$here/build/common"
echo 'printf x >>n_built; [ ! -e "$(dirname "$0")/broken" ]' >"$here/count.sh"
: >"$here/lessons/text.c"
: >"$here/build/tests/suite"
: >"$here/build/n_built"
built() { # what, whether it must be built (1) or not (0), [--run]
  before=$(wc -c <"$here/build/n_built")
  output=$(PATH="$work/bin" "$here/common/scripts/build.sh" "${3:---run}" counted 2>&1)
  after=$(wc -c <"$here/build/n_built")
  [ $((after - before)) -eq "$2" ] || fail "$1: built $((after - before)) times, want $2: $output"
}
built 'for the first time' 1
built 'nothing has changed' 0
built 'for all to see' 1 counted
built 'nothing has changed since' 0
echo '// solved' >"$here/exercises/05_shuffle.cu"
built 'an exercise has changed' 0
sleep 0.1 # longer than the clock of files takes for a tick
echo '// changed' >"$here/lessons/text.c"
built 'a source has changed' 1
sleep 0.1
mv "$here/lessons/text.c" "$here/lessons/other.c"
built 'a source has another name' 1
sleep 0.1
: >"$here/broken"
built 'the build fails' 1
built 'it fails again' 1
rm "$here/broken"
built 'it is mended' 1
sleep 0.1
rm "$here/build/tests/suite"
built 'what was built is gone' 1
built 'nothing has changed after all' 0

[ "$failures" -eq 0 ] && echo 'reconfigure: all as it should be'
[ "$failures" -eq 0 ]
