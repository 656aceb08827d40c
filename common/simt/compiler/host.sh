# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# host.sh - objects: of a CUDA file, its host code with the PTX embedded, and of other files.
#
# Reads the settings.

# nvcc leaves host code unoptimised unless asked; programs have grown up with sums that wrap and
# pointers of other types. An option of the user's stands behind these and wins.
as_unoptimised=(-fwrapv -fno-strict-aliasing)

# For each random number libstdc++'s distributions take the same two logarithms of long doubles. gcc
# folds them; clang calls logl() each time, because it may set errno, and most of the host's time
# goes there. In files that draw from distributions and do not ask for errno no function of <math.h>
# sets it.
choose_errno() { # FILE...: sets errno_flags
  local name own=()
  for name in "$@"; do [[ $name == /usr/include/* ]] || own+=("$name"); done
  errno_flags=()
  ! any_has '_distribution|generate_canonical' "${own[@]}" || any_has errno "${own[@]}" ||
    errno_flags=(-fno-math-errno)
}

compile_cuda() { # OBJECT, of the file begun
  local errno_flags marks=() ptx=$stem.ptx
  compile_ptx "$ptx" || return
  if [[ $dryrun -eq 0 ]]; then
    [[ $separate -eq 0 ]] || { mark_file "$ptx" && marks=(-include "$stem.marks.h"); }
    printf '\0' >>"$ptx" # the runtime takes it for a C string
  fi
  choose_errno "$file" "${headers[@]}"
  until_spelled host_pass "$ptx" "$1" "${marks[@]}" || return
  [[ $separate -eq 0 || $dryrun -eq 1 ]] || register_here "$1"
}
host_pass() { # PTX OBJECT [FLAG...]
  run_once "$clang" "${toolkit_flags[@]}" "${cuda_flags[@]}" --cuda-host-only -c \
    "$host_optimisation" -ffp-contract=off "${as_unoptimised[@]}" "${errno_flags[@]}" \
    "${separate_flags[@]}" "${@:3}" \
    -Xclang -fcuda-include-gpubinary -Xclang "$1" "${platform_flags[@]}" \
    "${common_options[@]}" "${warning_options[@]}" "${color_flags[@]}" "${host_options[@]}" \
    "${overlay_flags[@]}" "${depend_options[@]}" "$file" -o "$2"
}
mark_file() { # PTX: with its name, for messages, and a header for what the linker is to know of it
  mark_symbols "$1" "$stem.marks.h" &&
    { printf '// source file: %s\n' "$(basename "$file")" && cat "$1"; } >"$stem.named" &&
    mv "$stem.named" "$1"
}

# What gcc only warns of in C, and newer clangs refuse.
as_gcc=(-Wno-error=implicit-int -Wno-error=implicit-function-declaration -Wno-error=int-conversion
  -Wno-error=incompatible-pointer-types -Wno-error=return-type -Wno-unknown-warning-option
  -Wno-error=incompatible-function-pointer-types -Wno-error=return-mismatch)

compile_host() { # FILE OBJECT
  local kind=c++ mild=("${mild_flags[@]}") of_kind=() errno_flags
  choose_errno "$1"
  [[ $1 != *.c && $language != c ]] || kind=c mild=("${as_gcc[@]}")
  case $kind:$standard in
    c++:-std=c[0-9]* | c:-std=c++* | *:) ;; # of the other language's files, or none
    *) of_kind=("$standard") ;;
  esac
  run "$clang" -x $kind -c "$host_optimisation" -ffp-contract=off "${errno_flags[@]}" \
    -isystem "$include_dir" -isystem "$include_dir/simt_hip" "${of_kind[@]}" \
    "${common_options[@]}" "${mild[@]}" \
    "${warning_options[@]}" "${color_flags[@]}" "${host_options[@]}" "${depend_options[@]}" \
    "$1" -o "$2"
}
