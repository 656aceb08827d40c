#!/bin/sh
# SPDX-License-Identifier: MIT
# lesson.sh COMMAND - what the Makefile's targets do with one lesson (or all of them).
#
#   menu, help, list                  what is used most; every target; all lessons
#   next, status                      what to do next; who has done what ($SUBMISSIONS: a course)
#   resolve                           the full name of $LESSON ("5", "shuffle" -> 05_shuffle);
#                                     none: the first that is not passed, where TARGET ($2) allows
#   run, compare                      programs: $N $VARIANT $ARGS $DEVICE $CHECK $SCHEDULE
#   try, solution, watch, hint, reset one exercise: $LESSON $HINT $CHECK $SCHEDULE $ONLY $VERBOSE
#   predict, review, challenge        questions on counters; a harder task: practice.py
#   due                               is there anything to review?
#   puzzle, trace                     the solution's lines to be ordered; a page: $N $BLOCK
#   show_solution, after, explain_own what watch shows in addition
#   sanitize                          any CUDA file: $PROG $ARGS $CHECK $SCHEDULE
#   survey                            every CUDA program of a folder: $DIR $ARGS $JOBS $FRESH
#   before_diff, two_variants         $A $B (LESSON:VARIANT each) $N $DEVICE $VERBOSE
#   explain                           $LESSON $VARIANT (or exercise, solution) $N $DEVICE $VERBOSE
#   profile                           $LESSON $VARIANT $N $BLOCK under ncu, beside our counters
#   measure                           all that is stored of a GPU: $GPU $PARTS $SIZES $FRESH
#   grade, figures                    (compare with $SWEEP: $SIZES $LESSONS $FRESH)
#   before_compare, before_grade, ... refuse what cannot work, before anything is built
#
# Reads its arguments from the environment. Exit: 0 good, 1 not, 2 wrong use (or no GPU for a GPU's
# programs); of a judge that breaks down, the grader's own. make passes 1 on without a message.
set -u
unset CDPATH MAKEFLAGS MFLAGS MAKELEVEL MAKEOVERRIDES # the front door's own, not of what runs below
cd "$(dirname -- "$0")/../.." || exit 1
build=${BUILD:-build}
try_schedule=sweep:4 # shows what depends on the order of threads, and is quick; make grade too
say() { printf '%s\n' "$*" >&2; }

if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then
  bold=$(printf '\033[1m') dim=$(printf '\033[2m')
  green=$(printf '\033[32m') plain=$(printf '\033[0m')
else
  bold='' dim='' green='' plain=''
fi

lessons() { # every NN_name there is, from the one list of them
  sed -n '/^set(WORKBOOK_LESSONS/,/)/p' CMakeLists.txt | grep -o '[0-9][0-9]_[a-z_]*'
}

# The three kernels before the first lesson: an exercise without a program or a chapter.
warm_up=warm_up

# Of the names on standard input those that were probably meant: nearest by edit distance to the
# whole name, to what follows its prefix, or to a word of that, with at most a third of the letters
# wrong. Nothing where none is near.
nearest_name() { # typed, characters of the names' prefix
  awk -v typed="$1" -v prefix="$2" '
    function min(a, b) { return a < b ? a : b }
    function distance(a, b,   i, j, before, here, row) {
      for (j = 0; j <= length(b); j++) row[j] = j
      for (i = 1; i <= length(a); i++) {
        before = row[0]; row[0] = i
        for (j = 1; j <= length(b); j++) {
          here = row[j]
          row[j] = min(min(row[j] + 1, row[j - 1] + 1),
                       before + (substr(a, i, 1) != substr(b, j, 1)))
          before = here
        }
      }
      return row[length(b)]
    }
    BEGIN { typed = tolower(typed); best = int(length(typed) / 3) }
    { short = substr($0, prefix + 1)
      n = split(short, words, "_")
      d = min(distance(typed, $0), distance(typed, short))
      for (i = 1; i <= n; i++) d = min(d, distance(typed, words[i]))
      if (length(typed) >= 3 && index($0, typed)) d = 0
      if (d < best) { best = d; names = "" }
      if (d == best && typed !~ /^[0-9]*$/) names = names " " $0 }
    END { print substr(names, 2) }'
}

