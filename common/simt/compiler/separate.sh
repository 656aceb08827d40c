# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# separate.sh - device code of several files, -rdc=true: what one file sees of another's
# (book/decisions/0034-device-code-of-several-files.md).
#
# Device code is linked when the program runs, but who defines what is the host linker's to find
# out: every file gets, for each of its device symbols, a host symbol of that name behind
# $symbol_prefix. So archives give what is needed, and what is missing or there twice is an error of
# the link (link.sh).

symbol_prefix=__simt_device_code.

# Static variables of a file that the host uses get names that no other file has: from its path and
# what is asked of it, so that both passes agree.
choose_separate() {
  local id
  separate_flags=()
  [[ $separate -eq 1 ]] || return 0
  id=$(printf '%s\n' "$(readlink -f "$file")" "${common_options[@]}" | md5sum | cut -c1-16)
  # Older drivers tell the device pass alone of the identifier.
  separate_flags=(-D__CUDACC_RDC__ -fgpu-rdc "-cuid=$id" -Xclang "-cuid=$id")
  [[ $clang_major -lt 15 ]] || separate_flags+=(--no-offload-new-driver)
}

device_symbols() { # PTX: prints "extern NAME", "weak NAME" or "visible NAME", a line each
  awk -f "$parts_dir/device_symbols.awk" "$1" | LC_ALL=C sort
}
mark_symbols() { # PTX HEADER: writes the header, assembly for the host's code
  device_symbols "$1" | awk -v prefix="$symbol_prefix" '
    BEGIN { print "__asm__(\".pushsection .simt_device_symbols,\\\"aw\\\"\\n\"" }
    $1 == "extern" { print "  \".long " prefix $2 " - .\\n\""; next }
    { print "  \"." ($1 == "weak" ? "weak" : "globl") " " prefix $2 "\\n" prefix $2 ":\\n\"" }
    { print "  \".long 0\\n\"" }
    END { print "  \".popsection\\n\");" }' >"$2"
}

# check_whole PTX: without -rdc=true device code may not use what another file defines, which no
# linker would find.
check_whole() {
  local missing
  missing=$(device_symbols "$1" | sed -n 's/^extern //p' | head -n 1)
  [[ -n $missing ]] || return 0
  rm -f "$1"
  fail "$file: device code uses '$(readable_name "$missing")', which another file defines: compile \
with -rdc=true (or -dc)"
}
readable_name() { # SYMBOL: prints it as the source has it
  c++filt "$1" 2>/dev/null || printf '%s' "$1"
}
