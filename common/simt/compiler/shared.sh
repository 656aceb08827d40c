# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# shared.sh - what simtcc and simt-nvcc have in common: messages, where the software GPU's headers
# and library are, and objects whose device code is linked when the program runs.
#
# Reads me and self_dir, the name and the folder of the script that reads this part; sets the
# variables below. simt-nvcc runs it with `set -e`.

include_dir='' # where cuda_runtime.h is
library=''     # libsimt.a; '': there is none
built_with=''  # the clang that this build was configured with
linker=''      # what links with a library that has sanitizers, and how
linker_flags=()

fail() { # MESSAGE [STATUS]
  say_error "$1"
  exit "${2:-1}"
}
say_error() { printf '%s: error: %s\n' "$me" "$1" >&2; }
warn() { printf '%s: warning: %s\n' "$me" "$1" >&2; }

# What the environment names, or else the notes of a build folder (simtcc.paths beside the script),
# the source tree, or an installation: PREFIX/bin, PREFIX/include/simt, PREFIX/lib.
find_places() {
  include_dir=${SIMTCC_INCLUDE:-} library=${SIMTCC_LIBRARY:-}
  [[ ! -f $self_dir/simtcc.paths ]] || read_paths "$self_dir/simtcc.paths"
  [[ -n $include_dir ]] || find_include
  [[ -n $library ]] || find_library
}
# shellcheck disable=SC2034 # some are for simtcc alone
read_paths() { # FILE
  local key value
  while IFS='=' read -r key value; do
    case $key in
      include) include_dir=${include_dir:-$value} ;;
      library) library=${library:-$value} ;;
      clang) built_with=$value ;;
      linker) linker=$value ;;
      link_flags) read -r -a linker_flags <<<"$value" ;;
    esac
  done <"$1"
}
find_include() {
  local folder
  for folder in "$self_dir/include" "$self_dir/../include/simt"; do
    [[ ! -f $folder/cuda_runtime.h ]] || { include_dir=$(readlink -f "$folder") && return; }
  done
}
find_library() {
  local file
  for file in "$self_dir/libsimt.a" "$self_dir"/../lib/libsimt.a "$self_dir"/../lib/*/libsimt.a \
    "$self_dir"/../lib64/libsimt.a "$self_dir/../../build/common/simt/libsimt.a"; do
    [[ ! -f $file ]] || { library=$(readlink -f "$file") && return; }
  done
}

# register_here OBJECT: clang and nvcc let a function register the file that their own device linker
# would make; here it is the runtime's, and device code is linked when the program runs.
register_here() {
  local name
  name=$(nm -u "$1" | grep -oE '__cudaRegisterLinkedBinary[^ ]+' | head -n 1 || true)
  [[ -z $name ]] || objcopy --redefine-sym "$name=simt_register_relocatable" "$1"
}