nearest() { # typed
  lessons | nearest_name "$1" 3
}

# What make does when it has no such target.
no_target() {
  targets=$(sed -n '/^\.PHONY:/,/[^\\]$/p' Makefile | sed 's/^\.PHONY://; s/\\$//')
  # shellcheck disable=SC2086
  near=$(printf '%s\n' $targets | nearest_name "${TARGET:-}" 0 | sed 's/ / or make /g')
  near=${near:+ Did you mean make $near?}
  say "make knows no target '${TARGET:-}'.$near \`make help\` lists all."
  exit 2
}

# Which lesson where none was named: the first that is not passed. What changes or gives away
# something needs a name.
meant() {
  case $meant_for in
    reset | solution) next= ;;
    run | explain | profile | predict | trace | challenge) next=$(first_unsolved lessons) ;;
    *) next=$(first_unsolved all) ;;
  esac
  if [ -z "$next" ]; then
    say "Which lesson? For example: LESSON=$(lessons | head -n 1). There are:"
    { echo "$warm_up"; lessons; } | sed 's/^/  /' >&2
    return 2
  fi
  [ "$command" = resolve ] || say "LESSON=$next, the first that is not passed (make list)"
  echo "$next"
}

resolve() {
  typed=${LESSON:-}
  [ -n "$typed" ] || typed=$(meant) || exit 2
  wanted=$(printf '%s' "$typed" | tr 'A-Z-' 'a-z_' | sed 's,^.*/,,; s/\.cu$//')
  case $wanted in
    [0-9]) wanted=0$wanted ;;
    [0-9]_*) wanted=0$wanted ;;
  esac
  for name in $(lessons); do
    case $wanted in
      "$name" | "${name%%_*}" | "${name#*_}") printf '%s\n' "$name"; return ;;
    esac
  done
  if [ "$wanted" = "$warm_up" ]; then
    case $meant_for in
      run | profile | predict | trace | challenge)
        say "The warm-up has no program and no questions: make try LESSON=$warm_up"
        exit 2
        ;;
    esac
    echo "$warm_up"
    return
  fi
  near=$(nearest "$wanted")
  if [ -n "$near" ]; then
    near=$(echo "$near" | sed 's/ / or LESSON=/g')
    say "There is no lesson '$typed'. Did you mean LESSON=$near?"
    say "All of them: make list"
  else
    say "There is no lesson '$typed'. There are:"
    lessons | sed 's/^/  /' >&2
  fi
  exit 2
}

title_of() { # NN_name: the first heading of its chapter, without Doxygen's label
  [ "$1" = "$warm_up" ] && { echo 'Three kernels before the first'; return; }
  sed -n 's/^# *\(.*[^ ]\) *$/\1/p' "lessons/$1/chapter.md" 2>/dev/null | head -n 1 |
    sed 's/ *{#[^}]*}//; s/^Lesson *[0-9][0-9]*[:.]* *//; s/^[0-9][0-9]*[:.]* *//; s/^· *//'
}

state_of() { # NN_name: has the student's file been changed?
  if [ ! -e "exercises/$1.cu" ]; then echo missing
  elif common/scripts/make_exercise --stdout "$1" 2>/dev/null | cmp -s - "exercises/$1.cu"; then
    echo untouched
  else echo edited
  fi
}

. common/scripts/progress.sh
. common/scripts/menu.sh

find_python() { # one that has matplotlib, else any
  for python in python3 /usr/bin/python3; do
    "$python" -c 'import importlib.util as u, sys; sys.exit(u.find_spec("matplotlib") is None)' \
      2>/dev/null && { echo "$python"; return; }
  done
  echo python3
}

