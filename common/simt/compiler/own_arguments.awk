# SPDX-License-Identifier: MIT
# own_arguments.awk - LLVM IR in which functions get the caller's copy of an object that its class
# copies, moves or destroys itself, not a copy of the copy: prints it. The caller destroys what it
# has made, so it must be what the function has changed. Parameters of kernels stay as they are.

function base_name(type) { # of a type of the intermediate code: %"class.space::name.7" -> name
  gsub(/[%"]/, "", type)
  sub(/^(struct|class|union)\./, "", type)
  sub(/\.[0-9]+$/, "", type)
  sub(/.*::/, "", type)
  return type
}
function is_special(name,   i, mangled) { # whether such a function of the class is there
  if (name in answers) return answers[name]
  mangled = name ~ /^anon/ ? "Ul.*E[0-9]*_" : length(name) name
  answers[name] = 0
  for (i = 1; i <= n_specials && !answers[name]; i++)
    answers[name] = specials[i] ~ (mangled "(I.*E)?(C[12]|D[012])E")
  return answers[name]
}

{ lines[NR] = $0 }
/^(define|declare) |= (tail )?call |^ *(tail )?call |invoke / {
  rest = $0
  while (match(rest, /@"?_Z[^ (),]*/)) {
    name = substr(rest, RSTART, RLENGTH)
    rest = substr(rest, RSTART + RLENGTH)
    if (name ~ /(D[012]Ev|C[12]E(RK|O|R)S[0-9A-Z]*_)"?$/ && !(name in seen)) {
      seen[name] = 1
      specials[++n_specials] = name
    }
  }
}
/^![0-9]+ = .*!"kernel"/ && match($0, /@[^ ,]+/) { kernels[substr($0, RSTART, RLENGTH)] = 1 }

END {
  for (i = 1; i <= NR; i++) {
    line = lines[i]
    done = ""
    keeps = line ~ /^define .*ptx_kernel/
    if (line ~ /^(define|declare) / && match(line, /@[^ (]+/) &&
        (substr(line, RSTART, RLENGTH) in kernels)) keeps = 1
    while (!keeps && match(line, / byval\(%("[^"]*"|[^)]*)\)/)) {
      text = substr(line, RSTART, RLENGTH)
      name = base_name(substr(text, 8, length(text) - 8))
      done = done substr(line, 1, RSTART - 1) (is_special(name) ? "" : text)
      line = substr(line, RSTART + RLENGTH)
    }
    print done line
  }
}
