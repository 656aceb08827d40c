# SPDX-License-Identifier: MIT
# keep_conversions.awk - LLVM IR with saturating conversions of floats to integers as the
# instructions of PTX that saturate, which are not computed before they run: prints it. Those to
# integers of 8 and 16 bits keep the low bits of a wider one where the number is a constant, as
# nvcc's do; others become the conversions that they are without -fno-strict-float-cast-overflow.

function conversion(is_unsigned, bits, type) { # as assembly, which clang does not compute
  return "asm \"cvt.rzi." (is_unsigned ? "u" : "s") bits (type == "float" ? ".f32" : ".f64") \
    " $0, $1;\", \"=" (bits > 32 ? "l" : "r") (type == "float" ? ",f" : ",d") "\"(" type " "
}
/^declare .*@llvm\.fpto[su]i\.sat\./ { next }
match($0, / = (tail )?call i[0-9]+ @llvm\.fpto[su]i\.sat\.[^(]+\([a-z]+ [^)]*\)/) {
  before = substr($0, 1, RSTART - 1)
  after = substr($0, RSTART + RLENGTH)
  text = substr($0, RSTART, RLENGTH)
  is_unsigned = text ~ /fptoui/
  sub(/^ = (tail )?call i/, "", text)
  bits = text + 0
  sub(/^[^(]*\(/, "", text) # TYPE VALUE)
  sub(/\)$/, "", text)
  split(text, word, " ")
  is_float = word[1] == "float" || word[1] == "double"
  if (is_float && (bits == 32 || bits == 64)) {
    $0 = before " = call i" bits " " conversion(is_unsigned, bits, word[1]) word[2] ")" after
  } else if (is_float && bits < 32 && word[2] !~ /^%/) {
    wide = before ".wide"
    sub(/%/, "%simt.", wide)
    print wide " = call i32 " conversion(is_unsigned, 32, word[1]) word[2] ")"
    sub(/^ */, "", wide)
    $0 = before " = trunc i32 " wide " to i" bits after
  } else {
    $0 = before " = fpto" (is_unsigned ? "u" : "s") "i " text " to i" bits after
  }
}
{ print }