# RANKS=4: as many processes, with MPI, of a lesson that has a program for that.
before_run() {
  name=$(resolve) || exit $?
  [ -z "${RANKS:-}" ] && return
  case $RANKS in
  *[!0-9]* | 0*) say "RANKS is '$RANKS': a number of processes, as RANKS=4"; exit 2 ;;
  esac
  if [ ! -f "lessons/$name/ranks.cu" ]; then
    say "$name runs in one process; for several there is: make run LESSON=13 RANKS=$RANKS"
    exit 2
  fi
  [ -z "${VARIANT:-}" ] && return
  say "With RANKS there is one program and no VARIANT: make run LESSON=13 RANKS=$RANKS"
  exit 2
}

run_ranks() { # name
  [ -n "${CHECK:-}" ] && export SIMT_CHECK="$CHECK"
  [ -n "${SCHEDULE:-}" ] && export SIMT_SCHEDULE="$SCHEDULE"
  if [ ! -x "$build/ranks/$1" ]; then
    say "build/ranks/$1 was not built: Open MPI was missing, or is not what mpicc belongs to."
    say "Debian, Ubuntu: apt install openmpi-bin libopenmpi-dev; then make clean and this again"
    exit 2
  fi
  set -- "$build/ranks/$1"
  [ -n "${N:-}" ] && set -- "$@" --n "$N"
  [ -n "${DEVICE:-}" ] && export SIMT_DEVICE="$DEVICE"
  # shellcheck disable=SC2086
  exec common/scripts/ranks.sh "$RANKS" "$@" ${ARGS:-}
}

run() {
  before_run
  need_device
  [ -z "${RANKS:-}" ] || run_ranks "$name"
  set --
  [ -n "${N:-}" ] && set -- "$@" --n "$N"
  [ -n "${VARIANT:-}" ] && set -- "$@" --variant "$VARIANT"
  [ -n "${CHECK:-}" ] && set -- "$@" "--check=$CHECK"
  [ -n "${SCHEDULE:-}" ] && set -- "$@" --schedule "$SCHEDULE"
  [ -n "${DEVICE:-}" ] && export SIMT_DEVICE="$DEVICE"
  # shellcheck disable=SC2086
  exec "$build/lessons/$name" "$@" ${ARGS:-}
}

# Programs for a GPU need one: in words, before anything is tried.
need_device() { common/scripts/gpu_state.sh --require "$build" || exit 2; }

# Checks the arguments of a sweep before anything is built.
check_sweep_words() {
  for typed in $(printf '%s' "${LESSONS:-}" | tr ',' ' '); do
    (LESSON=$typed && resolve >/dev/null) || exit 2
  done
  printf '%s\n' "${SIZES:-10..30}" | grep -qE '^[0-9]{1,2}(\.\.[0-9]{1,2})?$' && return
  say "SIZES is '$SIZES': it takes exponents of 2, as 10..30 or 24"
  exit 2
}

before_compare() {
  if [ -n "${LESSON:-}" ]; then
    resolve >/dev/null || exit 2
    [ -n "${SWEEP:-}" ] && say "A sweep takes LESSONS: make compare SWEEP=1 LESSONS=06,08" && exit 2
  fi
  if [ -n "${SWEEP:-}" ]; then
    check_sweep_words
    [ -z "${N:-}" ] && return
    say "N=$N is one size; a sweep takes SIZES, as exponents of 2: SIZES=10..24"
    exit 2
  fi
  [ -z "${SIZES:-}${LESSONS:-}${FRESH:-}" ] && return
  say "SIZES, LESSONS and FRESH are for a sweep: make compare SWEEP=1 ..."
  say "One lesson at one size: make run LESSON=06"
  exit 2
}

before_measure() {
  case ${GPU:-} in
  '' | *[!a-z0-9_]*)
    say "Which GPU is this? A short name for the stored files: make measure GPU=a100"
    exit 2
    ;;
  esac
  command -v python3 >/dev/null || return 0 # set-up brings it, and `measure` asks again
  "$(find_python)" -B common/scripts/measure.py --list --parts "${PARTS:-}" >/dev/null || exit 2
}

sweep() { # folder for what comes out
  set -- --build "$build" --out "$1"
  [ -n "${SIZES:-}" ] && set -- "$@" --sizes "$SIZES"
  [ -n "${LESSONS:-}" ] && set -- "$@" --lessons "$LESSONS"
  [ -n "${FRESH:-}" ] && set -- "$@" --fresh
  "$(find_python)" common/scripts/sweep.py "$@"
}

