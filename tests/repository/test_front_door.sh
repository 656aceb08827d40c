#!/bin/sh
# SPDX-License-Identifier: MIT
# The Makefile's answers that need no build: menu, names of lessons, hints, reset.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset MAKEFLAGS MFLAGS MAKELEVEL LESSON HINT N VARIANT ARGS BUILD BACKEND
unset WORKBOOK_SETUP WORKBOOK_PROGRESS
failures=0
fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

# expect WHAT STATUS PATTERN COMMAND...: the exit status and a line of the output.
expect() {
  what=$1 status=$2 pattern=$3
  shift 3
  output=$("$@" 2>&1)
  got=$?
  if [ "$got" -ne "$status" ] || ! printf '%s\n' "$output" | grep -qE -- "$pattern"; then
    printf 'FAIL: %s: status %s (want %s), want a line like "%s" in:\n%s\n' \
      "$what" "$got" "$status" "$pattern" "$output"
    failures=$((failures + 1))
  fi
}

# A copy that holds what these answers need, in a folder with a blank in its name.
copy="$work/a workbook"
mkdir -p "$copy"
for item in Makefile CMakeLists.txt common/scripts figures/measured_tables.py \
  figures/store_measured.py   solutions exercises lessons; do
  mkdir -p "$copy/$(dirname "$item")"
  cp -R "$root/$item" "$copy/$item" 2>/dev/null
done
rm -rf "$copy/exercises/backup"
lesson() { (cd "$copy" && env "$1" common/scripts/lesson.sh "$2"); }

for typed in 01 1 shared_tree 01_shared_tree 1_shared_tree SHARED-TREE \
  exercises/01_shared_tree.cu; do
  expect "LESSON=$typed" 0 '^01_shared_tree$' lesson "LESSON=$typed" resolve
done
expect 'a misspelt lesson' 2 'mean LESSON=01_shared_tree' lesson LESSON=shard_tree resolve
expect 'a word of a lesson' 2 'mean LESSON=09_scan or LESSON=10_single_pass_scan' \
  lesson LESSON=scn resolve
for typed in foo 77 xyz 'cool_down'; do # nothing is near: no guess, but the list
  expect "LESSON=$typed" 2 '^  10_single_pass_scan$' lesson "LESSON=$typed" resolve
  printf '%s\n' "$output" | grep -q 'Did you mean' && fail "LESSON=$typed: $output"
done
expect 'a misspelt target' 2 "no target 'compre'. Did you mean make compare\\?" \
  make -C "$copy" compre
expect 'a target that is like no other' 2 "no target 'moon'. .make help. lists all" \
  make -C "$copy" moon
printf '%s\n' "$output" | grep -q 'Did you mean' && fail "make moon: $output"
expect 'a target of odd characters' 2 "no target 'a'b'" make -C "$copy" "a'b"
# Without a name: the first exercise that is not passed; never for what changes or gives away.
expect 'no lesson' 0 '^warm_up$' lesson LESSON= resolve
expect 'no lesson to run' 0 '^00_naive_atomic$' \
  sh -c "cd '$copy' && common/scripts/lesson.sh resolve run"
expect 'the warm-up' 0 '^warm_up$' lesson LESSON=warm-up resolve
expect 'a hint for the warm-up' 0 'hint 2 of 3' make -C "$copy" hint LESSON=warm_up HINT=2
expect 'questions on the warm-up' 2 'no program and no questions' lesson LESSON=warm_up predict
expect 'no lesson to show the solution of' 2 'Which lesson' make -C "$copy" solution
expect 'no lesson to reset' 2 'Which lesson' lesson LESSON= reset
expect 'no lesson for a hint' 0 'LESSON=warm_up, the first' lesson LESSON= hint
expect 'next at the beginning' 0 'edit    exercises/warm_up.cu' make -C "$copy" next
mkdir -p "$work/course/ann" "$work/course/bob/exercises" "$work/course/cyd"
printf '%s\n' 'version 1' 'lesson 00_naive_atomic 100 of 100 passed 2026-01-02' \
  'lesson 01_shared_tree 40 of 100 open 2026-01-03' >"$copy/exercises/progress.txt"
