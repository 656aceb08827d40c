#!/bin/bash
# SPDX-License-Identifier: MIT
# test_launches.sh SIMTCC - what launches by device code become, and kernels that it names, in the
# copy of a text that simtcc compiles (spell_launches.awk).
set -u
program=$(dirname "$(readlink -f "$1")")/compiler/spell_launches.awk
failed=0

# places MARK TEXT: the LINE:COLUMN of each mark, marks not counted.
places() {
  awk -v mark="$1" '{
    column = 0
    for (i = 1; i <= length($0); i++) {
      c = substr($0, i, 1)
      if (c == mark) printf "%d:%d ", NR, column + 1
      if (c !~ /[@~]/) column++
    }
  }' <<<"$2"
}

# becomes TEXT WANTED: @ stands where clang has stopped, ~ where it has found no match for a call.
becomes() {
  local text got
  text=$(tr -d '@~' <<<"$1")
  got=$(LC_ALL=C awk -v launches="$(places @ "$1")" -v unmatched="$(places '~' "$1")" \
    -f "$program" <<<"$text")
  [[ $got == "$2" ]] && return
  printf '%s\nbecomes\n%s\nwanted\n%s\n\n' "$1" "$got" "$2"
  failed=1
}
stays() { becomes "$1" "$(tr -d '@~' <<<"$1")"; }

constant() { printf '(::simt_device::address<decltype(&%s), &%s>::value)' "$1" "$1"; }
deduced() { # KERNEL ARGUMENTS
  printf '(::simt_device::address<decltype(::simt_device::taking(%s)), %s>::value)' "$2" "$1"
}
launch=::simt_device::launch

# Names, and what may stand before and behind one.
becomes '{ @k<<<1, 2>>>(a, b); }' "{ $launch($(constant k), 1, 2)(a, b); }"
becomes 'if (n) @k <<<g, b, 0, s>>> ();' "if (n) $launch($(constant 'k '), g, b, 0, s) ();"
becomes '::a::@k<<<1, 1>>>(x);' "$launch($(constant ::a::k), 1, 1)(x);"
becomes '~a::k<b<int>, (1 > 0)>@<<<1, 1>>>(x);' \
  "$launch($(constant 'a::k<b<int>, (1 > 0)>'), 1, 1)(x);"
becomes 'else ~k@<<<1, 1>>>(x, ")");' "else $launch($(deduced k 'x, ")"'), 1, 1)(x, \")\");"
becomes 'return @k<<<f(1, 2), {1, 2}>>>(g(h()));' \
  "return $launch($(constant k), f(1, 2), {1, 2})(g(h()));"

# Expressions.
becomes 'f[i]@<<<1, 1>>>(x);' "$launch(f[i], 1, 1)(x);"
becomes 'if (n) (f)@<<<1, 1>>>(x);' "if (n) $launch((f), 1, 1)(x);"
becomes 'p@<<<1, 1>>>(x);' "$launch(p, 1, 1)(x);"

# Two in one line, found in either order, and one found twice.
becomes '@k<<<1, 1>>>(x); @l<<<2, 2>>>(y);' \
  "$launch($(constant k), 1, 1)(x); $launch($(constant l), 2, 2)(y);"
becomes '@k@<<<1, 1>>>(x);' "$launch($(constant k), 1, 1)(x);"

# Lines stay where they are, also in a macro; comments are in no copy of a piece.
becomes $'@k<<<1, // one )\n  1 /* >>> */\n  >>>(x,\n      y);\nz' \
  "$launch($(constant k), 1, // one )"$'\n  1 /* >>> */\n  )(x,\n      y);\nz'
becomes $'~k@<<<1, 1>>>(x, // first\n  y);' \
  "$launch($(deduced k 'x,    y'), 1, 1)(x, // first"$'\n  y);'
becomes $'#define L(k, ...) \\\n  @k<<<1, 1>>>(__VA_ARGS__)' \
  $'#define L(k, ...) \\\n'"  $launch($(constant k), 1, 1)(__VA_ARGS__)"

# A kernel that is only named.
becomes 'ask(&a, @k);' "ask(&a, $(constant k));"
becomes 'ask(&@k<int>, 1);' "ask($(constant 'k<int>'), 1);"
becomes 'p = @k; q < r;' "p = $(constant k); q < r;"

# What is no launch.
stays 'k@<<<1, 1>>>;'
stays 'k@<<<1, 1(x);'
stays 'a = b < c;'
stays 'puts("k<<<1, 1>>>(x)");'

exit $failed
