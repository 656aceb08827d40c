#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""An exercise as a puzzle: its solution's lines in any order, among wrong ones from the mutants.

    puzzle.py NN_name [--fresh] [--out FILE]

Writes exercises/puzzle/NN_name.cu where there is none, or with --fresh (the old one is kept beside
it). Each line of a blank is there as a comment that begins with //? ; the student removes the
marks of those that belong there and puts them in order. `make puzzle` then judges the file
by its suite: any program that is right is a solution. Exit: 0 there is one to judge, 2 it cannot be
done, 3 it was written and nothing is to be judged yet.
"""

import argparse
import random
import re
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARK = "//? "
MOST_WRONG = 4  # per blank

HEAD = """// A puzzle: each blank holds the lines of a solution, in any order, and some wrong ones.
// Remove "//? " from the lines that belong there, put them in order, and delete or leave the
// rest. Then: make puzzle LESSON={lesson}
"""


class Refusal(Exception):
    """It cannot be done, in a sentence for the user."""


def in_project(path):
    return path.relative_to(ROOT) if path.is_relative_to(ROOT) else path


def parts_of(text):
    """The solution as ("code", line) and ("blank", (indentation, tasks, lines)), as make_exercise
    reads its marks."""
    parts, blank, only, indent = [], None, False, ""
    for line in text.splitlines():
        mark = line.strip()
        if mark.startswith("// BLANK:"):
            if blank is None:
                blank, indent = ([], []), line[:len(line) - len(line.lstrip())]
            blank[0].append(mark[len("// BLANK:"):].strip())
        elif mark == "// END BLANK":
            parts.append(("blank", (indent, *blank)))
            blank = None
        elif mark in ("// SOLUTION ONLY", "// END SOLUTION ONLY"):
            only = not only and mark == "// SOLUTION ONLY"
        elif mark.startswith("// STUB:"):
            if only:
                parts.append(("code", indent + mark[len("// STUB: "):]))
        elif blank is not None:
            blank[1].append(line)
        elif not only:
            parts.append(("code", line.replace("solutions/", "exercises/")))
    return parts


def wrong_lines(folder, right):
    """Lines that mutants put in the place of one of the lines `right`."""
    found = []
    for path in sorted(folder.glob("*.mutant")):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines()
                 if not line.startswith("//")]
        old = [line[1:].strip() for line in lines if line.startswith("-")]
        new = [line[1:].strip() for line in lines if line.startswith("+")]
        if len(old) == 1 and len(new) == 1 and old[0] in right and new[0] not in right \
                and not new[0].startswith("//"):
            found.append(new[0])
    return sorted(set(found))


def make_puzzle(lesson, seed):
    """The text; Refusal when the exercise gives no puzzle."""
    solution = ROOT / "solutions" / f"{lesson}.cu"
    if not solution.exists():
        raise Refusal(f"{lesson} has no exercise.")
    chance = random.Random(f"{lesson} {seed}")
    out = [HEAD.format(lesson=lesson)]
    number = 0
    for kind, part in parts_of(solution.read_text(encoding="utf-8")):
        if kind == "code":
            out.append(part + "\n")
            continue
        indent, tasks, lines = part
        number += 1
        out.append(f"{indent}// Blank {number}: {tasks[0]}\n")
        out += [f"{indent}//   {task}\n" for task in tasks[1:]]
        # A comment behind the code would say where the line belongs.
        pool = [stripped for line in lines if (stripped := re.sub(r" +//.*", "", line).strip())]
        wrong = wrong_lines(ROOT / "tests/mutants" / lesson, pool)
        pool += chance.sample(wrong, min(MOST_WRONG, len(wrong)))
        chance.shuffle(pool)
        out += [f"{indent}{MARK}{line}\n" for line in pool]
    return "".join(out)


def lines_beyond_skeleton(path, lesson):
    """Lines of code that the student's file has and the bare skeleton has not."""
    skeleton = make_puzzle(lesson, 0).splitlines()
    left = {}
    for line in skeleton:
        if MARK not in line:
            left[line] = left.get(line, 0) + 1
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        if left.get(line, 0) > 0:
            left[line] -= 1
        else:
            yield line


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("lesson")
    parser.add_argument("--fresh", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    out = options.out or ROOT / "exercises/puzzle" / f"{options.lesson}.cu"
    try:
        if out.exists() and not options.fresh:
            if not any(line.strip() and not line.lstrip().startswith("//")
                       for line in lines_beyond_skeleton(out, options.lesson)):
                print(f"{out} is as it was given out: take the marks //? away from the lines that "
                      "belong there.")
                return 3
            return 0
        out.parent.mkdir(parents=True, exist_ok=True)
        if out.exists():
            kept = out.with_suffix(time.strftime(".%Y%m%d-%H%M%S.cu"))
            out.rename(kept)
            print(f"Your file is kept as {in_project(kept)}")
        out.write_text(make_puzzle(options.lesson, time.time() if options.fresh else 0),
                       encoding="utf-8")
    except (Refusal, OSError) as error:
        print(error, file=sys.stderr)
        return 2
    print(f"The puzzle is in {in_project(out)}.")
    print(f"Edit it, then: make puzzle LESSON={options.lesson}")
    return 3


if __name__ == "__main__":
    sys.exit(main())