# Everything that is stored of a GPU, into figures/data under the name $GPU; $PARTS chooses.
measure() {
  before_measure
  if ! runs_on_gpu; then
    say "These programs are built for the software GPU, whose times are modelled; stored are only"
    say "measured ones: make measure BACKEND=CUDA BUILD=build-cuda GPU=$GPU"
    exit 2
  fi
  need_device
  set -- --build "$build" --gpu "$GPU"
  [ -n "${PARTS:-}" ] && set -- "$@" --parts "$PARTS"
  [ -n "${SIZES:-}" ] && set -- "$@" --sizes "$SIZES"
  [ -n "${FRESH:-}" ] && set -- "$@" --fresh
  exec "$(find_python)" common/scripts/measure.py "$@"
}

explain() {
  name=$(resolve) || exit $?
  [ "$name" = "$warm_up" ] && VARIANT=${VARIANT:-exercise}
  set -- --build "$build" --lesson "$name" --variant "${VARIANT:-}"
  [ -n "${N:-}" ] && set -- "$@" --n "$N"
  [ -n "${DEVICE:-}" ] && set -- "$@" --device "$DEVICE"
  [ -n "${VERBOSE:-}" ] && set -- "$@" --verbose
  exec "$(find_python)" common/scripts/explain.py "$@"
}

# The full name of what A or B says: of 05:last_warp it is 05_shuffle:last_warp.
side_of() {
  if [ -z "$1" ]; then
    say "Which two variants? make diff A=05:last_warp B=05:warp_first (or 05:exercise, 05:solution)"
    exit 2
  fi
  side_name=$(LESSON=${1%%:*} && resolve) || exit 2
  case $1 in
  *:*) printf '%s:%s\n' "$side_name" "${1#*:}" ;;
  *) printf '%s\n' "$side_name" ;;
  esac
}

before_diff() {
  side_of "${A:-}" >/dev/null || exit 2
  side_of "${B:-}" >/dev/null || exit 2
}

two_variants() {
  left=$(side_of "${A:-}") || exit 2
  right=$(side_of "${B:-}") || exit 2
  set -- --build "$build" --a "$left" --b "$right"
  [ -n "${N:-}" ] && set -- "$@" --n "$N"
  [ -n "${DEVICE:-}" ] && set -- "$@" --device "$DEVICE"
  [ -n "${VERBOSE:-}" ] && set -- "$@" --verbose
  exec "$(find_python)" common/scripts/diff.py "$@"
}

profile() {
  name=$(resolve) || exit $?
  need_device
  set -- --build "$build" --lesson "$name" --variant "${VARIANT:-}"
  [ -n "${N:-}" ] && set -- "$@" --n "$N"
  [ -n "${BLOCK:-}" ] && set -- "$@" --block "$BLOCK"
  exec "$(find_python)" common/scripts/profile.py "$@"
}

compare() {
  need_device
  if [ -n "${SWEEP:-}" ]; then
    sweep "$build/compare"
    exit $?
  fi
  set --
  [ -n "${N:-}" ] && set -- "$@" --n "$N"
  [ -n "${DEVICE:-}" ] && set -- "$@" --device "$DEVICE"
  [ -n "${ALL:-}" ] && set -- "$@" --all
  [ -n "${EXACT:-}" ] && set -- "$@" --exact
  [ -n "${LESSON:-}" ] && set -- "$@" --lesson "$(resolve)"
  [ -n "${VARIANT:-}" ] && set -- "$@" --variant "$VARIANT"
  exec "$(find_python)" common/scripts/compare.py --build "$build" "$@"
}

need_grader() {
  if [ ! -x "$build/common/grade/grade" ]; then
    say "There is no grader in $build: make try and make grade build it."
    exit 2
  fi
}

# Adds to the file of progress what the grader found; a verdict does not depend on it.
record() { # file of results
  [ -e "$1" ] && [ -x "$build/workbook" ] && "$build/workbook" record "$1"
}

