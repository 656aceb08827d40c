#!/bin/sh
# SPDX-License-Identifier: MIT
# test_make_exercise.sh - the generator of exercises, on solutions made up here, in a folder of its
# own: what it writes, what it refuses, and that --check looks at the committed file.
set -u
source_root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
mkdir -p "$folder/common/scripts" "$folder/solutions"
cp "$source_root/common/scripts/make_exercise" "$folder/common/scripts/"
cd "$folder" || exit 1
# A repository around the folder (or a hook's environment) must not be found instead.
unset GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE
GIT_CEILING_DIRECTORIES=${folder%/*}
export GIT_CEILING_DIRECTORIES

failures=0
fail() { printf 'FAILED: %s\n' "$1"; failures=$((failures + 1)); }
solution() { printf '%s\n' "$@" >solutions/03_a.cu; }
generator() { common/scripts/make_exercise "$@"; }

# expect_text NAME EXPECTED: what the present solution becomes.
expect_text() {
  if ! generator --stdout 03_a >got 2>errors; then
    fail "$1: $(cat errors)"
  elif ! printf '%s\n' "$2" | cmp -s - got; then
    fail "$1: got"
    cat got
  fi
}

# expect_error NAME WORDS: it must fail and say this.
expect_error() {
  if generator --stdout 03_a >/dev/null 2>errors; then fail "$1: was accepted"; fi
  grep -q -- "$2" errors || fail "$1: said '$(cat errors)', not '$2'"
}

solution '// solutions/03_a.cu' 'int f() {' '  // BLANK: do this' '  // BLANK: then that' \
  '  return 42; // secret' '  // STUB: int x;' '  // STUB:' '  // STUB:   return 0;' \
  '  // END BLANK' '}'
expect_text 'two lines of task, three of stub' "$(printf '%s\n' '// exercises/03_a.cu' 'int f() {' \
  '  // TODO 1: do this' '  //   then that' '  int x;' '' '    return 0;' '}')"

solution '// SOLUTION ONLY' '// secret' '// STUB: // public' '// END SOLUTION ONLY' \
  '// BLANK: a' 'x' '// END BLANK' '// BLANK: b' 'y' '// END BLANK'
expect_text 'numbers, solution only' "$(printf '%s\n' '// public' '// TODO 1: a' '// TODO 2: b')"

solution 'int x;'
expect_error 'no blank' 'no BLANK'
solution '// BLANK: a' '// END BLANK'
expect_error 'empty blank' '03_a.cu:2: this BLANK has no solution'
solution '// BLANK: a' 'x'
expect_error 'never ended' '03_a.cu:1: this BLANK is never ended'
solution '// BLANK: a' 'x' '// BLANK: b' 'y' '// END BLANK'
expect_error 'nested' '03_a.cu:3: BLANK inside a BLANK'
solution '// BLANK: a' 'x' '// END SOLUTION ONLY'
expect_error 'wrong end' '03_a.cu:3'
solution '// STUB: x' '// BLANK: a' 'x' '// END BLANK'
expect_error 'stub outside' 'STUB outside'
solution '// BLANK a' 'x' '// END BLANK'
expect_error 'mark without colon' 'cannot read the mark'

solution '// BLANK: a' 'x' '// END BLANK'
generator >/dev/null || fail 'writing'
generator --check >/dev/null || fail 'check before any commit'
if command -v git >/dev/null; then
  git init -q . && git add -A &&
    git -c user.name=test -c user.email=test@localhost commit -qm test || fail 'git'
  echo 'my work' >>exercises/03_a.cu
  generator --check >/dev/null 2>&1 || fail "check fails on a student's edits"
  generator 03_a >/dev/null 2>&1 && fail 'an edited exercise was overwritten'
  grep -q 'my work' exercises/03_a.cu || fail 'the edit is lost'
  generator --force 03_a >/dev/null || fail '--force'
  grep -q 'my work' exercises/03_a.cu && fail '--force kept the edit'
  solution '// BLANK: another task' 'x' '// END BLANK'
  generator --check >out 2>&1 && fail 'check accepts a stub that drifted'
  grep -q '^+// TODO 1: another task' out || fail 'the difference is not shown'
fi
generator 04_none 2>errors && fail 'accepted a solution that is not there'
grep -q 'solutions/04_none.cu' errors || fail 'no name in the message'

[ "$failures" -eq 0 ] && echo 'make_exercise: all passed'
exit "$((failures > 0))"