cp "$copy/exercises/progress.txt" "$work/course/ann"
echo 'version 1' >"$work/course/bob/exercises/progress.txt"
expect 'no lesson, one passed' 0 '^01_shared_tree$' lesson LESSON= resolve
expect 'list: passed' 0 '^[^ >] 00_naive_atomic .* passed +100/100$' make -C "$copy" list
expect 'list: next' 0 '^> 01_shared_tree .* 40/100$' make -C "$copy" list
expect 'next' 0 'edit    exercises/01_shared_tree.cu' make -C "$copy" next
expect 'status' 0 '^you +1 +140  2026-01-03$' make -C "$copy" status
expect 'status of a course' 0 '^ann +1 +140  2026-01-03$' lesson "SUBMISSIONS=$work/course" status
printf '%s\n' "$output" | grep -qE '^bob +0 +0  -$' || fail "status of a beginner: $output"
printf '%s\n' "$output" | grep -q cyd && fail "status of a student without a file: $output"
expect 'status of no folder' 2 'There is no folder' lesson SUBMISSIONS=/nonexistent status
sed -n '/^set(WORKBOOK_LESSONS/,/)/p' "$copy/CMakeLists.txt" | grep -o '[0-9][0-9]_[a-z_]*' |
  sed 's/.*/lesson & 9 of 9 passed 2026-01-04/' >"$copy/exercises/progress.txt"
expect 'all passed: no lesson' 2 'Which lesson' lesson LESSON= resolve
expect 'all passed: next' 0 'All exercises are passed' make -C "$copy" next
rm "$copy/exercises/progress.txt"
expect 'a lesson that is a command' 2 'There is no lesson' lesson 'LESSON=$(id)' resolve

expect 'make alone' 0 'make compare' make -C "$copy"
expect 'make help' 0 'SUBMISSIONS=dir' make -C "$copy" help
expect 'make list' 0 '^  02_bank_conflicts .* untouched *$' make -C "$copy" list
expect 'from elsewhere' 2 'make -C' sh -c "cd '$work' && make -f '$copy/Makefile'"
# What a terminal of 80 columns and 24 lines shows, with a prompt before and behind.
widest() { awk '{ if (length($0) > w) w = length($0) } END { print w }'; }
for target in menu help list; do
  width=$(make --no-print-directory -C "$copy" "$target" | widest)
  [ "$width" -le 80 ] || fail "make $target is $width columns wide"
done
for target in menu list; do
  height=$(make --no-print-directory -C "$copy" "$target" | wc -l)
  [ "$height" -le 22 ] || fail "make $target has $height lines"
done
# Whatever the two menus name, make knows; and make help explains every target.
targets=$(sed -n '/^\.PHONY:/,/[^\]$/p' "$copy/Makefile" | sed 's/^\.PHONY://; s/\\$//')
for target in $(make --no-print-directory -C "$copy" menu help |
  sed -n 's/^  make \([a-z-]*\) .*/\1/p'); do
  printf '%s\n' $targets | grep -qx "$target" ||
    fail "a menu names make $target, which there is not"
done
make --no-print-directory -C "$copy" help >"$work/help"
for target in $targets; do
  case $target in menu | help) continue ;; esac
  grep -qE "make $target( |:|\$)|; $target:" "$work/help" ||
    fail "make help says nothing of make $target"
done

expect 'first hint' 0 'hint 1 of 3' make -C "$copy" hint LESSON=01
expect 'last hint' 0 'hint 3 of 3' make -C "$copy" hint LESSON=01 HINT=3
expect 'no such hint' 2 'hints 1 to 3' make -C "$copy" hint LESSON=01 HINT=4
expect 'a hint that is no number' 2 'hints 1 to 3' make -C "$copy" hint LESSON=01 HINT=x