# VARIANT_SEED=7: exercises that differ from the published ones; their solutions and rubrics are in
# the folder $variants.
make_variants() {
  variants=$build/variants/$VARIANT_SEED
  if runs_on_gpu; then
    say "VARIANT_SEED is for the software GPU: a GPU judges the exercises as they are published."
    exit 2
  fi
  python3 -B common/scripts/make_variants.py "$VARIANT_SEED" "$variants" || exit 2
}

# Judges one file with the trusted suite; the verdict is the suite's alone. On the software
# GPU the checkers watch, and every launch is run again under hostile schedules: CHECK=none and
# SCHEDULE=lockstep turn that off. (A GPU has neither and knows nothing of them.)
judge() { # NN_name file option...
  need_device
  need_grader
  name=$1 source=$2
  shift 2
  [ -n "${ONLY:-}" ] && set -- "$@" --one "$ONLY"
  if [ -n "${VARIANT_SEED:-}" ]; then
    make_variants >/dev/null
    set -- "$@" --rubrics "$variants/solutions"
  fi
  "$build/common/grade/grade" --try "$name" --source "$source" --build "$build" \
    --check "${CHECK:-all}" --schedule "${SCHEDULE:-$try_schedule}" "$@"
}

# ---- sanitize: any CUDA file under the checkers.

runs_on_gpu() { # was the build folder made for a GPU?
  grep -q '^WORKBOOK_BACKEND_RESOLVED:[A-Z]*=CUDA$' "$build/CMakeCache.txt" 2>/dev/null
}

find_tool() { # NAME: on the path, or in the toolkit's usual place
  command -v "$1" 2>/dev/null || ls "${CUDA_HOME:-/usr/local/cuda}/bin/$1" 2>/dev/null
}

sanitize_on_gpu() { # source program
  nvcc=$(find_tool nvcc) && sanitizer=$(find_tool compute-sanitizer) || {
    say "On a GPU this needs nvcc and compute-sanitizer, both of the CUDA toolkit. The software GPU"
    say "has checkers of its own: make sanitize BACKEND=SIMT BUILD=build-simt PROG=$1"
    exit 1
  }
  "$nvcc" -O2 -lineinfo -I common/workbook -o "$2" "$1" \
    "$build/common/workbook/libworkbook.a" || exit 1
  status=0
  for tool in memcheck racecheck initcheck synccheck; do
    case ${CHECK:-all} in all | *$tool*) ;; *) continue ;; esac
    echo "compute-sanitizer --tool $tool"
    # shellcheck disable=SC2086
    "$sanitizer" --tool "$tool" --error-exitcode 86 "$2" ${ARGS:-} || status=1
  done
  exit "$status"
}

before_sanitize() {
  [ -f "${PROG:-}" ] && return
  say "Which file? For example: make sanitize PROG=path/to/program.cu [ARGS=...]"
  [ -z "${PROG:-}" ] || say "There is no file '$PROG'."
  exit 2
}

sanitize() {
  before_sanitize
  prog=$PROG
  case $prog in -*) prog=./$prog ;; esac # a file, not an option
  program=$build/sanitize/$(basename -- "${prog%.*}")
  mkdir -p "$build/sanitize" || exit 1
  runs_on_gpu && sanitize_on_gpu "$prog" "$program"
  "$build/common/simt/simtcc" -g -I common/workbook -D WORKBOOK_SIMT -o "$program" "$prog" \
    "$build/common/workbook/libworkbook.a" -lm || exit 1
  check=${CHECK:-all} schedule=${SCHEDULE:-sweep}
  report=${SIMT_REPORT:-$program.json}
  rm -f "$report"
  # shellcheck disable=SC2086
  SIMT_CHECK=$check SIMT_SCHEDULE=$schedule SIMT_REPORT=$report "$program" ${ARGS:-} || exit 1
  if [ ! -e "$report" ] || grep -q '^  "launched": 0,$' "$report"; then
    say "No kernel was launched, so nothing was checked. Does $prog need ARGS=...?"
    exit 2
  fi
  echo "Nothing found (checkers: $check; schedule: $schedule)."
}

