# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# long_double.sh - long double in device code. nvcc takes it for a double there, and what the host
# has laid out with a long double, its device code does not find where it is.
#
# In the first pass it is as large as the host's (-mlong-double-128), so that clang, which has no
# such type on a GPU, stops where device code computes with one; structures that hold one are seen
# in the intermediate code. Code of which no more than values on the way are long double is compiled
# again with a double; other code is refused. Reads file, laid_over, headers; sets long_double.

lacks_long_double="requires 128 bit size 'long double' type support"
long_double_name='long[[:space:]]+double'

is_wide_as_hosts() { [[ $long_double == -mlong-double-128 ]]; }
computes_long() { is_wide_as_hosts && has_said "$lacks_long_double"; }

# narrow_long_double: from here on it is a double, where the pass has failed for want of the type
# and no kernel's parameter, member of a structure or variable that the host may see is one. Fails
# where it is not so.
narrow_long_double() {
  computes_long || return 1
  cp "$tmp/stderr" "$tmp/long"
  long_double=-mlong-double-64
  if ! is_in_text "sizeof[[:space:]]*\\(?[[:space:]]*$long_double_name" \
    "${laid_over[$file]:-$file}" &&
    device_pass "$stem.double.ll" -emit-llvm -Xclang -disable-llvm-passes \
      -Xclang -debug-info-kind=limited && ! shares_long_double "$stem.double.ll"; then
    warn "$file: long double is a double in device code, as with nvcc"
    return 0
  fi
  long_double=-mlong-double-128
  cp "$tmp/long" "$tmp/stderr"
  cat "$tmp/long" >&2
  return 1
}
shares_long_double() { # IR
  { grep -oE '@[A-Za-z0-9_.$]+, !"kernel"' "$1"; grep -E '^define .*ptx_kernel ' "$1"; } |
    sed -E 's/.*@([A-Za-z0-9_.$]+).*/\1/' | c++filt 2>/dev/null | grep -q 'long double' && return
  awk -f "$parts_dir/holds_long_double.awk" "$1"
}

# has_long_double: device code sees a structure or a parameter with a long double; says where. Only
# texts that mention the type cost a pass for it.
has_long_double() {
  local text name line code=$stem.long.ll
  is_wide_as_hosts && text=$(first_mention) || return 1
  device_pass "$code" -emit-llvm -Xclang -disable-llvm-passes || return 1
  grep -v ' c"' "$code" | grep -q 'fp128' || return 1
  name=$(sed -nE 's/^%"?(struct|class|union)\.([^" ]+)"? = type .*fp128.*/\2, which/p' "$code" |
    head -n 1)
  line=$(grep -nEm1 "^[^/]*$long_double_name" "$text" | cut -d: -f1)
  say_error "$text:$line: device code sees ${name:-a parameter or a variable that} holds a long \
double: nvcc's device code does not have it as the host has it; use double in what device code \
sees. Host code may use long double"
}
first_mention() { # prints the file, or the first header of the program, that mentions the type
  local text
  for text in "$file" "${headers[@]}"; do
    [[ $text != /usr/include/* || $text == "$file" ]] || continue
    ! is_in_text "$long_double_name" "$text" || { printf '%s' "$text" && return; }
  done
  return 1
}
