#!/bin/sh
# SPDX-License-Identifier: MIT
# fresh_machine.sh with stand-ins for what makes and enters a root: steps are judged by status and
# text, what cannot be done is reported, and nothing is left behind, not even after an interruption.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failures=0
fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

# A small clone, and a PATH before the real one.
copy=$work/workbook
mkdir -p "$copy/common/scripts" "$work/bin" "$work/roots"
cp "$root/common/scripts/fresh_machine.sh" "$copy/common/scripts/"
git -C "$copy" init -q
git -C "$copy" add -A
git -C "$copy" -c user.name=t -c user.email=t@t commit -qm first
stand_in() { # command, body
  printf '#!/bin/sh\n%s\n' "$2" >"$work/bin/$1"
  chmod +x "$work/bin/$1"
}
stand_in id 'echo 0'
stand_in apt-config ':'
stand_in mmdebstrap 'for last; do case $last in */base)
mkdir -p "$last/root" "$last/etc/apt/apt.conf.d"
echo "PRETTY_NAME=\"Imagined 1\"" >"$last/etc/os-release" ;; esac; done'
# Everything in name spaces: a root is made, or a command entered, which `answer` takes care of.
stand_in unshare 'while [ $# -gt 0 ]; do case $1 in --*) ;; *) break ;; esac; shift; done
case $1 in true) ;; timeout) shift 2; exec "$@" ;;
*) for command; do :; done; exec "$(dirname "$0")/answer" "$command" ;; esac'
answers() { # how a step goes, by its command
  stand_in answer "case \$1 in $1 *'make try'*) echo '0 of 100 points'; exit 1 ;; esac
echo 10_single_pass_scan"
}
fresh() { (cd "$copy" && PATH="$work/bin:$PATH" TMPDIR="$work/roots" \
  common/scripts/fresh_machine.sh "$@" 2>&1); }
expect() { # what, status, pattern, arguments
  what=$1 want=$2 pattern=$3
  shift 3
  output=$(fresh "$@")
  status=$?
  [ "$status" -eq "$want" ] && printf '%s\n' "$output" | grep -qE -- "$pattern" ||
    fail "$what: status $status, want $want and \"$pattern\": $output"
  left=$(ls -A "$work/roots")
  [ -z "$left" ] || fail "$what leaves $left"
}

# Every target is walked alone: the list is the Makefile's.
targets_of() { tr -s ' \\\n' '\n\n\n' | grep -v '^$' | sort; }
listed=$(sed -n "/^targets='/,/'$/p" "$root/common/scripts/fresh_machine.sh" |
  sed "s/targets='//; s/'//" | targets_of)
phony=$(sed -n '/^\.PHONY:/,/[^\\]$/p' "$root/Makefile" | sed 's/^\.PHONY://' | targets_of)
[ "$listed" = "$phony" ] || fail "targets: fresh_machine.sh has $listed, the Makefile $phony"

answers ''
expect 'help' 0 'a user with sudo' --help
expect 'an unknown option' 2 "unknown option '--all'" --all
expect 'an unknown walk' 2 "no walk 'moon'" --walks order,moon
expect 'an unknown target' 2 "no target 'moon'" --walks alone:moon
expect 'the short form' 0 'all as it should be' --short --log "$work/log.txt"
grep -q '^# system: Imagined 1,' "$work/log.txt" || fail "the log: $(cat "$work/log.txt")"
grep -q "^# commit: $(git -C "$copy" rev-parse HEAD)" "$work/log.txt" || fail 'the log: no commit'
[ "$(grep -c '^short  *root .* ok  *make' "$work/log.txt")" -eq 3 ] ||
  fail "steps: $(cat "$work/log.txt")"
grep -q "$work" "$work/log.txt" && fail 'the log names a path of this machine'

# The log says that a cache of objects was used.
stand_in ccache ':'
expect 'a cache' 0 'all as it should be' --short --ccache --log "$work/cache.txt"
grep -q '^# ccache: from the second root on' "$work/cache.txt" ||
  fail "a cache: $(cat "$work/cache.txt")"
