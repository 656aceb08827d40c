# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# device.sh - one file's device code, from its text to PTX that runs as nvcc's does.
#
# begin_file FILE NAME comes first: it sets the group "The file that is being compiled" of
# settings.sh. compile_ptx OUTPUT makes the PTX. What the first pass shows (its headers, its PTX,
# why it failed) decides which passes follow.

begin_file() { # FILE, and a name for its temporary files
  file=$1 stem=$tmp/$2 toolkit_flags=()
  : >"$stem.seen"
  rm -f "$stem.headers" # clang appends to it
}

compile_ptx() {
  local raw=$stem.raw.ptx
  spell_for_clang
  choose_separate
  choose_platform
  foresee_traits
  first_pass "$raw" || return
  [[ $dryrun -eq 0 ]] || return 0
  read_headers
  ! has_long_double || return
  ! notice_traits "$raw" || device_pass "$raw" || return
  mend_ptx "$raw" "$1" || return
  if [[ $mending -eq 1 ]] && has_noted by_ir; then
    mend_by_ir "$raw" && mend_ptx "$raw" "$1" || return
  fi
  note_clusters "$1" || return
  [[ $separate -eq 1 ]] || ! has_noted externs || check_whole "$1"
}
first_pass() { # PTX
  local status list=(-Xclang -header-include-file -Xclang "$stem.headers")
  device_pass "$1" "${list[@]}"
  status=$?
  if [[ $status -ne 0 ]] && narrow_long_double; then
    device_pass "$1" "${list[@]}"
    status=$?
  fi
  [[ $status -eq 0 ]] || explain_failure $status
  return $status
}

# make_precompiled OUTPUT: the headers that all files begin with.
make_precompiled() {
  begin_file "$include_dir/cuda_runtime.h" headers
  # With what its templates are needed for, which else every file would instantiate again.
  device_pass "$1" -Xclang -emit-pch -fpch-instantiate-templates
}

# explain_failure STATUS: of a device pass. What PTX cannot express (variables whose initialisers
# need each other's addresses) or an old clang does not, ends clang with a dump of its stack. Says
# what it was about.
explain_failure() {
  local reason
  reason=$(sed -n 's/.*error in backend: //p' "$tmp/stderr" 2>/dev/null | head -n 1)
  explain_launches
  ! has_said "$lacks_long_double" ||
    say_error "$file: device code computes with long double, which nvcc takes for a double there \
and which has not the bits of the host's; use double in what device code sees; host code may use \
long double"
  ! has_said 'dynamic alloca' ||
    say_error "$file: device code calls alloca(), or has an array of variable size: the stack of a \
thread does not grow on the software GPU; use an array of the largest size, or malloc()"
  if [[ -n $reason ]]; then
    [[ $clang_major -ge $counted_major ]] || reason+="; clang $counted_major may"
    warn "$file: clang $clang_major cannot make PTX of this file: $reason"
  elif has_crashed "$1"; then
    say_error "$file: clang $clang_major breaks down on this text, a mistake of clang's; text \
that nests deeply or joins very many terms does that"
  fi
}
# has_crashed STATUS: a compiler, by itself: a limit of its time ends it by other signals.
has_crashed() {
  case $1 in
    132 | 133 | 134 | 135 | 136 | 139) ;; # SIGILL, SIGTRAP, SIGABRT, SIGBUS, SIGFPE, SIGSEGV
    137 | 152) return 1 ;;                # SIGKILL, SIGXCPU
    *) has_said '^PLEASE submit a bug report' ;;
  esac
}