# Before set-up there may be no Python: review needs none to say that there is nothing, and goes on
# to set-up where there may be something.
mkdir "$work/bare"
for tool in sh make dirname sed grep awk cat tr cut wc find head; do
  ln -s "$(command -v $tool)" "$work/bare/$tool"
done
bare() { env -i PATH="$work/bare" "$@"; }
rm -f "$copy/exercises/progress.txt"
expect 'review at the beginning, without Python' 0 '^Nothing to review' \
  bare make -C "$copy" review
mv "$copy/common/scripts/setup.sh" "$work/setup.sh"
printf '#!/bin/sh\necho "set-up of $1"\nexit 1\n' >"$copy/common/scripts/setup.sh"
chmod +x "$copy/common/scripts/setup.sh"
echo 'version 1' >"$copy/exercises/progress.txt"
expect 'review, without Python' 2 '^set-up of base' bare make -C "$copy" review
expect 'review of nothing' 0 '^Nothing to review' make -C "$copy" review
rm "$copy/exercises/progress.txt"
mkdir "$copy/exercises/progress.txt"
expect 'review of what is no file' 2 'Is a directory' make -C "$copy" review
rmdir "$copy/exercises/progress.txt"
mv "$work/setup.sh" "$copy/common/scripts/setup.sh"

# A solution is shown without the marks of its exercise (and judged, for which nothing is built
# here).
for name in $(cd "$copy/solutions" && ls -- *.cu); do
  shown=$(lesson "LESSON=${name%.cu}" solution 2>/dev/null)
  printf '%s\n' "$shown" | grep -q '^extern "C" __global__' ||
    fail "make solution does not show $name"
  printf '%s\n' "$shown" | grep -E '// (BLANK|STUB|END|SOLUTION ONLY)' &&
    fail "marks in $name as shown"
done

# reset keeps what the student wrote.
fresh="$copy/exercises/01_shared_tree.cu"
(cd "$copy" && common/scripts/make_exercise 01_shared_tree) >/dev/null 2>&1
expect 'reset of an untouched file' 0 'nothing to do' make -C "$copy" reset LESSON=01
cp "$fresh" "$work/pristine.cu"
echo '// mine' >>"$fresh"
expect 'list sees the edit' 0 '^  01_shared_tree .*edited *$' make -C "$copy" list
expect 'reset' 0 'kept as exercises/backup/01_shared_tree' make -C "$copy" reset LESSON=1
cmp -s "$fresh" "$work/pristine.cu" || fail 'reset did not restore'
grep -q '^// mine$' "$copy"/exercises/backup/01_shared_tree.*.cu ||
  fail 'reset lost the edit'
echo '// again' >>"$fresh"
expect 'reset twice within a second' 0 'kept as' make -C "$copy" reset LESSON=1
kept=$(find "$copy/exercises/backup" -name '01_shared_tree*' | wc -l)
[ "$kept" -eq 2 ] || fail "$kept backups, want 2"

# What cannot work is refused before anything is built (a build would take minutes).
front() { WORKBOOK_SETUP=no make -C "$copy" "$@"; }
expect 'a sweep of a lesson there is not' 2 'mean LESSON=05_shuffle' \
  front compare SWEEP=1 LESSONS=06,shufle
expect 'sizes that are none' 2 "SIZES is 'abc'" front compare SWEEP=1 SIZES=abc
expect 'N and a sweep' 2 'N=2.20 is one size' front compare SWEEP=1 N=2^20
expect 'sizes without a sweep' 2 'SWEEP=1' front compare SIZES=10..12
expect 'a lesson without a sweep' 2 'make run LESSON=06' front compare LESSONS=06
expect 'a GPU without a name' 2 'GPU=a100' front measure
expect 'an unknown part' 2 "no part 'moon'" front measure GPU=a100 PARTS=moon
expect 'a GPU with an odd name' 2 'GPU=a100' front measure 'GPU=My GPU'
expect 'nothing to sanitize' 2 '^Which file' front sanitize
expect 'a program there is not' 2 "no file 'moon.cu'" front sanitize PROG=moon.cu
expect 'nothing to survey' 2 '^Which folder' front survey
expect 'a folder there is not' 2 "no folder '/nonexistent'" front survey DIR=/nonexistent
expect 'a class there is not' 2 "no folder or archive '/nonexistent'" \
  front grade SUBMISSIONS=/nonexistent
