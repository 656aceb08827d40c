#!/bin/sh
# SPDX-License-Identifier: MIT
# setup.sh on machines that are made up: a PATH with only the commands that a case needs, a fake
# apt-get that writes down what it was asked for.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset WORKBOOK_SETUP
failures=0
fail() {
  echo "FAIL: $*"
  failures=$((failures + 1))
}

# A machine: folder with bin/ (the whole PATH) and a copy of the script.
machine() { # name, extra commands that exist
  here=$work/$1
  shift
  mkdir -p "$here/bin" "$here/common/scripts"
  cp "$root/common/scripts/setup.sh" "$here/common/scripts/"
  for tool in sh dirname awk tr head find mkdir env printf cat; do
    ln -s "$(command -v "$tool")" "$here/bin/$tool"
  done
  for tool; do
    printf '#!/bin/sh\nexit 0\n' >"$here/bin/$tool"
    chmod +x "$here/bin/$tool"
  done
}

clang_of() { # version: a clang that says so
  fake clang "echo $1.1.7"
}

fake() { # command, body
  printf '#!/bin/sh\n%s\n' "$2" >"$here/bin/$1"
  chmod +x "$here/bin/$1"
}

run() { # groups: sets `output`, `status`
  output=$(PATH="$here/bin" BACKEND=SIMT "$here/common/scripts/setup.sh" "$@" 2>&1 </dev/null)
  status=$?
}

# Everything is there: silence, and milliseconds the second time.
machine complete gcc cc cmake python3 bwrap
clang_of 19
run base
[ "$status" -eq 0 ] && [ -z "$output" ] || fail "complete machine: $status: $output"
[ -e "$here/build/setup/base-SIMT" ] || fail 'complete machine: nothing remembered'
fake cc 'exit 1' # what is remembered is not probed again
run base
[ "$status" -eq 0 ] && [ -z "$output" ] || fail "second run: $status: $output"

# A group that does not exist is refused; those of the table and of the Makefile exist.
run base tset
[ "$status" -eq 2 ] || fail "a group that does not exist: $status: $output"
case $output in *"no group 'tset'"*) ;; *) fail "a group that does not exist: $output" ;; esac
script=$root/common/scripts/setup.sh
known=" $(sed -n "s/^known='\(.*\)'/\1/p" "$script") "
for group in $(sed -n 's/^\([a-z]*\)|\(needed\|wanted\|clang\)|.*/\1/p' "$script" | sort -u) \
  $(sed -n 's/.*$(setup) \([a-z ]*\).*/\1/p' "$root/Makefile" | tr ' ' '\n' | sort -u); do
  case $known in *" $group "*) ;; *) fail "setup.sh does not know the group $group" ;; esac
done

# apt as root: installs exactly what is missing, without questions, and tells why.
machine apt gcc cc cmake python3 bwrap
fake id 'echo 0'
fake apt-cache 'exit 0'
fake apt-get "echo \"\$DEBIAN_FRONTEND \$*\" >>'$here/log'
case \"\$*\" in
  *install*)
    printf '#!/bin/sh\necho 19.1.7\n' >'$here/bin/clang'
    /bin/chmod +x '$here/bin/clang' ;;
esac"
run base
[ "$status" -eq 0 ] || fail "apt: status $status: $output"
case $output in *'clang '*'compiles CUDA C'*) ;; *) fail "apt: no reason given: $output" ;; esac
grep -q '^noninteractive -y .*install --no-install-recommends clang *$' "$here/log" ||
  fail "apt: asked for: $(cat "$here/log")"

# apt without rights: the exact command, and a stop.
machine rights gcc cc cmake python3 bwrap
fake id 'echo 1000'
fake apt-cache 'exit 0'
fake apt-get "echo called >>'$here/log'"
run base
[ "$status" -eq 1 ] || fail "no rights: status $status"
case $output in
  *'apt-get install --no-install-recommends clang'*) ;;
  *) fail "no rights: $output" ;;
esac
[ ! -e "$here/log" ] || fail 'no rights: apt-get was called'

# sudo that needs no password is used.
machine sudo gcc cc cmake python3 bwrap
fake id 'echo 1000'
fake apt-cache 'exit 0'
fake sudo 'case $1 in -n) exit 0 ;; esac; exec "$@"'
fake apt-get "echo called >>'$here/log'
printf '#!/bin/sh\necho 19.1.7\n' >'$here/bin/clang'; /bin/chmod +x '$here/bin/clang'"
run base
[ "$status" -eq 0 ] && [ -e "$here/log" ] || fail "sudo: status $status: $output"

# apt fails: not a success.
machine broken gcc cc cmake python3 bwrap
fake id 'echo 0'
fake apt-cache 'exit 0'
fake apt-get 'exit 100'
run base
[ "$status" -eq 1 ] || fail "broken apt: status $status"
case $output in *'Still missing'*clang*) ;; *) fail "broken apt: $output" ;; esac

# clang: 19 where the system offers it, or else the newest that simtcc knows, also beside an old
# one; an old one where none is newer.
offers() { # versions that apt knows
  fake apt-cache "case \$1 in
  search) for v in $*; do echo \"clang-\$v - C, C++ and Objective-C compiler\"; done ;;
esac"
  fake apt-get "echo \"\$*\" >>'$here/log'
case \"\$*\" in
  *install*clang-19*) n=19 full=19.1.7 ;;
  *install*clang-21*) n=21 full=21.1.8 ;;
  *) exit ;;
