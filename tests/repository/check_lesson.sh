#!/bin/sh
# SPDX-License-Identifier: MIT
# check_lesson.sh NN_name - a lesson has all of its parts: program, its kernel in a whole program
# without the harness, chapter, three hints, exercise, solution, suite, six mutants; the program
# keeps to its length.
set -u
name=$1
short=${name#[0-9][0-9]_}
whole=minimal.cu
[ "$name" = 00_naive_atomic ] && whole=first_program.cu
cd "$(dirname -- "$0")/../.." || exit 1
status=0
lacks() {
  echo "$name: $*"
  status=1
}

for file in "lessons/$name/$short.cu" "lessons/$name/CMakeLists.txt" "lessons/$name/chapter.md.in" \
  "lessons/$name/hints.md" "lessons/$name/$whole" "lessons/$name/practice.json" \
  "exercises/$name.cu" "solutions/$name.cu" \
  "tests/$name.c"; do
  [ -s "$file" ] || lacks "there is no $file"
done
hints=$(grep -c '^## Hint [123]' "lessons/$name/hints.md" 2>/dev/null)
[ "${hints:-0}" -eq 3 ] ||
  lacks "lessons/$name/hints.md has ${hints:-0} hints, want '## Hint 1' to 3"
mutants=$(find "tests/mutants/$name" -name '*.mutant' 2>/dev/null | wc -l)
[ "$mutants" -ge 6 ] || lacks "tests/mutants/$name holds $mutants mutants, want at least 6"
lines=$(wc -l <"lessons/$name/$short.cu" 2>/dev/null || echo 0)
[ "$lines" -le 180 ] || lacks "lessons/$name/$short.cu has $lines lines, at most 180"
grep -q "^add_lesson($name $short.cu" "lessons/$name/CMakeLists.txt" ||
  lacks "lessons/$name/CMakeLists.txt does not say add_lesson($name $short.cu)"
# What new_lesson.sh leaves to be written.
for file in $(grep -rl 'TODO:' "lessons/$name" "solutions/$name.cu" "tests/$name.c" \
  "tests/mutants/$name" 2>/dev/null); do
  lacks "$file still says TODO:"
done
[ "$status" -eq 0 ] && echo "$name is whole"
exit $status