expect 'an exercise there is not' 2 'mean LESSON=05_shuffle' front grade LESSON=shufle
expect 'a backend there is not' 2 "BACKEND is 'GPU'" front run LESSON=01 BACKEND=GPU

# A build folder made for a GPU, where none answers: running refuses at once, building alone goes
# on.
mkdir "$work/bin" "$copy/made"
printf '#!/bin/sh\nexit 9\n' >"$work/bin/nvidia-smi"
chmod +x "$work/bin/nvidia-smi"
expect 'a calibration without a GPU' 2 'none can be used here' \
  env PATH="$work/bin:$PATH" make -C "$copy" calibrate GPU=a100
printf 'programs judge all:\n\t@touch built-$@\n' >"$copy/made/Makefile"
made_for() { # backend
  rm -f "$copy/made/built"*
  printf '%s\n' "WORKBOOK_BACKEND:STRING=$1" "WORKBOOK_BACKEND_RESOLVED:INTERNAL=$1" \
    "CMAKE_HOME_DIRECTORY:INTERNAL=$copy" 'CMAKE_GENERATOR:INTERNAL=Unix Makefiles' \
    CMAKE_PROJECT_NAME:STATIC=workbook \
    "CMAKE_MAKE_PROGRAM:FILEPATH=$(command -v make)" >"$copy/made/CMakeCache.txt"
  (PATH="$work/bin:$PATH" && "$copy/common/scripts/setup.sh" --state) >"$copy/made/.packages"
}
there() { (PATH="$work/bin:$PATH" && front "$@" BUILD=made); }
for target in run compare try grade check; do
  made_for CUDA
  expect "make $target without a GPU" 2 'No NVIDIA GPU answers' \
    there "$target" LESSON=01 BACKEND=CUDA
  [ -n "$(find "$copy/made" -name 'built-*')" ] &&
    fail "make $target built for a GPU that is not there"
done
made_for CUDA
expect 'make programs without a GPU' 0 'Building' there programs BACKEND=CUDA
[ -e "$copy/made/built-programs" ] || fail 'make programs did not build'
made_for SIMT
there run LESSON=01 BACKEND=SIMT >/dev/null 2>&1 # fails: the program itself was not built
[ -e "$copy/made/built-programs" ] || fail 'the software GPU waits for a GPU'

# A verdict is the last thing said, with status 1; anything else that goes wrong keeps make's own
# line and status 2.
here() { # as a person does, in the folder
  (cd "$copy" && PATH="$work/bin:$PATH" WORKBOOK_SETUP=no \
    make "$@" LESSON=01 PROG=x.cu BACKEND=SIMT BUILD=made)
}
stand_in() { # path, body
  mkdir -p "$(dirname "$copy/made/$1")"
  printf '#!/bin/sh\n%s\n' "$2" >"$copy/made/$1"
  chmod +x "$copy/made/$1"
}
printf 'programs judge simt workbook all:\n\t@touch built-$@\n' >"$copy/made/Makefile"
echo '// nothing' >"$copy/x.cu"
for status in 0 1 3; do
  stand_in common/grade/grade "echo 'the verdict'; exit $status"
  stand_in lessons/01_shared_tree "echo 'the verdict'; exit $status"
  cat >"$copy/made/program" <<PROGRAM
