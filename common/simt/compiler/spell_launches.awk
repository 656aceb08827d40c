# SPDX-License-Identifier: MIT
# spell_launches.awk - a text with launches by device code as calls, and kernels that it names as
# constants: prints it. What they become is in include/simt_cuda/device_launch.h; lines stay where
# they are.
#
#   -v launches="LINE:COLUMN ..."   where clang has stopped, at a kernel or at <<<
#   -v unmatched="LINE:COLUMN ..."  where it has found no match for what a call begins with: of
#                                   those that are launched, the templates
#
# Bytes count, so it wants LC_ALL=C.

function is_space(c) { return c ~ /[ \t\r\n\f\v\\]/ }
function is_word(c) { return c ~ /[A-Za-z0-9_$]/ }

# The end of what stands before `at`, white space aside.
function before(at) {
  while (at > 1 && is_space(substr(text, at - 1, 1))) at--
  return at - 1
}

# From `at`, which closes something, back to what opens it. In a list of <> there may be others in
# parentheses.
function opening(at,   c, depth, is_list) {
  is_list = substr(text, at, 1) == ">"
  for (depth = 0; at > 0; at--) {
    c = substr(text, at, 1)
    if (is_list && c ~ /[])]/) at = opening(at)
    else if (is_list ? c == ">" : c ~ /[])]/) depth++
    else if ((is_list ? c == "<" : c ~ /[[(]/) && --depth == 0) return at
  }
  return 0
}

# Where the name begins whose end stands before `at`: a::b<c>::d<e>. Or a[b], a(b), (a).
function beginning(at,   first) {
  first = before(at)
  while (substr(text, first, 1) ~ /[])]/) {
    at = opening(first)
    first = before(at)
    if (!is_word(substr(text, first, 1)) && substr(text, first, 1) !~ /[]>]/) return at
    if (substr(text, first - 6, 7) ~ /[^A-Za-z0-9_](else|return|do)$/) return at
  }
  while (1) {
    if (substr(text, first, 1) == ">") first = before(opening(first))
    while (first > 0 && is_word(substr(text, first, 1))) first--
    at = first + 1
    first = before(at)
    if (first < 2 || substr(text, first - 1, 2) != "::") return at
    at = first - 1
    first = before(at)
    if (!is_word(substr(text, first, 1)) && substr(text, first, 1) != ">") return at
  }
}

# Behind the name at `at`: a::b<c<d>>. Where < is no list's, or <<< follows, it ends the name.
function behind_name(at,   c, behind, depth) {
  while (is_word(substr(text, at, 1)) || substr(text, at, 2) == "::") at++
  if (substr(text, at, 1) != "<" || substr(text, at, 3) == "<<<") return at
  for (behind = at; behind && (c = substr(text, behind, 1)) !~ /^[;{}]?$/; behind++) {
    if (c == "(") behind = ending(behind + 1, ")")
    else if (c == "<") depth++
    else if (c == ">" && --depth == 0) return behind + 1
  }
  return at
}

# The place of `end` from `at` on, outside of brackets, quotation marks and comments.
function ending(at, end,   c, depth, quote) {
  for (depth = 0; at <= length(text); at++) {
    c = substr(text, at, 1)
    if (substr(text, at, 2) == "//") at += index(substr(text, at) "\n", "\n") - 1
    else if (substr(text, at, 2) == "/*") at += index(substr(text, at + 2), "*/") + 2
    else if (c == "\"" || c == "'") {
      quote = c
      while (++at <= length(text) && (c = substr(text, at, 1)) != quote)
        if (c == "\\") at++
    } else if (depth == 0 && substr(text, at, length(end)) == end) return at
    else if (c ~ /[(\[{]/) depth++
    else if (c ~ /[)\]}]/) depth--
  }
  return 0
}

# On one line, without comments.
function on_one_line(piece) {
  gsub(/\/\/[^\n]*/, "", piece)
  while (match(piece, /\/\*([^*]|\*+[^*\/])*\*+\//))
    piece = substr(piece, 1, RSTART - 1) " " substr(piece, RSTART + RLENGTH)
  gsub(/\\?\n/, " ", piece)
  return piece
}

# The kernel that text[first, behind) names as a constant; `arguments` are the call's, "" none.
function constant(first, behind, arguments,   name, type) {
  name = substr(text, first, behind - first)
  type = "decltype(::simt_device::taking(" on_one_line(arguments) "))"
  if (!(first in is_unmatched) || name ~ />[ \t\n]*$/) {
    type = "decltype(&" on_one_line(name) ")"
    name = "&" name
  }
  return "(::simt_device::address<" type ", " name ">::value)"
}

# Of the name at `at`, which no launch follows; a & before it goes.
function spell_name(at,   behind, first, start) {
  behind = behind_name(at)
  start = first = beginning(behind)
  if (first > at || behind == at) return
  at = before(first)
  if (substr(text, at, 1) == "&" && substr(text, at - 1, 1) != "&") start = at
  text = substr(text, 1, start - 1) constant(first, behind, "") substr(text, behind)
}

# Of the launch whose <<< stands at `at`: of a kernel's name, where clang has stopped at it, else of
# an expression.
function spell_launch(at,   first, behind, call, last, kernel, arguments, i, name) {
  first = beginning(at)
  behind = ending(at + 3, ">>>")
  if (!first || !behind) return
  for (call = behind + 3; is_space(substr(text, call, 1)); call++) continue
  last = substr(text, call, 1) == "(" ? ending(call + 1, ")") : 0
  if (!last) return
  arguments = substr(text, call + 1, last - call - 1)
  kernel = substr(text, first, at - first)
  name = first in is_unmatched
  for (i = first; i < at; i++) name = name || (i in is_stopped)
  if (name) kernel = constant(first, at, arguments)
  text = substr(text, 1, first - 1) "::simt_device::launch(" kernel ", " \
    substr(text, at + 3, behind - at - 3) ")" substr(text, behind + 3)
}

function spell(at,   chevrons) {
  while (substr(text, at, 1) ~ /[( \t]/) at++
  for (chevrons = behind_name(at); is_space(substr(text, chevrons, 1)); chevrons++) continue
  if (substr(text, chevrons, 3) != "<<<") spell_name(at)
  else if (!(chevrons in is_spelled)) spell_launch(chevrons)
  is_spelled[chevrons]
}

{
  begins[NR] = length(text) + 1
  text = text $0 "\n"
}

END {
  n = split(unmatched, list, " ")
  for (i = 1; i <= n; i++) {
    split(list[i], place, ":")
    is_unmatched[begins[place[1]] + place[2] - 1]
  }
  n = split(launches, list, " ")
  for (i = 1; i <= n; i++) {
    split(list[i], place, ":")
    at[i] = begins[place[1]] + place[2] - 1
    is_stopped[at[i]]
  }
  for (; n > 0; n--) { # from the last on: what stands before it stays in place
    last = 1
    for (i = 2; i <= n; i++) if (at[i] > at[last]) last = i
    spell(at[last])
    at[last] = at[n]
  }
  printf "%s", text
}
