#!/bin/sh
# SPDX-License-Identifier: MIT
# test_install.sh BUILD CC NM - the software GPU as users get it: `cmake --install` into a prefix,
# then a project elsewhere finds it with find_package(Simt) and builds and runs a CUDA program; the
# installed simtcc does the same alone. Every symbol that the library exports has a prefix.
set -u
build=$1 cc=$2 nm=$3
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
fail() {
  echo "FAIL: $*"
  exit 1
}

# unprefixed LIBRARY: the exported symbols that could clash with a program's own.
unprefixed() {
  "$nm" -g --defined-only "$1" | awk 'NF == 3 { print $3 }' |
    grep -Ev '^(simt_|ptx_|isa_|cuda[A-Z]|__cuda[A-Z]|cu[A-Z]|nccl[A-Z])'
}

# A library that the search must catch, and one that it must not.
printf 'int helper(void) { return 1; }\n' >"$work/bad.c"
printf 'static int helper(void) { return 1; }\nint simt_help(void) { return helper(); }\n' \
  >"$work/good.c"
for name in bad good; do
  "$cc" -c "$work/$name.c" -o "$work/$name.o" || fail "$cc does not compile"
done
[ "$(unprefixed "$work/bad.o")" = helper ] || fail 'a symbol without a prefix is not noticed'
[ -z "$(unprefixed "$work/good.o")" ] || fail 'a library without such symbols is refused'

prefix=$work/prefix
cmake --install "$build" --prefix "$prefix" >"$work/log" 2>&1 || { cat "$work/log"; fail install; }
library=$(find "$prefix" -name libsimt.a)
[ -n "$library" ] || fail 'no libsimt.a was installed'
symbols=$(unprefixed "$library")
[ -z "$symbols" ] || fail "exported without a prefix:
$symbols"

version=$(sed -n 's/^#define SIMT_VERSION "\(.*\)"/\1/p' "$prefix/include/simt/simt.h")
[ -n "$version" ] || fail 'the installed simt.h has no version'
said="saxpy with simt $version: all 1000 right"
cmake -S "$here" -B "$work/elsewhere" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
  -DWANTED_VERSION="$version" >"$work/log" 2>&1 || { cat "$work/log"; fail 'find_package(Simt)'; }
cmake --build "$work/elsewhere" >"$work/log" 2>&1 || { cat "$work/log"; fail 'the program'; }
answer=$("$work/elsewhere/saxpy") || fail "saxpy: exit status $?"
[ "$answer" = "$said" ] || fail "saxpy says: $answer"

"$prefix/bin/simtcc" "$here/saxpy.cu" -o "$work/saxpy" || fail 'the installed simtcc'
answer=$("$work/saxpy") || fail "saxpy by simtcc: exit status $?"
[ "$answer" = "$said" ] || fail "saxpy by simtcc says: $answer"

# The same through a symbolic link, as /usr/local/bin often has one.
mkdir "$work/links" && ln -s "$prefix/bin/simtcc" "$work/links/simtcc"
"$work/links/simtcc" "$here/saxpy.cu" -o "$work/linked" || fail 'simtcc through a link'
answer=$("$work/linked") || fail "saxpy by simtcc through a link: exit status $?"
[ "$answer" = "$said" ] || fail "saxpy by simtcc through a link says: $answer"

# A project with CMake's own language CUDA, unchanged.
cmake -S "$here/plain" -B "$work/plain" \
  -DCMAKE_TOOLCHAIN_FILE="$prefix/share/simt/cmake/SimtToolchain.cmake" >"$work/log" 2>&1 ||
  { cat "$work/log"; fail 'language CUDA'; }
cmake --build "$work/plain" >"$work/log" 2>&1 || { cat "$work/log"; fail 'the plain project'; }
answer=$("$work/plain/plain") || fail "plain: exit status $?"
[ "$answer" = '5 67 4' ] || fail "plain says: $answer"

if cmake -S "$here" -B "$work/newer" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$cc" \
  -DWANTED_VERSION=99.0 >"$work/log" 2>&1; then
  fail 'version 99.0 was found'
fi
grep -q 'version' "$work/log" || { cat "$work/log"; fail 'no word about the version'; }
echo "installed, found, built and run: version $version"
