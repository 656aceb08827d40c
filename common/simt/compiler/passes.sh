# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# passes.sh - one device pass: the file that is being compiled to PTX, or to intermediate code.
#
# device_pass OUTPUT [FLAG...] reads the groups "Flags" and "The file" of settings.sh. Most files
# take plain_pass, one call of clang. Where something must be changed between the front end and the
# optimiser, that is done on the text of the intermediate code, and the back end has a call of its
# own. A pass that fails for a reason that can be removed is made again without it. choose_lists
# sets list_flags.

device_pass() {
  local status
  until_spelled one_pass "$@"
  status=$?
  if [[ $status -ne 0 ]] && is_unreadable; then
    readable=0 owning=0 extreme_flags=()
    device_pass "$@"
    return
  fi
  [[ $status -ne 0 ]] && lacks_wide_functions || return $status
  wide_flags=(-include simt_cuda/divide.h)
  device_pass "$@"
}
until_spelled() { # COMMAND...: again where it fails for what can be spelled otherwise
  local status
  "$@"
  status=$?
  while [[ $status -ne 0 ]] && {
    take_toolkit_headers || spell_directives || spell_templates || spell_split_launches ||
      spell_launches
  }; do
    "$@"
    status=$?
  done
  return $status
}
# Whether device_pass, or who has called it, removes what the last command has failed for.
is_tried_again() {
  lacks_wide_functions || computes_long || has_directives || lacks_templates || is_unreadable ||
    lacks_toolkit_headers || splits_launches || refuses_launches
}
# Whether clang cannot read what it has written, in a file that can do without changes to that.
is_unreadable() {
  [[ $owning -eq 1 || ${#extreme_flags[@]} -gt 0 ]] && has_said '\.front\.ll:[0-9]+:[0-9]+: error'
}

one_pass() { # OUTPUT [FLAG...]
  if [[ ${#keeping_flags[@]} -gt 0 && " ${*:2}" != *' -emit-'* ]]; then
    pass_before_code "$stem.kept.ll" "${@:2}" -emit-llvm && generate_code "$stem.kept.ll" "$1"
  else
    pass_before_code "$@"
  fi
}
pass_before_code() { # OUTPUT [FLAG...]
  local programs=()
  [[ ${#extreme_flags[@]} -eq 0 ]] || programs+=(keep_conversions.awk)
  [[ ${#wide_flags[@]} -eq 0 || $clang_major -lt 16 ]] || programs+=(call_wide.awk)
  [[ $nameless -eq 0 ]] || programs+=(show_nameless.awk)
  [[ $owning -eq 0 ]] || programs+=(own_arguments.awk)
  if [[ ${#programs[@]} -gt 0 ]]; then changed_pass "$@"; else plain_pass "$@"; fi
}
plain_pass() { # OUTPUT [FLAG...]
  run_once "$clang" "${toolkit_flags[@]}" "${cuda_flags[@]}" --cuda-device-only "${text_flags[@]}" \
    "${device_flags[@]}" -Xclang "$long_double" "${libdevice_flags[@]}" "${shuffle_flags[@]}" \
    "${print_flags[@]}" "${wide_flags[@]}" "${extreme_flags[@]}" "${keeping_flags[@]}" \
    "${separate_flags[@]}" "${platform_flags[@]}" "${list_flags[@]}" "${common_options[@]}" \
    "${warning_options[@]}" "${color_flags[@]}" "${overlay_flags[@]}" "${@:2}" "$file" -o "$1"
}
changed_pass() { # OUTPUT [FLAG...]: with what the programs of awk named in `programs` change
  local program
  plain_pass "$stem.front.ll" "${@:2}" -emit-llvm -Xclang -disable-llvm-passes || return
  for program in valid_casts.awk "${programs[@]}"; do
    awk -f "$parts_dir/$program" "$stem.front.ll" >"$stem.changed.ll" || return
    mv -f "$stem.changed.ll" "$stem.front.ll"
  done
  back_end "$stem.front.ll" "$1" "${print_flags[@]}" "${@:2}"
}
back_end() { # IR OUTPUT [FLAG...]: what a pass does behind the front end
  run_once "$clang" -x ir --target=nvptx64-nvidia-cuda -march="$arch" -nocudalib \
    --cuda-path=/nonexistent "${text_flags[@]}" "${@:3}" "$1" -o "$2"
}
# generate_code IR PTX: of code that is optimised. What choose_keeping asks of the optimiser would
# keep code generation from loading several words at once.
generate_code() {
  [[ ${#keeping_flags[@]} -eq 0 ]] || sed -i 's/ noimplicitfloat\b//' "$1" || return
  back_end "$1" "$2" -Xclang -disable-llvm-passes
}

# choose_lists PTX: a list of dependencies is PTX's, which clang itself does not write, and named
# after it.
choose_lists() {
  local said=" ${depend_options[*]} "
  list_flags=("${depend_options[@]}")
  [[ $said != *' -MD '* && $said != *' -MMD '* ]] || {
    [[ $said == *' -M'[TQ]' '* ]] || list_flags+=(-MT "$1")
    [[ $said == *' -MF '* ]] || list_flags+=(-MF "${1%.*}.d")
  }
}