# ---- survey: does my code run?

before_survey() {
  [ -d "${DIR:-}" ] && return
  say "Which folder? For example: make survey DIR=path/to/cuda/programs [ARGS=... FRESH=1]"
  say "All options: common/survey/simt-survey --help"
  [ -z "${DIR:-}" ] || say "There is no folder '$DIR'."
  exit 2
}

survey() {
  before_survey
  name=$(basename -- "$(CDPATH='' cd -- "$DIR" && pwd)")
  # shellcheck disable=SC2086
  exec python3 -B common/survey/simt-survey "$DIR" --out "$build/survey/$name" \
    ${JOBS:+--jobs "$JOBS"} ${FRESH:+--fresh} ${ALLOW_UNSAFE:+--allow-unsafe} ${ARGS:-}
}

try() {
  name=$(resolve) || exit $?
  echo "Judging ${bold}exercises/$name.cu${plain} (your file; VERBOSE=1 says more)"
  results=$build/try/$name.json
  mkdir -p "$build/try" && rm -f "$results"
  judge "$name" "exercises/$name.cu" --results "$results" \
    ${WORKBOOK_STAGES:+--stages "$WORKBOOK_STAGES"}
  status=$?
  [ -z "${ONLY:-}" ] || exit "$status" # one check is not the exercise
  record "$results"
  # watch asks for it itself
  if [ "$status" -eq 0 ] && [ -z "${WORKBOOK_STAGES:-}" ] && [ -e "$results" ]; then
    LESSON=$name # without it, the first that is not passed is another one now
    echo
    after
  fi
  exit "$status"
}

# Without the marks from which make_exercise makes the exercise; the tasks stay, as comments.
show_solution() {
  name=$(resolve) || exit $?
  sed -e '/^ *\/\/ STUB:/d' -e '/^ *\/\/ \(END BLANK\|SOLUTION ONLY\|END SOLUTION ONLY\)$/d' \
    -e 's,^\( *// \)BLANK: ,\1,' "solutions/$name.cu"
}

solution() {
  name=$(resolve) || exit $?
  echo "${bold}solutions/$name.cu${plain} is a SOLUTION, not your work. It reads:"
  echo
  show_solution
  echo
  echo "Judging ${bold}solutions/$name.cu${plain} (the solution; your file is untouched)"
  judge "$name" "solutions/$name.cu"
}

# The program itself asks lesson.sh for everything but the watching.
watch() {
  name=$(resolve) || exit $?
  need_device
  [ -x "$build/workbook" ] || { say "There is no $build/workbook: make watch builds it."; exit 2; }
  export BUILD="$build"
  unset HINT LESSON
  exec "$build/workbook" watch "$name"
}

# What is shown after a pass. (Watch asks for it, and make try says it by itself.)
after() {
  name=$(resolve) || exit $?
  [ "$name" = "$warm_up" ] || BUILD=$build python3 -B common/scripts/practice.py after "$name" 2>&1
  following=$(first_unsolved all)
  echo
  if [ -n "$following" ]; then
    echo "Next: $following, $(title_of "$following"). make next says how to begin."
  else
    echo "That was the last one: all exercises are passed."
  fi
}

trace() {
  name=$(resolve) || exit $?
  set -- "$name"
  [ -n "${N:-}" ] && set -- "$@" --n "$N"
  [ -n "${BLOCK:-}" ] && set -- "$@" --block "$BLOCK"
  BUILD=$build exec python3 -B common/scripts/trace.py "$@"
}

puzzle() {
  name=$(resolve) || exit $?
  set -- "$name"
  [ -n "${FRESH:-}" ] && set -- "$@" --fresh
  python3 -B common/scripts/puzzle.py "$@"
  status=$?
  [ "$status" -eq 3 ] && exit 0 # written; nothing to judge yet
  [ "$status" -eq 0 ] || exit "$status"
  echo "Judging ${bold}exercises/puzzle/$name.cu${plain} (the puzzle)"
  judge "$name" "exercises/puzzle/$name.cu"
  status=$?
  [ "$status" -ne 0 ] || "$build/workbook" note puzzle "$name" "solved $(date +%Y-%m-%d)"
  exit "$status"
}