! grep -q ccache "$work/log.txt" || fail "no cache: $(cat "$work/log.txt")"

# A second run is added to the log behind a blank line, and the first stays.
cp "$work/log.txt" "$work/first.txt"
expect 'a second run' 0 'all as it should be' --walks alone:menu,alone:list --log "$work/log.txt"
n=$(wc -l <"$work/first.txt")
head -n "$n" "$work/log.txt" | cmp -s - "$work/first.txt" &&
  [ -z "$(sed -n "$((n + 1))p" "$work/log.txt")" ] &&
  [ "$(grep -c '^# all as it should be; [0-9]* s in all$' "$work/log.txt")" -eq 2 ] ||
  fail "a second run: $(cat "$work/log.txt")"

# What is committed while the walks run is not walked: the log's commit is what every root has.
begun=$(git -C "$copy" rev-parse HEAD)
stand_in answer "case \$1 in make*) ;; *) exit ;; esac
git -C '$copy' -c user.name=t -c user.email=t@t commit -q --allow-empty -m later
git -C \"\$(find '$work/roots' -name workbook)\" rev-parse HEAD >>'$work/walked'
echo 10_single_pass_scan"
expect 'commits meanwhile' 0 'all as it should be' --walks alone:menu,alone:list \
  --log "$work/later.txt"
[ "$(sort -u "$work/walked")" = "$begun" ] && grep -q "^# commit: $begun" "$work/later.txt" &&
  [ "$(git -C "$copy" rev-parse HEAD)" != "$begun" ] ||
  fail "commits meanwhile: $(cat "$work/walked" "$work/later.txt")"

answers "*'make grade'*) echo 'no grader'; exit 2 ;;"
expect 'a command that fails' 1 '^no grader' --short
expect 'a command that fails: which' 1 'status 2 .*NOT AS IT SHOULD BE' --short
answers "*'make try'*) echo '100 of 100 points'; exit 0 ;;"
expect 'a stub that passes' 1 'want status 1' --short
answers "*'make grade'*) echo nothing; exit 0 ;;"
expect 'a command without its result' 1 '10_single_pass_scan' --short

# Ctrl-C in the middle of a step.
answers "*'make grade'*) sleep 60 ;;"
(cd "$copy" && PATH="$work/bin:$PATH" TMPDIR="$work/roots" exec setsid \
  common/scripts/fresh_machine.sh --walks alone:list,short,alone:menu \
  --log "$work/partial.txt" >"$work/interrupted" 2>&1) &
process=$!
for _ in $(seq 100); do
  grep -q 'make grade' "$work/interrupted" 2>/dev/null && break
  sleep 0.1
done
kill -TERM "$process"
wait "$process"
[ $? -eq 130 ] || fail "interrupted: $(cat "$work/interrupted")"
[ -z "$(ls -A "$work/roots")" ] || fail "interrupted: leaves $(ls -A "$work/roots")"
grep -q '^alone:list .* ok  *make list' "$work/partial.txt" &&
  grep -q '^short .* ok  *make compare' "$work/partial.txt" &&
  tail -n 1 "$work/partial.txt" |
  grep -qE '^# all as it .*; interrupted after [0-9]+ s, not finished: short,alone:menu$' ||
  fail "interrupted: the log $(cat "$work/partial.txt")"

# What cannot be done is reported, with an exit status of its own.
stand_in mmdebstrap 'echo "cannot reach the mirror"; exit 25'
expect 'no mirror' 77 'cannot run here: no root of bookworm' --short
stand_in unshare 'exit 1'
expect 'no name spaces' 77 'cannot run here: no name spaces' --short
stand_in id 'echo 1000'
stand_in sudo 'exit 1'
expect 'no rights' 77 'cannot run here: it takes root' --short

[ "$failures" -eq 0 ] && echo 'fresh machine: all as it should be'
[ "$failures" -eq 0 ]
