#!/bin/sh
# SPDX-License-Identifier: MIT
# new_lesson.sh - begins a lesson: make new-lesson NAME=moving_average
#
# Writes every file that a lesson has, from those of lesson 01, under a new number: a lesson that
# builds, runs and is judged, with TODO: where it needs text and ideas of its own. The test
# lesson_NN_name_is_whole names the TODOs that are left. No existing file is changed except the list
# of lessons in CMakeLists.txt. Environment: NAME. Exit: 0 written, 1 it could not be, 2 wrong use.
set -u
unset CDPATH
cd "$(dirname -- "$0")/../.." || exit 1
from=01_shared_tree from_short=shared_tree
say() { printf '%s\n' "$*" >&2; }

short=${NAME:-}
case $short in
  '' | [!a-z]* | *[!a-z_]* | *_ | *__*)
    say "NAME is '$short': small letters and _ between words, as in NAME=moving_average"
    exit 2
    ;;
esac
lessons=$(sed -n '/^set(WORKBOOK_LESSONS/,/)/p' CMakeLists.txt | grep -o '[0-9][0-9]_[a-z_]*')
for name in $lessons; do
  [ "${name#*_}" = "$short" ] && { say "There is a lesson $name already."; exit 2; }
done
last=$(printf '%s\n' "$lessons" | tail -n 1)
number=${last%%_*}
number=$((${number#0} + 1))
[ "$number" -le 99 ] || { say "There is no number left after $last."; exit 2; }
number=$(printf '%02d' "$number")
name=${number}_$short
for path in "lessons/$name" "solutions/$name.cu" "exercises/$name.cu" "tests/$name.c" \
  "tests/mutants/$name"; do
  [ -e "$path" ] && { say "$path exists: nothing was changed."; exit 2; }
done

renamed() { # file of lesson 01
  sed -e "s/$from/$name/g" -e "s/$from_short/$short/g" -e "s/\\([Ll]esson\\) 01/\\1 $number/g" \
    -e "s/\\([Ee]xercise\\) 01/\\1 $number/g" "$1"
}
todo() { # text: marks the first line of a comment, after the licence
  awk -v text="$1" '{ print } NR == 1 { print "// TODO: " text }'
}
write() { # path, from stdin
  cat >"$1" || exit 1
  echo "  $1"
}

common/scripts/setup.sh base || exit 1 # now that the name is good, and before anything is written
echo "Lesson $name:"
mkdir -p "lessons/$name" "tests/mutants/$name" || exit 1
renamed "lessons/$from/CMakeLists.txt" | write "lessons/$name/CMakeLists.txt"
renamed "lessons/$from/$from_short.cu" |
  todo 'question, idea, what you predict; your kernels, launches, variants; its title' |
  write "lessons/$name/$short.cu"
renamed "lessons/$from/minimal.cu" | todo 'the best kernel of the lesson in a whole program' |
  write "lessons/$name/minimal.cu"
write "lessons/$name/chapter.md.in" <<CHAPTER
# $number · TODO: the title

TODO: the question, and a picture of the idea.

## Predict

TODO: two or three guesses to write down before going on.

\`\`\`
make run LESSON=$name
\`\`\`

## What the counters say

TODO: numbers from stored runs (CONTRIBUTING.md). The whole program is
\`lessons/$name/minimal.cu\`.

## Your exercise

TODO: what \`exercises/$name.cu\` asks for.

\`\`\`
make try  LESSON=$name
make hint LESSON=$name
\`\`\`
CHAPTER
write "lessons/$name/hints.md" <<HINTS
# Hints for $name

## Hint 1

TODO: a question that leads the right way.

## Hint 2

TODO: which step comes first.

## Hint 3

TODO: nearly the code.
HINTS
renamed "lessons/$from/practice.json" |
  awk '/"learnt"/ { print; print "  \"TODO: what was learnt, in a line\","
       print "  \"TODO: and in another\""; skip = 2; next } skip-- > 0 { next } { print }' |
  write "lessons/$name/practice.json"
renamed "solutions/$from.cu" | todo 'the exercise: its task, its kernel, its blanks' |
  write "solutions/$name.cu"
renamed "tests/$from.c" | todo 'the suites of your kernels' | write "tests/$name.c"
for mutant in "tests/mutants/$from"/*; do
  renamed "$mutant" | write "tests/mutants/$name/${mutant##*/}"
done
sed "/^set(WORKBOOK_LESSONS/,/)/s/^\\( *\\)$last)/\\1$last\\n\\1$name)/" CMakeLists.txt \
  >CMakeLists.txt.new && cat CMakeLists.txt.new >CMakeLists.txt && rm CMakeLists.txt.new || exit 1
common/scripts/make_exercise "$name" || exit 1
python3 -B book/scripts/fill_pages.py --write >/dev/null || exit 1

cat <<NEXT

It builds and is judged as it is: make try LESSON=$name shows its stub fail. Next:

  1. Fill what says TODO:, mutants included;  grep -rn TODO: lessons/$name solutions tests
  2. common/scripts/make_exercise --force $name; python3 -B book/scripts/fill_pages.py --write
  3. make store PARTS=lessons,ladder, which stores its counts; CONTRIBUTING.md: what else is stored
  4. python3 -B tests/repository/inventory.py --write, then make check
NEXT
