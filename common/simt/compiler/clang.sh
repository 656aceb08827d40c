# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# clang.sh - which clang compiles: the one asked for, or else the best there is.
#
# choose_clang sets `clang` and `clang_major`; it reads built_with (shared.sh) and SIMTCC_CLANG.
# Stored counts are clang 19's; what is newer than 22 has not been tried, and what is older than 19
# has known errors in its code generation (book/decisions/0017-compilers.md). With another version
# to count with, stored data are made anew (make store); what setup.sh installs follows it.

counted_major=19 newest_tried=22 oldest_major=14

choose_clang() {
  local named=${SIMTCC_CLANG:-}
  use_clang "${named:-$built_with}" # what this build was configured with: cmake -DSIMTCC_CLANG=...
  [[ -z $named || $clang_major -ge $oldest_major ]] ||
    fail "SIMTCC_CLANG=$clang is not a clang++ of version $oldest_major or later" 127
  [[ $clang_major -ge $oldest_major ]] || use_clang "clang++-$counted_major" # nothing is better
  if [[ $clang_major -ne $counted_major && -z $named && $clang != "$built_with" ]]; then
    use_clang "$(best_clang)"
    [[ $clang_major -le $newest_tried ]] || warn "$clang is newer than \
clang $newest_tried, the newest that simtcc has been tested with; SIMTCC_CLANG names another one"
  fi
  [[ -n $clang ]] ||
    fail "needs clang $oldest_major or later, found none; on Debian or Ubuntu: \
sudo apt-get install clang-$counted_major g++" 127
}
use_clang() { # COMMAND, or ''
  local major
  clang=$1
  major_of "$1"
  clang_major=$major
}
# major_of COMMAND: sets `major`: its own word for its version, 0 when it is no clang++ that runs.
major_of() {
  local file folder
  major=0
  hash "$1" 2>/dev/null || return 0
  file=${BASH_CMDS[$1]:-$1}
  for folder in /usr/lib/llvm-*/bin; do # the folder says it; to start clang costs a fifth of a run
    if [[ $file -ef $folder/clang && -x $file && $folder =~ -([0-9]+)/bin$ ]]; then
      major=${BASH_REMATCH[1]}
      return
    fi
  done
  major=$("$1" -dumpversion 2>/dev/null)
  major=${major%%.*}
  [[ $major =~ ^[0-9]+$ ]] || major=0
}

best_clang() { # prints the command; nothing when there is none of version 14 or later
  local preference command major best='' best_preference=0
  while read -r preference command; do
    [[ $preference -gt $best_preference ]] || break
    major_of "$command"
    preference=$(preference_of "$major")
    [[ $preference -le $best_preference ]] || best=$command best_preference=$preference
  done < <(compgen -c clang++ | grep -E '^clang\+\+(-[0-9]+)?$' | sort -u |
    while read -r command; do
      echo "$(preference_of "$(hint_of "$command")") $command"
    done | sort -k1,1nr -k2,2)
  printf '%s' "$best"
}
preference_of() { # MAJOR: prints a number, the larger the better; 0: cannot be used
  if [[ $1 -eq $counted_major ]]; then
    echo 3000
  elif [[ $1 -gt $newest_tried ]]; then
    echo $((1000 + (1000 - $1 > 0 ? 1000 - $1 : 0)))
  elif [[ $1 -gt $counted_major ]]; then
    echo $((2000 + $1))
  else
    echo $(($1 >= oldest_major ? $1 : 0))
  fi
}
# What a command's name or the file behind it says of its version, so that not all must be started.
hint_of() {
  local file major
  file=$(readlink -f "$(command -v "$1")")
  if [[ $file =~ /llvm-([0-9]+)/ || $1 =~ -([0-9]+)$ || $file =~ -([0-9]+)$ ]]; then
    echo "${BASH_REMATCH[1]}"
  else
    major_of "$1"
    echo "$major"
  fi
}

print_version() {
  local version
  version=$(sed -n 's/^#define SIMT_VERSION "\(.*\)"/\1/p' "$include_dir/simt.h")
  printf 'simtcc %s (software GPU), using %s: %s\n' "${version:-unknown}" \
    "$(command -v "$clang")" "$("$clang" --version | head -n 1)"
}
show_clang() {
  printf '%s: using %s: %s\n' "$me" "$(command -v "$clang")" \
    "$("$clang" --version | head -n 1)" >&2
}