#!/bin/sh
echo '  "launched": 1,' >"\$SIMT_REPORT"
echo 'the verdict'
exit $status
PROGRAM
  chmod +x "$copy/made/program"
  stand_in common/simt/simtcc 'while [ "$1" != -o ]; do shift; done; cp made/program "$2"'
  for target in try solution grade run sanitize; do
    output=$(here "$target" 2>&1)
    got=$?
    last=$(printf '%s\n' "$output" | tail -n 1)
    case $status:$target:$got:$last in
      0:sanitize:0:'Nothing found'* | 0:[!s]*:0:'the verdict' | 0:solution:0:'the verdict') ;;
      1:*:1:'the verdict' | 3:sanitize:1:'the verdict') ;;
      3:*:2:'make: *** '*'Error 3') ;;
      *) fail "make $target with status $status: status $got: $output" ;;
    esac
  done
done
stand_in common/grade/grade 'echo "the verdict"; exit 1'
expect 'a verdict asked for with -j' 1 '^the verdict$' here -j2 try
printf '%s\n' "$output" | grep -q '[*][*][*]' && fail "make -j2 try: $output"
expect 'a verdict beside another target' 2 '^make: .*Error 1' here list try
expect 'no such lesson to judge' 2 '^make: .*Error 2' there try LESSON=foo BACKEND=SIMT
expect 'what make would do' 0 'lesson.sh try' here -n try
printf '%s\n' "$output" | grep -q '^the verdict$' && fail 'make -n try judges'

# make clean removes build folders of this checkout and nothing else.
folder_of() { # name, project, checkout
  mkdir -p "$copy/$1/lessons"
  printf '%s\n' "CMAKE_PROJECT_NAME:STATIC=$2" "CMAKE_HOME_DIRECTORY:INTERNAL=$3" \
    >"$copy/$1/CMakeCache.txt"
}
kept() { # what, pattern, folder as given, file that must stay
  expect "make clean: $1" 2 "$2" make -C "$copy" clean BUILD="$3"
  [ -e "$4" ] || fail "make clean: $1: it is gone"
}
for name in build other build-asan; do folder_of "$name" cuda_reduction_workbook "$copy"; done
expect 'make clean BUILD=other' 0 '^Removed other\.' make -C "$copy" clean BUILD=other
[ -e "$copy/other" ] && fail 'make clean BUILD=other leaves it'
[ -e "$copy/build" ] || fail 'make clean BUILD=other removes build'
expect 'make clean' 0 '^Removed build, build-asan\.' make -C "$copy" clean
[ -e "$copy/build" ] || [ -e "$copy/build-asan" ] && fail 'make clean leaves what was built'
expect 'make clean again' 0 'nothing there was|nothing built' make -C "$copy" clean
mkdir "$work/mine" "$copy/empty"
echo keep >"$work/mine/thesis.txt"
kept 'a folder of mine' 'CMake did not make it' "$work/mine" "$work/mine/thesis.txt"
kept 'an empty folder' 'CMake did not make it' empty "$copy/empty"
folder_of theirs another_project "$copy"
kept 'of another project' 'the project another_project' theirs "$copy/theirs"
folder_of elsewhere cuda_reduction_workbook "$root"
kept 'of another checkout' "the checkout in $root" elsewhere "$copy/elsewhere"
folder_of . cuda_reduction_workbook "$copy"
kept 'the checkout itself' 'the checkout is in it' . "$copy/Makefile"
kept 'the folder above' 'the checkout is in it' .. "$copy/Makefile"
folder_of common/scripts cuda_reduction_workbook "$copy"
touch "$copy/common/scripts/CMakeLists.txt"
kept 'a folder of sources' 'source files' common/scripts "$copy/common/scripts/setup.sh"
rm -r "$copy/CMakeCache.txt"
folder_of moved cuda_reduction_workbook "$work/not there any more"
expect 'make clean: the checkout was moved' 0 '^Removed moved' make -C "$copy" clean BUILD=moved
mkdir -p "$copy/build/setup" # set-up was all that ran
expect 'make clean after set-up' 0 '^Removed build\.' make -C "$copy" clean

[ "$failures" -eq 0 ] && echo 'front door: all as it should be'
[ "$failures" -eq 0 ]
