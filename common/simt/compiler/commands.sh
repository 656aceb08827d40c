# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# commands.sh - how commands are run: shown or not, and what clang says of a file only once.
#
# Reads verbose, dryrun, stem. Sets tmp. $tmp/stderr holds all diagnostics of the last command of
# run_once: has_said looks for one.

make_temporary_folder() {
  tmp=$(mktemp -d "${TMPDIR:-/tmp}/simtcc.XXXXXX") || fail "cannot make a temporary directory"
  trap 'rm -rf "$tmp"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM
}

show() { # COMMAND...
  [[ $verbose -eq 1 ]] || return 0
  printf '%q ' "$@" >&2
  printf '\n' >&2
}
run() { # COMMAND...: its diagnostics go to stderr
  show "$@"
  [[ $dryrun -eq 1 ]] || "$@"
}
# run_once COMMAND...: leaves out the diagnostics of this file that have been shown before, so that
# a warning met by both passes is shown once. A failure that another pass may mend is not shown.
run_once() {
  local status
  show "$@"
  [[ $dryrun -eq 0 ]] || return 0
  "$@" 2>"$tmp/stderr"
  status=$?
  [[ -s $tmp/stderr ]] || return $status
  [[ $status -eq 0 ]] || ! is_tried_again || return $status
  awk -v seen="$stem.seen" -f "$parts_dir/show_once.awk" "$stem.seen" "$tmp/stderr"
  cat "$tmp/stderr" >>"$stem.seen"
  return $status
}
has_said() { # PATTERN: the last command, as grep -E has it
  grep -qE "$1" "$tmp/stderr" 2>/dev/null
}
what_it_said() { # without colours
  sed -E 's/\x1b\[[0-9;]*m//g' "$tmp/stderr" 2>/dev/null
}
