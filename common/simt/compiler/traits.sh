# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# traits.sh - what a file may have that its device pass must be made otherwise for, to give what
# nvcc's code gives. Each costs nothing where a file does not have it.
#
# foresee_traits sets them from the file's own text, before the first pass; notice_traits looks at
# what that pass has made and read, and succeeds where it must be made again. The variables are in
# settings.sh, "How its device pass differs". To add a trait: a variable there, its use in
# plain_pass or one_pass, and here what it is for, how it is foreseen, how it is noticed.

any_has() { # EXPRESSION FILE...: whether one of them has it
  local text
  for text in "${@:2}"; do ! is_in_text "$1" "$text" || return 0; done
  return 1
}

foresee_traits() {
  shuffle_flags=() print_flags=() wide_flags=() extreme_flags=() keeping_flags=()
  nameless=0 owning=0 readable=1
  long_double=-mlong-double-128
  choose_libdevice
  [[ $mending -eq 1 ]] || return 0
  ! is_in_text shfl "$file" || allow_undefined
  choose_nameless "$file"
  choose_owning "$file"
  choose_extreme "$file"
  choose_rounded "$file"
}
notice_traits() { # PTX
  local again=0
  [[ $mending -eq 1 ]] || return 1
  ! has_unseen_shuffles "$1" || { allow_undefined && again=1; }
  ! has_unseen_prints "$1" || { print_in_order && again=1; }
  ! choose_nameless "${headers[@]}" || again=1
  ! choose_owning "${headers[@]}" || again=1
  ! choose_extreme "${headers[@]}" || again=1
  ! choose_rounded "${headers[@]}" || again=1
  ! choose_keeping "$1" "$file" "${headers[@]}" || again=1
  [[ $again -eq 1 ]]
}

# ---- Shuffles. Where one lane alone sets a variable that all of them hand to a shuffle
# (`if (lane == leader) r = atomicAdd(...); r = __shfl_sync(mask, r, leader);`), clang takes the
# condition to be always true, for an argument must have a value, and every lane would add. Code
# with shuffles is compiled without that promise, as nvcc does it.
allow_undefined() {
  local flag=-no-enable-noundef-analysis
  [[ $clang_major -ge 15 ]] || flag=-disable-noundef-analysis
  shuffle_flags=(-Xclang "$flag")
}
has_unseen_shuffles() { # PTX
  [[ ${#shuffle_flags[@]} -eq 0 ]] && grep -q '^[^/]*shfl\.' "$1"
}

# ---- Prints. `if (first) printf(a); printf(b); if (first) printf(c);`: clang gives the lanes of
# the condition a copy of their own of what stands between, and their three texts come out before
# those of the other lanes. A GPU that runs nvcc's code prints them in the order of the source. Code
# that prints is compiled without such copies.
print_in_order() { print_flags=(-mllvm -simplifycfg-max-small-block-size=0); }
has_unseen_prints() { # PTX
  [[ ${#print_flags[@]} -eq 0 ]] && grep -q '^[^/]*\bvprintf,' "$1"
}

# ---- Nameless namespaces and types. Clang 14 keeps variables in the former, and 14 and 15 those of
# the latter, from the host, and take them for constants. They are seen from outside, as later
# versions have them; what optimises comes after that.
choose_nameless() { # FILE...: succeeds where one has some, and it was not known
  local without_name='namespace[[:space:]]*\{|(struct|union|class)[[:space:]]*\{'
  [[ $clang_major -lt 16 && $separate -eq 0 && $nameless -eq 0 && $dryrun -eq 0 ]] || return 1
  any_has "$without_name" "$@" && nameless=1
}

# ---- Objects that are passed by value and have a destructor. Clang's functions for PTX get a copy
# of the copy that the caller makes and destroys, and what they move out of theirs is destroyed
# twice. With -rdc=true, where files must agree on it without seeing each other, it stays so.
choose_owning() { # FILE...: succeeds where one has such classes, and it was not known
  local owner='~[[:alpha:]_][[:alnum:]_]*[[:space:]]*\(|nvstd|unique_ptr'
  [[ $separate -eq 0 && $owning -eq 0 && $readable -eq 1 && $dryrun -eq 0 ]] || return 1
  any_has "$owner" "$@" && owning=1
}

# ---- Constants that do not fit the integers they are converted to. A GPU's conversions saturate,
# and so does nvcc; to clang the result is nothing, and it computes with any number. In files with
# numbers that may be such ones all conversions are made where they stand.
choose_extreme() { # FILE...: succeeds where one has some, and it was not known
  local extreme='[0-9.]e\+?[1-9][0-9]|INF|NAN|(FLT|DBL)_MAX|infinity|quiet_NaN'
  extreme+='|(short|char|unsigned[a-z ]*|int[0-9]+_t)\)[[:space:]]*\(?-?[0-9]*\.'
  [[ ${#extreme_flags[@]} -eq 0 && $readable -eq 1 && $dryrun -eq 0 ]] || return 1
  any_has "$extreme" "$@" && extreme_flags=(-fno-strict-float-cast-overflow)
}

# ---- Bits of floats. Clang makes `__float_as_uint(x) & 0x7fffffff` the absolute value of x, and of
# a sign that is turned or set a negation: to it these are the same. To a GPU they are not: of a NaN
# arithmetic keeps no bit, and with -ftz=true no denormal stays. Code that looks at the bits is
# optimised as what may not put arithmetic of floats in the place of integers.
choose_keeping() { # PTX FILE...: succeeds where a file looks at bits, and it was not known
  local bits='_as_u?(int|longlong)[[:space:]]*\(|bit_cast|memcpy|union[[:space:]{]'
  bits+='|(int|long|unsigned|uint[0-9a-z_]*)[[:space:]]*(\*[[:space:]]*(>|\))|&[[:space:]]*>)'
  [[ ${#keeping_flags[@]} -eq 0 && $dryrun -eq 0 ]] && is_optimised || return 1
  grep -qE '^[^/]*(abs|neg|copysign)\.(ftz\.)?f(32|64)[[:space:]]' "$1" || return 1
  any_has "$bits" "${@:2}" && keeping_flags=(-Xclang -no-implicit-float)
}

# ---- Functions of libdevice whose rounding matters (maths.sh).
choose_libdevice() {
  libdevice_flags=()
  [[ -z $libdevice ]] || link_bitcode "$libdevice"
}
link_bitcode() { libdevice_flags=(-Xclang -mlink-builtin-bitcode -Xclang "$1"); }
choose_rounded() { # FILE...: succeeds where one names some, and it was not known
  [[ -n $libdevice && ${libdevice_flags[-1]} == "$libdevice" && $dryrun -eq 0 ]] || return 1
  any_has "$rounded_names" "$@" || return 1
  make_rounded_libdevice
  link_bitcode "$tmp/rounded.bc"
}

# ---- Integers of 128 bits. Clang leaves their conversion from and to floats, and 14 and 15 their
# division, to functions that a GPU's code has not: the pass is made again with a header that
# defines them. From 16 on it does not say which one is missing: calls stand in the intermediate
# code then (call_wide.awk).
lacks_wide_functions() {
  [[ ${#wide_flags[@]} -eq 0 ]] &&
    has_said 'Undefined external symbol "(__(u?(div|mod)|fix|float)[a-z]*3?)?"'
}
