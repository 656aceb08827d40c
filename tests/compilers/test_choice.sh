#!/bin/bash
# SPDX-License-Identifier: MIT
# test_choice.sh SIMTCC - which of the clang++ on the path simtcc takes (stand-ins that only print a
# version), and what it says about a version that it does not know.
set -u
simtcc=$(dirname "$(readlink -f "$1")")/simtcc
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
mkdir "$work/tools"
for tool in bash awk basename cat cut dirname env grep head mktemp readlink rm sed sort; do
  ln -s "$(command -v $tool)" "$work/tools/$tool"
done
# A copy without the paths of the build tree, which may name a compiler.
cp -r "$simtcc" "$(dirname "$simtcc")/compiler" "$work"
include=$(sed -n 's/^include=//p' "$(dirname "$simtcc")/simtcc.paths")
export SIMTCC_INCLUDE=$include SIMTCC_CLANG=
failed=0

stand_in() { # FILE VERSION: a clang++ of that version that compiles nothing
  printf '#!/bin/sh\ncase $1 in -dumpversion) echo %s ;; *) echo clang version %s ;; esac\n' \
    "$2" "$2" >"$1"
  chmod +x "$1"
}

# expect WANTED SAYS VERSION...: with clang++-VERSION on the path ("14" means plain clang++ as well)
# simtcc --version names WANTED, and standard error holds SAYS (nothing when it is empty).
expect() {
  local wanted=$1 says=$2 version output errors
  shift 2
  rm -rf "${work:?}/bin"
  mkdir "$work/bin"
  for version in "$@"; do
    stand_in "$work/bin/clang++-$version" "$version.1.0"
    [[ $version != 14 ]] || ln -s "clang++-14" "$work/bin/clang++"
  done
  output=$(PATH="$work/bin:$work/tools" "$work/simtcc" --version 2>"$work/errors")
  errors=$(<"$work/errors")
  if [[ $output$errors != *"$wanted"* ]]; then
    echo "of $*: wanted $wanted, got: $output$errors"
    failed=1
  fi
  if [[ -n $says && $errors != *"$says"* || -z $says && -n $errors ]]; then
    echo "of $*: standard error should be '$says', is: $errors"
    failed=1
  fi
}

expect 'clang version 19.1.0' '' 14 16 19 22
expect 'clang version 22.1.0' '' 14 16 20 22
expect 'clang version 21.1.0' '' 14 18 21 23
expect 'clang version 23.1.0' 'newer than clang 22' 14 16 23 24
expect 'clang version 16.1.0' '' 14 15 16
expect 'clang version 14.1.0' '' 14
expect 'needs clang 14 or later' 'apt-get install clang-19' 13
SIMTCC_CLANG=$work/bin/clang++-24 expect 'clang version 24.1.0' '' 19 24
SIMTCC_CLANG=$work/bin/clang++-13 expect 'not a clang++ of version 14' 'not a clang++' 13 19
exit $failed