esac
printf '#!/bin/sh\\necho %s\\n' \"\$full\" >'$here/bin/clang-'\$n
/bin/chmod +x '$here/bin/clang-'\$n"
}
machine newest gcc cc cmake python3 bwrap
fake id 'echo 0'
offers 13 14 19 9 16 22 23
run base
[ "$status" -eq 0 ] || fail "newest clang: status $status: $output"
grep -q 'install --no-install-recommends clang-19 *$' "$here/log" ||
  fail "newest clang: $(cat "$here/log")"

machine newest_tested gcc cc cmake python3 bwrap
fake id 'echo 0'
offers 14 20 21 23 24 18
run base
[ "$status" -eq 0 ] || fail "newest tested clang: status $status: $output"
grep -q 'install --no-install-recommends clang-21 *$' "$here/log" ||
  fail "newest tested clang: $(cat "$here/log")"

machine old_clang gcc cc cmake python3 bwrap
clang_of 14
fake id 'echo 0'
offers 14 19
run base
[ "$status" -eq 0 ] || fail "old clang: status $status: $output"
grep -q 'install --no-install-recommends *clang-19 *$' "$here/log" ||
  fail "old clang: $(cat "$here/log")"
case $output in
  *'clang-19 '*'clang 14 that is here gets some sums wrong'*) ;;
  *) fail "old clang: why? $output" ;;
esac

machine old_only gcc cc cmake python3 bwrap
clang_of 15
fake id 'echo 0'
offers 14 15
run base
[ "$status" -eq 0 ] || fail "old clang alone: status $status: $output"
grep -q install "$here/log" 2>/dev/null && fail "old clang alone: $(cat "$here/log")"
[ -e "$here/build/setup/base-SIMT" ] || fail 'old clang alone: nothing remembered'

machine old_without_rights gcc cc cmake python3 bwrap
clang_of 14
fake id 'echo 1000'
offers 14 19
run base
[ "$status" -eq 0 ] || fail "old clang without rights: status $status: $output"
case $output in
  *'apt-get install --no-install-recommends clang-19'*) ;;
  *) fail "no command: $output" ;;
esac

machine too_old gcc cc cmake python3 bwrap
clang_of 13
fake id 'echo 0'
offers 13
run base
[ "$status" -eq 1 ] || fail "clang 13: status $status: $output"

# A name with an alternative: the first that the release offers.
machine alternative gcc cc c++ cmake python3 bwrap clang-tidy cppcheck shellcheck codespell
clang_of 19
fake id 'echo 0'
fake python3 exit
fake apt-cache 'case "$*" in "show clang-format") exit 0 ;; esac; exit 1'
fake apt-get "echo \"\$*\" >>'$here/log'
printf '#!/bin/sh\n' >'$here/bin/clang-format'; /bin/chmod +x '$here/bin/clang-format'"
run check
[ "$status" -eq 0 ] || fail "alternative: status $status: $output"
grep -q 'recommends clang-format *$' "$here/log" || fail "alternative: $(cat "$here/log")"

# The linker for the book's pages: clang 19 takes no older one where the system offers its own.
asked_for_linker() { # what apt offers
  fake id 'echo 0'
  fake apt-cache "case \"\$*\" in 'show $1') exit 0 ;; esac; exit 1"
  fake apt-get "echo \"\$*\" >>'$here/log'"
  run book
  grep -q "recommends .*lld-19" "$here/log" 2>/dev/null
}
machine old_linker gcc cc cmake python3 bwrap doxygen wasm-ld wasm-ld-14
clang_of 19
asked_for_linker lld-19 || fail "an old linker: $output"
machine only_linker gcc cc cmake python3 bwrap doxygen wasm-ld wasm-ld-14
clang_of 19
asked_for_linker lld && fail "the only linker: $output"
machine new_linker gcc cc cmake python3 bwrap doxygen wasm-ld wasm-ld-19
clang_of 19
asked_for_linker lld-19 && fail "the linker is there: $output"

# --state: what the build looks for and would find; it changes when a package comes.
machine state gcc cc cmake python3 bwrap
clang_of 16
state() { PATH="$here/bin" "$here/common/scripts/setup.sh" --state; }
before=$(state)
case $before in *'- doxygen'*) ;; *) fail "state: $before" ;; esac
case $before in *'clang 16'*) ;; *) fail "state: $before" ;; esac
fake doxygen :
[ "$(state)" != "$before" ] || fail 'state: a new doxygen changes nothing'

# Something wanted that this release does not offer is no reason to stop.
machine optional gcc cc cmake python3 bwrap
clang_of 19
fake id 'echo 0'
fake apt-cache 'exit 100'
fake apt-get 'exit 0'
run bench
[ "$status" -eq 0 ] || fail "optional: status $status: $output"
case $output in *'not offered'*) ;; *) fail "optional: $output" ;; esac

# Other systems: exact names, a stop, nothing installed.
for pair in 'dnf:sudo dnf install clang' 'pacman:sudo pacman -S --needed clang' \
  'zypper:sudo zypper install clang' 'brew:brew install llvm'; do
  machine "${pair%%:*}" gcc cc cmake python3 bwrap
  fake "${pair%%:*}" "echo called >>'$here/log'"
  run base
  [ "$status" -eq 1 ] || fail "${pair%%:*}: status $status"
  case $output in *"${pair#*:}"*) ;; *) fail "${pair%%:*}: $output" ;; esac
  [ ! -e "$here/log" ] || fail "${pair%%:*} was called"
done

# No package manager at all.
machine bare gcc cc cmake python3 bwrap
run base
[ "$status" -eq 1 ] || fail "no manager: status $status"

# Switched off.
output=$(WORKBOOK_SETUP=no PATH="$here/bin" "$here/common/scripts/setup.sh" base 2>&1) ||
  fail "WORKBOOK_SETUP=no: $output"

[ "$failures" -eq 0 ] && echo 'setup: all as it should be'
[ "$failures" -eq 0 ]
