# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# launches.sh - kernels that device code launches or names, with -rdc=true: clang stops there, and a
# launch becomes a call in a copy of the text (spell_launches.awk).
#
# Also says why where that cannot be done.

refused_launch="error: reference to (__global__ function|__host__ function \
'__cudaPushCallConfiguration') "

# find_launches: prints FILE:LINE:COLUMN of each kernel, or <<< behind one, that clang has stopped
# at, in a macro's text where it comes from there.
find_launches() {
  what_it_said | awk -v refused="$refused_launch" '
    / error: / { if (place != "") print place; place = "" }
    $0 ~ "^.*:[0-9]+:[0-9]+: " refused { place = $0; sub(/: error: .*/, "", place) }
    place != "" && / note: expanded from macro / { place = $0; sub(/: note: .*/, "", place) }
    END { if (place != "") print place }' | sort -u
}
places_in() { # FILE: the LINE:COLUMN of the places that standard input has in that file
  awk -v file="$1" 'index($0, file ":") == 1 && (rest = substr($0, length(file) + 2)) ~ \
    /^[0-9]+:[0-9]+$/ { printf "%s ", rest }'
}

# The files whose launches can be calls.
find_launching() {
  local name
  [[ $separate -eq 1 ]] || return 0
  while IFS= read -r name; do
    [[ ! -f $name ]] || ! note_places "$name" ||
      as_calls "${laid_over[$name]:-$name}" | cmp -s - "${laid_over[$name]:-$name}" ||
      printf '%s\n' "$name"
  done < <(find_launches | sed -E 's/:[0-9]+:[0-9]+$//' | sort -u)
}
note_places() { # FILE: for as_calls
  launches=$(find_launches | places_in "$1")
  unmatched=$(what_it_said |
    sed -nE 's/^(.*:[0-9]+:[0-9]+): error: no matching function for call to .*/\1/p' |
    places_in "$1")
}
refuses_launches() { [[ -n $(find_launching) ]]; }
spell_launches() { # fails where there are none
  local name found
  mapfile -t found < <(find_launching)
  for name in "${found[@]}"; do
    note_places "$name"
    lay_over "$name" as_calls
  done
  [[ ${#found[@]} -gt 0 ]]
}
as_calls() { # FILE
  LC_ALL=C awk -v launches="$launches" -v unmatched="$unmatched" \
    -f "$parts_dir/spell_launches.awk" "$1"
}

# What is left of the errors once all that can be spelled has been.
explain_launches() {
  local place launch='device code launches a kernel (dynamic parallelism)'
  place=$(find_launches | head -n 1)
  if [[ -n $place && $separate -eq 0 ]]; then
    say_error "${place%:*}: $launch: compile with -rdc=true, as for nvcc"
  elif [[ -n $place ]]; then
    say_error "${place%:*}: $launch that is not named there: launch it by its name"
  elif has_said "error: .*'decltype\\(::simt_device::taking"; then
    place=$(what_it_said |
      sed -nE 's/^(.*:[0-9]+):[0-9]+: error: .*simt_device::taking.*/\1/p' | head -n 1)
    say_error "$place: $launch whose parameters are of other types than the arguments: name it \
with all its template arguments, or give each argument the parameter's type"
  fi
}
