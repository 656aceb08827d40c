#!/bin/sh
# SPDX-License-Identifier: MIT
# clean.sh [FOLDER...] - `make clean`: removes build folders of this checkout: those named, or all
# that have a usual name. Nothing else: a folder that CMake did not make for this project, or that
# holds source files, is refused.
# Exit: 0 removed, or nothing there; 2 refused, and nothing was removed.
set -u
unset CDPATH
cd "$(dirname -- "$0")/../.." || exit 1
checkout=$(pwd -P)
cache_entry() { # file, key
  sed -n "s|^$2:[A-Z]*=||p" "$1" | head -n 1
}

# Where CMake has not run yet there are only the notes of our own scripts.
holds_only_notes() { # folder
  [ "$1" = "$checkout/build" ] || [ -e "$1/build.log" ] || return 1
  for entry in "$1"/* "$1"/.[!.]*; do
    [ -e "$entry" ] || continue
    case ${entry##*/} in
      setup | dist | build.log | failed | .packages | CMakeFiles | CMakeCache.txt) ;;
      *) return 1 ;;
    esac
  done
}

# Prints why a folder is not removed; nothing where it may be.
objection() { # folder, as an absolute path without links
  case $checkout/ in
    "$1"/*) echo "the checkout is in it"; return ;;
  esac
  [ -e "$1/CMakeLists.txt" ] || [ -e "$1/.git" ] && { echo "it holds source files"; return; }
  case $1/ in
    "$checkout"/*)
      [ -z "$(git ls-files -- "$1" 2>/dev/null | head -n 1)" ] ||
        { echo "it holds source files"; return; } ;;
  esac
  cache=$1/CMakeCache.txt
  if [ ! -e "$cache" ] || ! grep -q '^CMAKE_PROJECT_NAME:' "$cache"; then
    holds_only_notes "$1" || echo "CMake did not make it for this project"
    return
  fi
  [ "$(cache_entry "$cache" CMAKE_PROJECT_NAME)" = cuda_reduction_workbook ] ||
    { echo "it belongs to the project $(cache_entry "$cache" CMAKE_PROJECT_NAME)"; return; }
  of=$(cache_entry "$cache" CMAKE_HOME_DIRECTORY)
  [ "$of" = "$checkout" ] || [ ! -e "$of/CMakeLists.txt" ] || # not there: the checkout was moved
    [ "$(cd "$of" && pwd -P)" = "$checkout" ] || echo "it belongs to the checkout in $of"
}

[ $# -gt 0 ] || set -- build build-asan build-coverage build-cuda
for folder; do # all are looked at before one is removed
  [ -e "$folder" ] || continue
  path=$(cd "$folder" 2>/dev/null && pwd -P) || path=
  why="it is not a folder that can be opened"
  [ -z "$path" ] || why=$(objection "$path")
  [ -z "$why" ] && continue
  echo "make clean does not remove '$folder': $why. Remove it by hand if that is what you want." >&2
  exit 2
done
for folder; do
  [ -e "$folder" ] || continue
  rm -rf -- "$(cd "$folder" && pwd -P)" || exit 1
  [ ! -L "${folder%/}" ] || rm -f -- "${folder%/}"
  removed="${removed:-}${removed:+, }$folder"
done
echo "Removed ${removed:-nothing: there was nothing built}. Your exercises were not touched."
