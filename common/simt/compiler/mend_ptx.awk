# SPDX-License-Identifier: MIT
# mend_ptx.awk - PTX of clang with the errors mended that the text shows: prints it, read once.
#
# Each error leaves a pattern that right code never has (book/decisions/0017-compilers.md). Text of
# inline assembly is left alone. Variables, all numbers:
#
#   major, counted   version of clang; the one whose code is right but for what every clang does
#   optimised        the device code is
#   fmad, ftz        -fmad, -ftz
#   target           what the PTX says that it is for; '': what clang says
#   mending          0: only what options ask for and what functions of libdevice mean (SIMTCC_MEND)
#   notes            name of a file that gets a line for each thing that is left to do:
#     by_ir          errors that only the intermediate code can tell from right code (mends.sh)
#     externs        names that another file must define (separate.sh)
#
# To add a mend: a rule below "Errors", with what clang does, in which versions, and what it should
# do; code that leads to it in tests/compilers/known_errors.cu.

function operand(field) { sub(/[,;]$/, "", field); return field }
function note(what) { noted[what] = 1 }

BEGIN {
  old = major < counted
  has_wrong_truths = optimised && major <= 19
  flushing = "^\t(add|sub|mul|fma|min|max|abs|neg|div|rcp|r?sqrt|ex2|lg2|sin|cos|setp)[.].*f32 "
  printf "" > notes
}
END {
  if (held != "") print held
  for (what in noted) print what > notes
}

# ---- A copied sign: `abs` and `neg` of it, and a GPU's `neg` leaves the sign of NaN. An `abs` is
# held (below) until the next line has said what it is for; that line is then read as every other.
held != "" {
  absolute = held
  held = ""
  if ($1 == "neg.f64" && operand($3) == magnitude) {
    printf "\tand.b64 \t%s, %s, 9223372036854775807;\n", magnitude, copied
    printf "\tor.b64 \t%s, %s, -9223372036854775808;\n", operand($2), copied
    next
  }
  print absolute
}

# ---- For whom it is: programs ask for it (cudaFuncAttributes::ptxVersion). Newer architectures
# need newer PTX.
target && substr(target, 4) > 86 && /^\.version 7/ {
  $2 = substr(target, 4) > 90 ? "8.7" : "7.8"
}
target && /^\.target / { sub(/sm_[0-9]+/, target) }

# ---- What asks for the intermediate code.
# A truth value, converted to a number as if it were signed.
has_wrong_truths && /^\tselp\.u32 .* 1, 0, / { truth[operand($2)] = 1 }
has_wrong_truths && /^\tcvt\.rn\.b?f(16|32|64)\.s32 / && operand($3) in truth { note("by_ir") }
# A float that is converted to 16 bits, or to 8 through them.
/^\tcvt\.rzi\.[su]16\.f(32|64) / { note("by_ir") }
# Words of 64 bits that are stored one below the other, as they were loaded or all the same, may be
# one access of 128.
optimised && /^[^\t]/ { base = "" }
optimised && /^\tld\.[a-z.]*(b|u)64 / { loaded[operand($2)] = NR }
optimised && /^\tst\.[a-z.]*(b|u)64 / {
  at = $2
  gsub(/[][,]/, "", at)
  n = split(at, part, "+")
  offset = n > 1 ? part[2] : 0
  stored = operand($3)
  if (part[1] == base && offset == below && (stored == before || loaded[stored] == NR - 1))
    note("by_ir")
  base = part[1]
  below = offset - 8
  before = stored
}

# ---- Inline assembly begins and ends.
/^[ \t]*\/\/ begin inline asm/ { inline = 1 }
/^[ \t]*\/\/ end inline asm/ { inline = 0 }

# ---- What options and libdevice's functions mean.
ftz && !inline && !/\.ftz\./ && $0 ~ flushing { sub(/\.f32/, ".ftz.f32") }
/^\tabs\.f64 / && !inline {
  held = $0
  magnitude = operand($2)
  copied = operand($3)
  next
}

/^\.extern \.(func|global|const)/ && !(mending && /__cxa_pure_virtual/) { note("externs") }
!mending { print; next }

# ---- Errors.
# Every clang: what is called through a pure virtual function stops, as on a GPU.
pure { pure = !/;/; next }
/^\.extern \.func __cxa_pure_virtual/ {
  print ".func __cxa_pure_virtual()\n{\n\ttrap;\n}"
  pure = !/;/
  next
}

# Every clang: variables of 3, 5 or 6 bytes have a type that PTX lacks. They become bytes.
/^\.global .*\.u(24|40|48) / {
  match($0, /\.u(24|40|48) /)
  head = substr($0, 1, RSTART - 1)
  bits = substr($0, RSTART + 2, 2) + 0
  name = substr($0, RSTART + RLENGTH)
  value = name
  sub(/[ ;].*/, "", name)
  text = ""
  if (value ~ /=/) {
    sub(/.*= */, "", value)
    sub(/;.*/, "", value)
    value += 0
    if (value < 0) value += 2 ^ bits
    for (i = 0; i < bits; i += 8) {
      text = text (i ? ", " : " = {") value % 256
      value = int(value / 256)
    }
    text = text "}"
  }
  print head ".b8 " name "[" bits / 8 "]" text ";"
  next
}

# -fmad=true: clang would fuse by rules of its own; it is asked not to, and its rounding modifiers
# go. Sums take in products by the rules of nvcc and ptxas when the PTX is loaded (contract.c).
!inline && fmad && /^\t(mul|add|sub)\.rn\.(ftz\.)?f(32|64) / { sub(/\.rn/, "") }

inline || !old { print; next }

# 14 and 15: a shift by 31 of a widened int as a product with the int -2^31.
major < 16 && /^\tmul\.wide\.s32 .*, -2147483648;/ {
  printf "\tcvt.s64.s32 \t%s, %s;\n", operand($2), operand($3)
  printf "\tshl.b64 \t%s, %s, 31;\n", operand($2), operand($2)
  next
}

# 14 to 16, perhaps later: the sign bits of an arithmetic shift, taken by a bfe beyond bit 63, which
# gives zeros.
/^\tbfe\.u64 / && operand($4) + operand($5) > 64 {
  first = operand($4)
  width = operand($5)
  printf "\tshr.s64 \t%s, %s, %d;\n", operand($2), operand($3), first
  printf "\tshl.b64 \t%s, %s, %d;\n", operand($2), operand($2), 64 - width
  printf "\tshr.u64 \t%s, %s, %d;\n", operand($2), operand($2), 64 - width
  next
}

# The same: two bytes loaded from a variable that the optimiser has shrunk to one.
/^\.global .*\.u8 [^ \[]*( =.*)?;/ {
  name = $0
  sub(/.*\.u8 /, "", name)
  sub(/[ ;].*/, "", name)
  byte["[" name "]"] = 1
}
/^\tld\.(volatile\.)?global\.u16 / && operand($NF) in byte { sub(/\.u16/, ".u8") }

{ print }
