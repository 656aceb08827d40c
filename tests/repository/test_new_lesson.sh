#!/bin/sh
# SPDX-License-Identifier: MIT
# make new-lesson: a lesson with all its files, which is whole once its TODOs are gone; what is
# wrong changes nothing.
#
#   test_new_lesson.sh BUILD CHECK_LIBRARY...
#
# CHECK_LIBRARY: what a suite is linked with besides our own libraries, as CMake found it.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
build=$(CDPATH='' cd -- "$1" && pwd)
shift
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL NAME
export WORKBOOK_SETUP=no
failures=0
fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

mkdir "$work/a copy"
cd "$work/a copy" || exit 1
(cd "$root" && tar cf - --exclude=./build --exclude=./build-* --exclude=./.git .) | tar xf -
rm -rf exercises/backup exercises/puzzle exercises/progress.txt

for name in '' Ring 'a b' ring_ _ring ring1 a__b '$(id)' shuffle; do
  before=$(cksum CMakeLists.txt)
  make -s new-lesson "NAME=$name" >out 2>&1
  status=$?
  [ "$status" -eq 2 ] || fail "NAME='$name': status $status: $(cat out)"
  [ "$before" = "$(cksum CMakeLists.txt)" ] || fail "NAME='$name' changed the list"
done

# What it needs is there before the first file is written.
mv common/scripts/setup.sh setup.kept
printf '#!/bin/sh\necho "python3 is missing" >&2\nexit 1\n' >common/scripts/setup.sh
chmod +x common/scripts/setup.sh
make -s new-lesson NAME=ring_sum >out 2>&1 && fail "without what it needs: $(cat out)"
grep -q 'python3 is missing' out || fail "it does not say what is missing: $(cat out)"
left=$(find lessons solutions tests exercises -name '*ring_sum*')
[ -z "$left" ] || fail "half a lesson is left: $left"
mv setup.kept common/scripts/setup.sh

make -s new-lesson NAME=ring_sum >out 2>&1 || fail "new-lesson: $(cat out)"
name=$(sed -n 's/^Lesson \([0-9][0-9]_ring_sum\):$/\1/p' out)
[ -n "$name" ] || { fail "no lesson was named: $(cat out)"; exit 1; }
grep -q "^  $name)\$" CMakeLists.txt || fail 'it is not in the list of lessons'
make -s new-lesson NAME=ring_sum >out 2>&1 && fail 'the same lesson twice'

said=$(tests/repository/check_lesson.sh "$name") && fail 'it is whole with its TODOs'
for file in "lessons/$name/ring_sum.cu" "lessons/$name/hints.md" "lessons/$name/practice.json" \
  "solutions/$name.cu" "tests/$name.c"; do
  printf '%s\n' "$said" | grep -q "$file still says TODO:" || fail "$file is not named: $said"
done

# As if each TODO had been filled.
grep -rl 'TODO:' "lessons/$name" "solutions/$name.cu" "tests/$name.c" |
  while read -r file; do sed -i 's/TODO: *//' "$file"; done
common/scripts/make_exercise --force "$name" >/dev/null || fail 'make_exercise'
python3 -B book/scripts/fill_pages.py --write >/dev/null || fail 'fill_pages'
tests/repository/check_lesson.sh "$name" >out || fail "it is not whole: $(cat out)"
for check in check_style check_words check_readmes check_repeated; do
  python3 -B "tests/repository/$check.py" >out 2>&1 || fail "$check: $(cat out)"
done
common/scripts/lesson.sh list | grep -q "^  $name " || fail 'make list does not show it'

# It builds, runs, and its suite passes its solution and not its stub.
simtcc=$build/common/simt/simtcc
"$simtcc" -O3 -I common/workbook -D WORKBOOK_SIMT "lessons/$name/ring_sum.cu" \
  "$build/common/workbook/libworkbook.a" -lm -o program 2>out || fail "its program: $(cat out)"
./program --n 4099 >out 2>&1 || fail "its program: $(cat out)"
cc -std=c11 -I common/workbook -I common/simt/include -D WORKBOOK_SIMT "tests/$name.c" -o suite \
  "$build/common/workbook/libworkbook_judge.a" "$build/common/workbook/libworkbook.a" \
  "$build/common/simt/libsimt.a" "$@" -lm -lrt -lpthread 2>out ||
  fail "its suite: $(cat out)"
for part in solutions exercises; do
  "$simtcc" -ptx -O3 -I common/workbook "$part/$name.cu" -o "$part.ptx" 2>out ||
    fail "$part/$name.cu: $(cat out)"
done
./suite --module solutions.ptx >out 2>&1 || fail "its solution: $(cat out)"
./suite --module exercises.ptx >out 2>&1 && fail 'its stub passes'
grep -q '^passed 0 of ' out || fail "its stub: $(cat out)"

[ "$failures" -eq 0 ] && echo 'a new lesson is as it should be'
[ "$failures" -eq 0 ]
