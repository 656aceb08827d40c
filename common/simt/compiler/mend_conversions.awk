# SPDX-License-Identifier: MIT
# mend_conversions.awk - LLVM IR with conversions as nvcc makes them: prints it; ends with 1 where
# there is nothing to mend.
#
# Variables: major, the version of clang that wrote it; optimised, 0 or 1.

BEGIN { has_wrong_truths = optimised && major <= 19 }

# Clang 14 to 19 convert a negated truth value, -(int)(a | b), to +1.0: `sitofp i1`, whose 1 means
# -1, becomes a selp of 1 or 0 and a signed cvt. The conversion of (int)(a | b) can look the same in
# PTX. Each becomes a select between -1.0 and 0.0. Unoptimised code has none.
has_wrong_truths && match($0, / = sitofp (<[0-9]+ x )?i1>? [^ ]+ to /) {
  found = 1
  from = substr($0, RSTART + 10, RLENGTH - 14)
  tail = substr($0, RSTART + RLENGTH)
  lanes = from ~ /^</ ? substr(from, 2) + 0 : 0
  match(tail, lanes ? "^<[^>]*>" : "^[a-z]+")
  type = substr(tail, 1, RLENGTH)
  minus = "-1.0"
  zero = "0.0"
  if (lanes) {
    element = type
    sub(/^<[0-9]+ x /, "", element)
    sub(/>$/, "", element)
    minus = ""
    for (i = 0; i < lanes; i++) minus = minus (i ? ", " : "<") element " -1.0"
    minus = minus ">"
    zero = "zeroinitializer"
  }
  sub(/ = sitofp .*/, "")
  print $0 " = select " from ", " type " " minus ", " type " " zero substr(tail, RLENGTH + 1)
  next
}

# A float that char or short cannot hold has no value in C++, and what an image program stores of
# -3.5f depends on how it is converted. nvcc converts to 32 bits, signed as the type is, and cuts
# off the rest; clang converts to 16, and an unsigned char as if it were signed.
match($0, / = fpto[su]i .* to (<[0-9]+ x )?i(8|16)>?/) {
  found = 1
  name = substr($0, 1, RSTART - 1)
  head = substr($0, RSTART, RLENGTH)
  tail = substr($0, RSTART + RLENGTH)
  narrow = head
  sub(/.* to /, "", narrow)
  wide = narrow
  sub(/i(8|16)/, "i32", wide)
  sub(/ to .*/, " to " wide, head)
  indent = name
  sub(/%.*/, "", indent)
  whole = "%simt.whole." ++n
  print indent whole head tail
  print name " = trunc " wide " " whole " to " narrow tail
  next
}

{ print }
END { exit !found }
