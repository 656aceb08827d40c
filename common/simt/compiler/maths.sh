# shellcheck shell=bash
# SPDX-License-Identifier: MIT
# maths.sh - whose math functions device code has: those of simt_cuda/math*.h, or libdevice, the
# bitcode of a CUDA toolkit (book/decisions/0058-math-functions.md).
#
# choose_maths sets `libdevice`, the file to link with device code, or leaves it empty.

choose_maths() {
  local magic
  case $maths in
    own) ;;
    auto) find_libdevice ;;
    toolkit)
      find_libdevice || fail "--maths=toolkit: found no libdevice.10.bc (looked in CUDA_HOME, \
CUDA_PATH, beside nvcc and in /usr/local/cuda); name the file, --maths=FILE, or take --maths=own" ;;
    *)
      [[ -f $maths ]] || fail "--maths=$maths: own, toolkit, auto or a file of LLVM bitcode"
      libdevice=$maths ;;
  esac
  if [[ -n $libdevice ]]; then
    IFS= read -r -N 2 magic <"$libdevice"
    [[ $magic == BC ]] || fail "$libdevice is not LLVM bitcode; --maths=own does without it"
  fi
  [[ $verbose -eq 0 ]] ||
    printf '%s: math functions: %s\n' "$me" "${libdevice:-its own (--maths)}" >&2
}
find_libdevice() { # of the toolkit that is asked for, or else found; Debian's is laid out otherwise
  local found
  find_in_toolkit nvvm/libdevice/libdevice.10.bc || find_in_toolkit libdevice/libdevice.10.bc ||
    return
  libdevice=$found
}

# ---- A libdevice whose rounding is kept. mend_ptx.awk takes the rounding modifiers off sums and
# products, and cannot tell those of a text from those that libdevice means: for nearly all of its
# functions that makes no difference. Others ask whether roots are exact, which clang denies. What
# names one of them (measured against nvcc: tests/simt/programs/libdevice_bits.cu) gets a libdevice
# whose rounded sums and products are assembly, which is left alone, and that knows the answer.
rounded_names='lgamma|cyl_bessel|hypot|Cabs|complex|norm([34]d)?f|'
rounded_names+='(^|[^[:alnum:]_])[jy]n?[01]?f?[[:space:]]*\('

make_rounded_libdevice() { # once: $tmp/rounded.bc
  local script question ir=(-x ir --target=nvptx64-nvidia-cuda -O0 -emit-llvm)
  ir+=(-Xclang -disable-llvm-passes -Wno-override-module)
  [[ ! -f $tmp/rounded.bc ]] || return 0
  "$clang" "${ir[@]}" -S "$libdevice" -o "$tmp/libdevice.ll" &&
    question=$(sed -nE 's/^(@[^ ]+) = .* c"__CUDA_PREC_SQRT.*/\1/p' "$tmp/libdevice.ll") &&
    script="$(as_assembly)
s/call i32 @__nvvm_reflect\(.*${question:-none}[,)].*/add i32 0, $exact_sqrt/" &&
    sed -E "/ call /{$script
}" "$tmp/libdevice.ll" >"$tmp/rounded.ll" &&
    "$clang" "${ir[@]}" -c "$tmp/rounded.ll" -o "$tmp/rounded.bc" ||
    fail "$libdevice: clang $clang_major cannot read it; --maths=own does without it"
}
as_assembly() { # prints a script of sed: calls of the rounded sums and products as assembly
  local op type operand ptx
  for op in add mul; do
    for type in f ftz.f d; do
      operand=${type#ftz.} # the constraint of the assembly, too
      ptx=${type/%f/f32}
      ptx=$op.rn.${ptx/%d/f64}
      printf 's/@llvm\\.nvvm\\.%s\\.rn\\.%s\\(/asm "%s $0, $1, $2;", "=%s,%s,%s"(/\n' \
        "$op" "$type" "$ptx" "$operand" "$operand" "$operand"
    done
  done
}
