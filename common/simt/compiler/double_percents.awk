# SPDX-License-Identifier: MIT
# double_percents.awk - C++ with "%laneid" as "%%laneid" in inline assembly with operands, as clang
# wants it and nvcc does not: prints it. Comments, literals and other code are left alone.

{ text = text $0 "\n" }

# Prints the statement that begins behind the parenthesis at the start of `text`, takes it off. Only
# its end says whether it has operands, so both forms are kept until then.
function take_assembly(   i, c, depth, quoted, operands, plain, doubled) {
  for (i = depth = 1; i <= length(text) && depth > 0; i++) {
    c = substr(text, i, 1)
    plain = plain c
    if (quoted && c == "\\") {
      c = c substr(text, ++i, 1)
      plain = plain substr(c, 2)
    } else if (quoted && c == "%") {
      if (substr(text, i + 1, 1) == "%") {
        c = "%%"
        plain = plain "%"
        i++
      } else if (substr(text, i + 1, 1) ~ /[A-Za-z_]/) c = "%%"
    } else if (c == "\"") quoted = !quoted
    else if (!quoted && c == "(") depth++
    else if (!quoted && c == ")") depth--
    else if (!quoted && c == ":") operands = 1
    doubled = doubled c
  }
  printf "%s", operands && depth == 0 ? doubled : plain
  text = substr(text, i)
}

END {
  comment = "//[^\n]*|/[*]([^*]|[*]+[^*/])*[*]+/"
  literal = "\"([^\"\\\\]|\\\\.)*\"|\047(\\\\[^\047]+|[^\047\\\\])\047"
  assembly = "[A-Za-z0-9_]*asm(__)?[ \t\n]*((__)?volatile(__)?)?[ \t\n]*[(]"
  while (match(text, comment "|" literal "|" assembly)) {
    token = substr(text, RSTART, RLENGTH)
    printf "%s", substr(text, 1, RSTART + RLENGTH - 1)
    text = substr(text, RSTART + RLENGTH)
    if (token ~ /^(__)?asm[^A-Za-z0-9]/ || token ~ /^(__)?asm__/) take_assembly()
  }
  printf "%s", text
}
