#!/bin/sh
# SPDX-License-Identifier: MIT
# progress.sh - functions of lesson.sh about what the student has done: list, next, status, and
# which lesson is meant where none was named. Sourced, with lessons, title_of and state_of defined.
#
# Only reads the file of progress (common/tutor/progress.h has its form); build/workbook writes it.

bold=${bold-} dim=${dim-} plain=${plain-} warm_up=${warm_up-warm_up} # as in lesson.sh
progress=${WORKBOOK_PROGRESS:-exercises/progress.txt}

# Prints "points of max open|passed date" of an exercise, or nothing.
progress_of() { # NN_name [file]
  awk -v name="$1" '$1 == "lesson" && $2 == name { line = $3 " " $4 " " $5 " " $6 " " $7 }
    END { if (line) print line }' "${2:-$progress}" 2>/dev/null
}

is_passed() { # NN_name
  case $(progress_of "$1") in *' passed '*) return 0 ;; esac
  return 1
}

# The first exercise that has not been passed; nothing when all have. The warm-up is one of them
# until the first lesson is passed; with "lessons" it never is.
first_unsolved() { # all|lessons
  [ "$1" = lessons ] || is_passed "$warm_up" || is_passed 00_naive_atomic ||
    { echo "$warm_up"; return; }
  for name in $(lessons); do
    is_passed "$name" || { echo "$name"; return; }
  done
}

# ✓ where the terminal shows it.
passed_mark() {
  case ${LC_ALL:-${LC_CTYPE:-${LANG:-}}} in
    *[Uu][Tt][Ff]8* | *[Uu][Tt][Ff]-8*) printf '\342\234\223' ;;
    *) printf '*' ;;
  esac
}

list() {
  next=$(first_unsolved all)
  mark=$(passed_mark)
  printf '%s  %-22s %-33s %-10s %9s%s\n' "$bold" Lesson 'What it is about' Exercise Points "$plain"
  for name in "$warm_up" $(lessons); do
    before=' ' after='' points='' state=$(state_of "$name")
    # shellcheck disable=SC2046
    set -- $(progress_of "$name")
    [ $# -eq 5 ] && points="$1/$3"
    [ "${4:-}" = passed ] && before=$mark state=passed
    [ "$name" = "$next" ] && before='>' after=$bold
    printf '%s%s %-22s %-33s %-10s %9s%s\n' "$after" "$before" "$name" \
      "$(title_of "$name" | cut -c 1-33)" "$state" "$points" "${after:+$plain}"
  done
  if [ -n "$next" ]; then
    echo "${dim}$mark passed   > next: make next says what to do$plain"
  else
    echo "All exercises are passed."
  fi
}

next() {
  name=$(first_unsolved all)
  if [ -z "$name" ]; then
    echo "All exercises are passed. Whose times are left to beat? make compare"
    return
  fi
  echo "${bold}Next: $name${plain}  $(title_of "$name")"
  case $(state_of "$name") in
    edited) echo "You have begun: exercises/$name.cu" ;;
    missing) echo "There is no exercises/$name.cu: make reset LESSON=$name brings it back." ;;
  esac
  echo
  if [ "$name" = "$warm_up" ]; then
    echo "Three kernels of five minutes each: fill an array, number its elements, guard its end."
    echo
    echo "  1. edit    exercises/$warm_up.cu"
    echo "  2. judge   make try, or make watch to judge it whenever you save"
    echo
    echo "You have written kernels before? make try LESSON=$(lessons | head -n 1)"
    return
  fi
  echo "  1. read    lessons/$name/chapter.md (or make book)"
  echo "  2. run     make run LESSON=$name"
  echo "  3. edit    exercises/$name.cu"
  echo "  4. judge   make try, or make watch to judge it whenever you save"
  echo
  echo "Where you are stuck: make hint. All lessons: make list"
}

# One row per person for whom there is a file: passed, points, the day of the last change.
status_row() { # who file
  awk -v who="$1" '
    $1 == "lesson" && $2 != "warm_up" { points[$2] = $3; state[$2] = $6; if ($7 > last) last = $7 }
    END { for (name in points) { sum += points[name]; n += state[name] == "passed" }
          printf "%-24.24s %6d %7d  %s\n", who, n, sum, last ? last : "-" }' "$2"
}

status() {
  total=$(lessons | wc -l)
  printf '%s%-24s %6s %7s  %s%s\n' "$bold" Who Passed Points 'Last change' "$plain"
  if [ -z "${SUBMISSIONS:-}" ]; then
    if [ -e "$progress" ]; then
      status_row 'you' "$progress"
    else
      printf '%-24s %6d %7d  %s\n' you 0 0 -
    fi
    echo "of $total exercises; make list shows each"
    return
  fi
  [ -d "$SUBMISSIONS" ] || { say "There is no folder '$SUBMISSIONS'."; exit 2; }
  found=0
  for folder in "$SUBMISSIONS"/*/; do
    for file in "${folder}progress.txt" "${folder}exercises/progress.txt"; do
      [ -f "$file" ] && [ ! -L "$file" ] || continue
      found=$((found + 1))
      status_row "$(basename "$folder" | tr -c '[:alnum:]._\n-' '?')" "$file"
      break
    done
  done
  [ "$found" -gt 0 ] || { say "No progress.txt in the folders of '$SUBMISSIONS'."; exit 1; }
  echo "of $total exercises, as the students' own files say: make grade SUBMISSIONS=... judges"
}
