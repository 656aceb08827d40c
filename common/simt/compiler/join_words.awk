# SPDX-License-Identifier: MIT
# join_words.awk - LLVM IR with copies and fills of small structures as accesses of 16 bytes, where
# their type is aligned to that (float4, uint4, double2, alignas(16)), as nvcc makes them: prints
# it; ends with 1 where there is none.
#
# clang leaves them as memcpy and memset, which the back end cuts into words of 8 bytes: twice the
# requests and twice the sectors. Pointers are `ptr` or, before clang 15, `i8*`.

# The arguments of a call, `text` behind its parenthesis, into arg[], commas inside of brackets
# aside; what follows the call into tail.
function take_arguments(text,   i, c, depth, n) {
  n = 1
  arg[1] = ""
  depth = 0
  for (i = 1; i <= length(text); i++) {
    c = substr(text, i, 1)
    if (c ~ /[([{<]/) depth++
    if (c ~ /[])}>]/ && depth-- == 0) break
    if (c == "," && depth == 0) {
      arg[++n] = ""
      i++
    } else arg[n] = arg[n] c
  }
  tail = substr(text, i + 1)
}

# A pointer with its attributes: into type, value and align; align is 0 for what is none.
function take_pointer(text) {
  match(text, /^(ptr( addrspace\([0-9]+\))?|i8( addrspace\([0-9]+\))?\*) /)
  if (RSTART == 0) {
    align = 0
    return
  }
  type = substr(text, 1, RLENGTH - 1)
  text = substr(text, RLENGTH + 1)
  align = 1
  while (match(text, /^([a-z_]+(\([a-z0-9_, :]*\))?|align [0-9]+) /) &&
         text !~ /^(getelementptr|bitcast|addrspacecast|inttoptr|null|undef|poison) /) {
    if (text ~ /^align /) {
      split(text, word, " ")
      align = word[2] + 0
    }
    text = substr(text, RLENGTH + 1)
  }
  value = text
}

# Prints how to reach 16 bytes of it; returns the operand.
function part_of(type, value, offset,   name, wide) {
  if (offset > 0) {
    name = "%simt.part." ++n_names
    print "  " name " = getelementptr i8, " type " " value ", i64 " offset debug
    value = name
  }
  if (type ~ /^ptr/) return type " " value
  name = "%simt.part." ++n_names
  wide = type
  sub(/^i8/, "<4 x i32>", wide)
  print "  " name " = bitcast " type " " value " to " wide debug
  return wide " " name
}

function size_of(argument,   word) { split(argument, word, " "); return word[2] + 0 }
function is_small(argument,   size) {
  size = size_of(argument)
  return argument ~ /^i(32|64) [0-9]+$/ && size % 16 == 0 && size > 0 && size <= 128
}

# 16 bytes of the value that memset gets.
function filled(argument,   word, fill) {
  split(argument, word, " ")
  fill = sprintf("i32 %.0f", (word[2] + 256) % 256 * 16843009) # 0x01010101
  return "<4 x i32> <" fill ", " fill ", " fill ", " fill ">"
}

# Of a call with its arguments in arg[] (to, from or value, size, volatile).
function is_whole(is_set) {
  if (!is_small(arg[3]) || arg[4] != "i1 false") return 0
  take_pointer(arg[1])
  if (align < 16) return 0
  if (is_set) return arg[2] ~ /^i8 -?[0-9]+$/
  take_pointer(arg[2])
  return align >= 16
}

# All is read before anything is written: to and from may be the same.
function print_copy(size,   at, from, to) {
  take_pointer(arg[2])
  for (at = 0; at < size; at += 16) {
    from = part_of(type, value, at)
    held[at] = "%simt.words." ++n_names
    print "  " held[at] " = load <4 x i32>, " from ", align 16" debug
  }
  take_pointer(arg[1])
  for (at = 0; at < size; at += 16) {
    to = part_of(type, value, at)
    print "  store <4 x i32> " held[at] ", " to ", align 16" debug
  }
}
function print_fill(size,   at, to, words) {
  words = filled(arg[2])
  take_pointer(arg[1])
  for (at = 0; at < size; at += 16) {
    to = part_of(type, value, at)
    print "  store " words ", " to ", align 16" debug
  }
}

/^ *(tail )?call void @llvm\.mem(cpy|set)\.[a-z0-9.]*\(/ {
  is_set = /@llvm\.memset/
  match($0, /\.i(32|64)\(/)
  take_arguments(substr($0, RSTART + RLENGTH))
  debug = match(tail, /, !dbg ![0-9]+/) ? substr(tail, RSTART, RLENGTH) : ""
  if (is_whole(is_set)) {
    found = 1
    if (is_set) print_fill(size_of(arg[3]))
    else print_copy(size_of(arg[3]))
    next
  }
}

{ print }
END { exit !found }
