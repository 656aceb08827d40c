# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# link.sh - the program or shared library, and what the linker says of device symbols, in their
# terms.
#
# Reads objects and source_of, which simtcc's compile_all sets, and the settings.

objects=()
declare -A source_of=() # object -> the file that it was made of

# Nothing is linked here: an object without contents, for what links it.
make_empty_object() { run "$clang" -x c -c /dev/null -o "${output:-a_dlink.o}"; }

link_all() {
  [[ $dryrun -eq 1 || -f $library ]] ||
    fail "cannot find libsimt.a: build it first (make), or name it in SIMTCC_LIBRARY"
  [[ $shared -eq 0 ]] || link_options+=(-shared)
  if [[ -n $linker ]]; then # its driver is C's: the C++ library is named, found where clang does
    link_options+=("${linker_flags[@]}"
      -L "$(dirname "$("$clang" -print-file-name=libstdc++.so)")" -lstdc++)
  fi
  link_program "${linker:-$clang}" "${objects[@]}" -o "${output:-a.out}" "${link_options[@]}" \
    "${library:-libsimt.a}" -lpthread -lm || return 1
}
link_program() { # COMMAND...
  local status
  show "$@"
  [[ $dryrun -eq 0 ]] || return 0
  LC_ALL=C "$@" 2>"$tmp/link"
  status=$?
  explain_link
  return $status
}
explain_link() { # shows $tmp/link
  local line symbol
  local -A explained=()
  while IFS= read -r line; do
    if [[ $line =~ "$symbol_prefix"([A-Za-z0-9_$]+) ]]; then
      symbol=${BASH_REMATCH[1]}
      [[ $line != *': in function '* ]] || continue
      explained[$symbol]=1
      explain_symbol "$symbol" "$line"
    elif [[ $line =~ 'multiple definition of `'([A-Za-z0-9_$]+) &&
      ${explained[${BASH_REMATCH[1]}]:-} ]]; then
      continue # what the host has for the same variable
    else
      printf '%s\n' "$line" >&2
    fi
  done <"$tmp/link"
}
explain_symbol() { # SYMBOL, LINE of the linker
  local name other
  name=$(readable_name "$1")
  other=$(file_in "$2")
  if [[ $2 == *'multiple definition'* ]]; then
    say_error "device code of $(file_in "${2##*; }") and of $other defines '$name'"
  else
    say_error "$other: device code uses '$name', which no file or library of the program \
defines (was the defining file compiled with -rdc=true or -dc?)"
  fi
}
# What stands before a place in a message, "/usr/bin/ld: DIR/0.o:(.simt..." or "0.o:a.cu:(...": the
# source file where it is one of this command's, else the object as it is.
file_in() { # LINE
  local at=${1%%:(.simt_device_symbols*}
  at=${at##*ld: }
  [[ $at != *.o:* && $at != *'.o):'* ]] || at=${at%:*}
  printf '%s' "${source_of[$at]:-$at}"
}
