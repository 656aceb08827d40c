# SPDX-License-Identifier: MIT
# holds_long_double.awk - whether LLVM IR with debug information has a structure's member or a
# variable of the device that is a long double, or leads to one: ends with 0 where it has.

/^![0-9]+ = / {
  if (/DIBasicType\(name: "long double"/) is_long[$1] = 1
  if (match($0, /baseType: ![0-9]+/)) base[$1] = substr($0, RSTART + 10, RLENGTH - 10)
  if (/DW_TAG_member|DW_TAG_inheritance/) member[$1] = 1
  if (/DIGlobalVariable\(/ && match($0, / type: ![0-9]+/))
    variable[$1] = substr($0, RSTART + 7, RLENGTH - 7)
}
END {
  do { # typedefs, pointers, arrays of what is one
    more = 0
    for (id in base)
      if (base[id] in is_long && !(id in is_long) && !(id in member)) more = is_long[id] = 1
  } while (more)
  for (id in member) if (base[id] in is_long) found = 1
  for (id in variable) if (variable[id] in is_long) found = 1
  exit !found
}
