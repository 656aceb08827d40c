# SPDX-License-Identifier: MIT
# call_wide.awk - LLVM IR with the conversions of 128-bit integers from and to floats as calls of
# the functions that simt_cuda/divide.h defines (__floattidf, __fixunssfti, ...): prints it.

match($0, / = [su]itofp i128 [^ ]+ to (float|double)/) {
  split(substr($0, RSTART, RLENGTH), word, " ") # = OPERATION i128 VALUE to TYPE
  name = "@__float" (word[2] ~ /^u/ ? "un" : "") "ti" (word[6] == "float" ? "sf" : "df")
  $0 = substr($0, 1, RSTART - 1) " = call " word[6] " " name "(i128 " word[4] ")" \
    substr($0, RSTART + RLENGTH)
}
match($0, / = fpto[su]i (float|double) [^ ]+ to i128/) {
  split(substr($0, RSTART, RLENGTH), word, " ") # = OPERATION TYPE VALUE to i128
  name = "@__fix" (word[2] ~ /ui$/ ? "uns" : "") (word[3] == "float" ? "sf" : "df") "ti"
  $0 = substr($0, 1, RSTART - 1) " = call i128 " name "(" word[3] " " word[4] ")" \
    substr($0, RSTART + RLENGTH)
}
{ print }