practice() { # after|predict|challenge, or review
  if [ "$1" = review ]; then BUILD=$build exec python3 -B common/scripts/practice.py review; fi
  name=$(resolve) || exit $?
  BUILD=$build exec python3 -B common/scripts/practice.py "$1" "$name"
}

# 0: there may be something to review; 3: there is not. Asked before set-up, so Python may not be
# there yet.
due() {
  if [ ! -e "$progress" ]; then
    echo "Nothing to review: pass a lesson first, or come back tomorrow."
    exit 3
  fi
  command -v python3 >/dev/null || return 0 # set-up brings it, and `review` asks again
  BUILD=$build exec python3 -B common/scripts/practice.py due
}

# Paragraphs at 79 columns, without marks of emphasis; code and lists stay as they are.
wrap_paragraphs() {
  sed -E '/^[ \t]/!s/(^|[ (])\*([A-Za-z][A-Za-z ]*[a-z])\*([ .,;:)?"]|$)/\1\2\3/g' | awk '
    function flush() { if (line != "") print line; line = "" }
    /^$/ || /^[ \t]/ || /^([-*] |[0-9]+[.] |[|])/ { flush(); print; next }
    { n = split($0, word, " ")
      for (i = 1; i <= n; i++) {
        if (line != "" && length(line) + 1 + length(word[i]) > 79) flush()
        line = line == "" ? word[i] : line " " word[i]
      } }
    END { flush() }'
}

hint() {
  name=$(resolve) || exit $?
  number=${HINT:-1}
  file=lessons/$name/hints.md
  [ "$name" = "$warm_up" ] && file=lessons/00_naive_atomic/warm_up_hints.md
  [ -e "$file" ] || { say "Lesson $name has no hints yet."; exit 1; }
  total=$(grep -c '^## ' "$file")
  case $number in
    [1-9]) ;;
    *) number=0 ;;
  esac
  if [ "$number" -lt 1 ] || [ "$number" -gt "$total" ]; then
    say "Lesson $name has hints 1 to $total: HINT=1 says least, HINT=$total most."
    exit 2
  fi
  echo "${bold}$name, hint $number of $total${plain}"
  awk -v n="$number" '/^## / { at++; next } at == n' "$file" | sed '/./,$!d; s/`//g; s/\*\*//g' |
    wrap_paragraphs
  [ "$number" -lt "$total" ] || return 0
  if [ -n "${WORKBOOK_STAGES:-}" ]; then echo "More: h again" # watch shows it
  else echo "More: make hint LESSON=$name HINT=$((number + 1))"; fi
}

reset() {
  name=$(resolve) || exit $?
  file=exercises/$name.cu
  [ -e "solutions/$name.cu" ] || { say "Lesson $name has no exercise yet."; exit 1; }
  if [ "$(state_of "$name")" = untouched ]; then
    echo "$file is as it was given out; nothing to do."
    return
  fi
  if [ ! -w exercises ] || { [ -e "$file" ] && [ ! -w "$file" ]; }; then
    say "$file cannot be written (chmod u+w exercises $file): nothing was changed."
    exit 1
  fi
  fresh=$(mktemp) || exit 1
  trap 'rm -f "$fresh"' EXIT
  common/scripts/make_exercise --stdout "$name" >"$fresh" || exit 1
  if [ -e "$file" ]; then
    mkdir -p exercises/backup || exit 1
    copy=exercises/backup/$name.$(date +%Y%m%d-%H%M%S).cu
    while [ -e "$copy" ]; do copy=${copy%.cu}+.cu; done
    cp -p -- "$file" "$copy" || exit 1
    echo "Your file is kept as $copy"
  fi
  cat "$fresh" >"$file" && echo "$file is as it was given out."
}

before_grade() {
  [ -z "${LESSON:-}" ] || resolve >/dev/null || exit 2
  [ -z "${SUBMISSIONS:-}" ] || [ -e "$SUBMISSIONS" ] && return
  say "There is no folder or archive '$SUBMISSIONS'."
  exit 2
}

