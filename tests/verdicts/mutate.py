#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""mutate.py: wrong submissions, made from a solution by one systematic change each.

    mutate.py LESSON

A rule is a class, a pattern and what stands there instead; it is tried at every place in the lines
that a student writes (the solution's blanks). Of what comes out, at most MOST are kept, taken from
the classes in turn, so that no class crowds out another. The same solution gives the same mutants
in the same order; a mutant's name is its class, its line in the solution, and a number.
"""
import collections
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MOST = 32
# Of these more are kept, since some of them are other right programs.
MORE = {"10_single_pass_scan": 8}

# (class, pattern, replacements). Patterns see one line without its comment.
RULES = [
    ("operator", r" \+ ", [" - "]),
    ("operator", r" \* ", [" + "]),
    ("operator", r" \+= ", [" = ", " -= "]),
    ("operator", r"&&", ["||"]),
    ("operator", r"\bfmaxf\(", ["fminf("]),
    ("operator", r"\bfminf\(", ["fmaxf("]),
    ("operator", r"(?<=\w) > (?=\w)", [" < ", " >= "]),
    ("operator", r" == (?=\w)", [" != "]),
    ("bound", r" < (n|columns|n_columns|n_rows|n_groups|head|n_warps)\b",
     [r" <= \1", r" < \1 - 1"]),
    ("bound", r"\bi < n \? ([^:;]+) : [^;,)]+", [r"\1"]),
    ("bound", r"\bif \((?:i|c|first) < [^)]+\) ", [""]),
    ("bound", r" < left\b", [" <= left"]),
    ("bound", r"(?<=\bt) < (half|s)\b", [r" <= \1"]),
    ("stride", r"\b(half|s|distance) /= 2", [r"\1 /= 4"]),
    ("stride", r"\bblockDim\.x / 2\b", ["blockDim.x / 4"]),
    ("stride", r"\((\w+) \+ 1\) / 2", [r"\1 / 2"]),
    ("stride", r"\bs = 16\b", ["s = 8", "s = 32"]),
    ("stride", r"(?<=\w) > 0;", [" > 1;"]),
    ("stride", r"\+= blockDim\.x\b", ["+= 32"]),
    ("stride", r"\btile\.size\(\) / 2", ["tile.size() / 4"]),
    ("stride", r"\blanes / 2\b", ["16", "lanes"]),
    ("stride", r"\b2 \* (blockDim\.x|step)\b", [r"\1"]),
    ("guard", r"\bif \((?:t|lane|threadIdx\.x) == 0\) ", [""]),
    ("guard", r"\b(t|lane|threadIdx\.x) == 0\b", [r"\1 == 1"]),
    ("guard", r"\bif \([^()]* < (?:half|s|left)\) ", [""]),
    ("guard", r"\bif \((?:t >= 32|warp > 0|row >= n_rows)\) return;", [""]),
    ("guard", r"\bif \((x > t|w < warp|count > 0|with_prefix != 0)\) ", [""]),
    ("barrier", r"__syncthreads\(\);", [""]),
    ("barrier", r"__syncwarp\(\);", ["", "__syncthreads();"]),
    ("barrier", r"\bwave::sync\(\);", ["", "__syncwarp();"]),
    ("mask", r"0xffffffff\b", ["0xffff", "1"]),
    ("mask", r"\bFULL_MASK\b", ["1", "0xffff"]),
    ("identity", r"-INFINITY\b", ["0.0f", "-FLT_MAX"]),
    ("identity", r"(?<!-)\bINFINITY\b", ["0.0f"]),
    ("identity", r": 0\.0f", [": 1.0f"]),
    ("identity", r"= 0\.0f", ["= 1.0f"]),
    ("identity", r": t;", [": 0;"]),
    ("identity", r"\bNAN\b", ["0.0f"]),
    ("identity", r": n;", [": 0;"]),
    ("identity", r"\b(index|status|count|\*total) = (n|0);", [r"\1 = 1;"]),
    ("index", r"blockIdx\.x \* (?:\(2 \* blockDim\.x\)|blockDim\.x|columns) \+ ", [""]),
    ("index", r"blockIdx\.x \* \(2 \* blockDim\.x\)", ["blockIdx.x * blockDim.x"]),
    ("index", r"\[(t|lane) \+ (half|s)\]", [r"[\1]", r"[\1 + 1]"]),
    ("index", r"\[blockIdx\.x\] = ", ["[0] = "]),
    ("index", r"\b(in|a|b|weight)\[i\]", [r"\1[threadIdx.x]"]),
    ("index", r"\bweight\[c\]", ["weight[threadIdx.x]"]),
    ("index", r"\bthreadIdx\.x % 32\b", ["threadIdx.x"]),
    ("index", r"\bthreadIdx\.x / 32\b", ["threadIdx.x % 32"]),
    ("index", r"\[warp\] = ", ["[lane] = "]),
    ("index", r"\[(out|done|place|exclusive_prefix|first)?( \+ )?(before_me|first|c)\]", [r"[\1]"]),
    ("index", r"\btile - 1 - lane\b", ["tile - lane"]),
    ("index", r"\bi \+ blockDim\.x\b", ["i + 1"]),
    ("index", r"\bin\[i\]", ["in[i + 1]", "in[i - 1]"]),
    ("index", r"blockIdx\.x \* blockDim\.x", ["blockIdx.x * gridDim.x"]),
    ("atomic", r"\batomicCAS\(word, seen,", ["atomicCAS(word, 0,", "atomicCAS(word + 1, seen,"]),
    ("index", r"\bblockIdx\.x \* blockDim\.x\b", ["blockIdx.x * 32", "blockIdx.x * 256"]),
    ("index", r"\bthreadIdx\.x\b(?= *[;,)])", ["blockIdx.x"]),
    ("conversion", r"__float_as_uint\((\w+)\)", [r"(unsigned)\1"]),
    ("conversion", r"__uint_as_float\((\w+)\)", [r"(float)\1"]),
    ("loop", r"\bwhile \(", ["if ("]),
    ("constant", r" / lanes\b", [" / 32"]),
    ("constant", r"\b__popcll\(", ["__popc("]),
    ("constant", r"(?<![\w.])64\b", ["32"]),
    ("constant", r"(?<![\w.])32\b", ["16", "31"]),
    ("constant", r"\b16u?\b", ["15"]),
    ("constant", r"\bcount / 2\b", ["32 / 2", "count"]),
    ("constant", r"\bcount\);", ["32);", "64);"]),
    ("atomic", r"\batomicCAS\((\w+), (\w+), ([^;]+)\);", [r"atomicCAS(\1, \3, \2);",
                                                         r"atomicExch(\1, \3);"]),
    ("atomic", r"\*\(volatile unsigned \*\)word", ["0"]),
    ("atomic", r"\batomicAdd\((&?)([^,;]+), ([^;]+?)\);", [r"*(\1(\2)) += \3;"]),
    ("atomic", r"\batomicCAS\(word, seen, ([^;]+)\);", [r"*word; *word = \1;"]),
    ("loop", r"\bif \(before == seen\) break;", ["break;", ""]),
    ("order", r"^(\s*)fold\((sum|square), count\);$", [r"\1", r"\1fold(square, count);"]),
    ("order", r"\bseen = before;", [""]),
    ("order", r"\bpublish\([^;]*\);", [""]),
    ("order", r"\b(index|\*index) = other_index;", [""]),
    ("order", r"\breturn (value|prefix|before);", [r"return \1 + 1;"]),
    ("order", r"^(\s*)(\w+\[\w+\] = [^;]+;)$", [r"\1"]),
    ("bound", r"\bk < halvings\b", ["k <= halvings", "k + 1 < halvings"]),
    ("bound", r"\bi < now\.end\b", ["i <= now.end", "i + 1 < now.end"]),
    ("bound", r"\bstep < levels\b", ["step <= levels", "step + 1 < levels"]),
    ("stride", r"\(now\.end - now\.first\) / 2", ["(now.end - now.first) / 4", "now.end / 2"]),
    ("guard", r"\brank >> k & 1\b", ["!(rank >> k & 1)", "rank & 1", "rank >> k"]),
    ("index", r"\bnow\.first = middle\b", ["now.first = middle + 1"]),
    ("index", r"\bnow\.end = middle\b", ["now.end = middle - 1"]),
    ("index", r"\b2 \* levels - 1 - step\b", ["2 * levels - step", "step - levels"]),
    ("constant", r"\bk \+ 1, n\b", ["k, n", "k + 2, n"]),
    ("order", r"\bhalving \? rank : rank \^ 1u << k\b",
     ["rank", "halving ? rank ^ 1u << k : rank"]),
    ("order", r"\bhalving \? mine\[i\] \+ other\[i\] : other\[i\]",
     ["other[i]", "mine[i] + other[i]"]),
    ("order", r" / whole\.sum;", [";"]),
    ("order", r" / \(float\)columns", [""]),
    ("order", r"\b(\w+\.sum) \* expf\([^;+]*?\)", [r"\1"]),
]


def written_lines(lines):
    """Numbers of the lines that a student writes: in a blank, neither its marks nor the stub."""
    inside = False
    for number, line in enumerate(lines):
        text = line.strip()
        if text.startswith("// BLANK:"):
            inside = True
        elif text == "// END BLANK":
            inside = False
        elif inside and text and not text.startswith("//"):
            yield number


def mutants_of_line(line):
    """(class, changed line), every rule at every place."""
    code = line.split("//")[0].rstrip()
    for kind, pattern, replacements in RULES:
        for match in re.finditer(pattern, code):
            for replacement in replacements:
                changed = code[:match.start()] + match.expand(replacement) + code[match.end():]
                if changed.strip() != code.strip():
                    yield kind, changed


def all_mutants(lines):
    seen, by_class = set(), {}
    for number in written_lines(lines):
        for kind, changed in mutants_of_line(lines[number]):
            if (number, changed) not in seen:
                seen.add((number, changed))
                by_class.setdefault(kind, []).append((number, changed))
    return by_class


def in_turn(by_class, most):
    """At most `most`, from the classes in turn and spread over each class's places."""
    kept = []
    spread = {kind: found[::2] + found[1::2] for kind, found in by_class.items()}
    while len(kept) < most and any(spread.values()):
        for kind, found in spread.items():
            if found and len(kept) < most:
                kept.append((kind, *found.pop(0)))
    return kept


# `line` from 1; the changed line `before` and `after`; the whole `text`.
Mutant = collections.namedtuple("Mutant", "name kind line before after text lesson")


def mutants(lesson, most=MOST):
    path = ROOT / "solutions" / f"{lesson}.cu"
    lines = path.read_text(encoding="utf-8").splitlines()
    made, numbers = [], {}
    most += MORE.get(lesson, 0)
    for kind, number, changed in in_turn(all_mutants(lines), most):
        numbers[kind, number] = numbers.get((kind, number), 0) + 1
        name = f"{kind}_{number + 1}_{numbers[kind, number]}"
        text = "\n".join(lines[:number] + [changed] + lines[number + 1:]) + "\n"
        if "FLT_MAX" in changed:
            text = text.replace("#include <cuda_runtime.h>", "#include <cuda_runtime.h>\n"
                                "#include <float.h>", 1).replace(
                                    "#include <float.h>\n#include <math.h>", "#include <float.h>")
        made.append(Mutant(name, kind, number + 1, lines[number].strip(), changed.strip(), text,
                           lesson))
    return sorted(made, key=lambda m: (m.line, m.name))


def main():
    for mutant in mutants(sys.argv[1]):
        print(f"{mutant.name}: {mutant.line}\n  - {mutant.before}\n  + {mutant.after}")


if __name__ == "__main__":
    main()