grade() {
  need_device
  set --
  [ -n "${SUBMISSIONS:-}" ] && set -- "$@" --submissions "$SUBMISSIONS"
  [ -n "${JOBS:-}" ] && set -- "$@" --jobs "$JOBS"
  [ -n "${STUDENT:-}" ] && set -- "$@" --student "$STUDENT"
  [ -n "${ROSTER:-}" ] && set -- "$@" --roster "$ROSTER"
  [ -n "${KEY:-}" ] && set -- "$@" --key "$KEY"
  [ -n "${FORCE:-}" ] && set -- "$@" --force yes
  if [ -n "${SHARD:-}" ]; then # each in a folder of its own; MERGE=dir:dir puts them together
    set -- "$@" --shard "$SHARD" --out "$build/grade-$(printf '%s' "$SHARD" | tr -c '0-9' '-')"
  fi
  [ -n "${MERGE:-}" ] && set -- "$@" --merge "$MERGE"
  [ -n "${SEED:-}" ] && set -- "$@" --seed "$SEED"
  if [ -n "${VARIANT_SEED:-}" ]; then
    make_variants
    set -- "$@" --rubrics "$variants/solutions"
  fi
  if [ -n "${LESSON:-}" ]; then # of a class, the other exercises keep the verdicts they have
    name=$(resolve) || exit $?
    [ -n "${SUBMISSIONS:-}" ] && which=--exercise || which=--names
    set -- "$@" "$which" "$name"
  fi
  # A race that happens to give right results is still wrong. The orders of threads are those
  # of make try: what passes there passes here.
  [ -n "${ALLOW_UNSAFE:-}" ] && set -- "$@" --allow-unsafe yes
  set -- "$@" --check "${CHECK:-all}" --schedule "${SCHEDULE:-$try_schedule}"
  need_grader
  rm -f "$build/grade/results.json"
  "$build/common/grade/grade" --build "$build" "$@"
  status=$?
  [ -n "${SUBMISSIONS:-}" ] || record "$build/grade/results.json"
  # 0 and 3: there are results, of which some may be the grader's errors.
  case $status in 0 | 3) hand_back || { back=$?; [ "$status" -ne 0 ] || status=$back; } ;; esac
  exit "$status"
}

# The class's page, final points by POLICY=file, and FORMAT=: another program's form.
hand_back() {
  if [ -n "${SUBMISSIONS:-}" ]; then
    set -- --out "$build/grade${SHARD:+-$(printf '%s' "$SHARD" | tr -c '0-9' '-')}"
    [ -n "${STUDENT:-}" ] && set -- "$@" --student "$STUDENT"
  elif [ -n "${FORMAT:-}" ]; then
    set -- --own "$build/grade/results.json"
  else
    return 0
  fi
  [ -n "${FORMAT:-}" ] && set -- "$@" --format "$FORMAT"
  [ -n "${POLICY:-}" ] && set -- "$@" --policy "$POLICY"
  python3 -B common/grade/hand_back.py "$@"
}

figures() {
  python=$(find_python)
  for script in figures/plot_*.py; do
    [ -e "$script" ] || { say "There are no figures yet."; exit 1; }
    "$python" "$script" --out "$build/figures" || exit 1
  done
}

command=${1:-menu}
meant_for=${2:-$command} # resolve TARGET
case $command in
  menu | help | list | next | status | resolve | no_target) "$command" ;;
  before_compare | before_run | before_measure | before_diff) "$command" ;;
  before_sanitize | before_survey | before_grade) "$command" ;;
  run | compare | explain | two_variants | profile | measure | grade | figures) "$command" ;;
  try | solution | show_solution | watch | after | hint | reset | sanitize | survey) "$command" ;;
  trace | puzzle | due) "$command" ;;
  predict | challenge | review) practice "$command" ;;
  explain_own) VARIANT=exercise && explain ;;
  *) say "lesson.sh: no command '$1'"; exit 2 ;;
esac
