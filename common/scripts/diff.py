#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What changes from one variant to another: counter by counter and line by line; on the software
GPU.

    diff.py --a 05_shuffle:last_warp --b 05_shuffle:warp_first [--n 2^20] [--build build]

A variant is named LESSON:VARIANT; `exercise` and `solution` as VARIANT are the kernels of
exercises/NN_name.cu and solutions/NN_name.cu, as their suite runs them. Without `:VARIANT` it is
the lesson's first. It shows the counters and the lines whose cost differs; --verbose shows
everything. Counts are exact; times are modelled.
Exit: 0 compared, 1 a program failed (what ran is still compared), 2 wrong use.
"""

import argparse
import os
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import bounds  # noqa: E402
import explain  # noqa: E402
from compare import Refusal, backend_of  # noqa: E402
from compare_text import WIDTH, Style, number, times  # noqa: E402

NAME = 34  # columns of a counter's name
VALUE = 14


class Side:
    """One variant as it was run."""

    def __init__(self, letter, text, arguments, folder):
        self.letter = letter
        lesson, _, variant = text.partition(":")
        if variant in explain.OWN:
            ran = explain.run_own(arguments.build, lesson, variant, folder)
        else:
            ran = explain.run_variant(arguments.build, lesson, variant, arguments.n,
                                      folder / "report")
        self.title, self.report, self.status, said = ran
        self.is_own = variant in explain.OWN
        if not self.report["lines"]:
            raise Refusal(f"{letter}={text}: no kernel ran: {said}")
        self.lines = explain.merged(self.report["lines"])
        self.total_ms = sum(kernel["total_ms"] for kernel in self.report["kernels"])

    def bound(self):
        return max(self.report["kernels"], key=lambda kernel: kernel["total_ms"])["bound"]


# --- counters -------------------------------------------------------------------------------------

def change(a, b):
    """How a number changes, in words."""
    if a == b:
        return "the same"
    if not a or not b:
        return "new" if not a else "gone"
    return f"{times(b / a)} as many" if b / a >= 0.01 else "under 0.01x as many"


def counter_lines(a, b, verbose):
    """The counters that differ; first those that differ most."""
    left, right = a.report["counters"], b.report["counters"]
    names = [name for name in left if name in right and (left[name] or right[name])]
    if not verbose:
        names = [name for name in names if left[name] != right[name]]
    weight = {name: max(left[name], right[name]) / max(1, min(left[name], right[name]))
              for name in names}
    return [f"{name:{NAME}}{number(left[name]):>{VALUE}}{number(right[name]):>{VALUE}}  "
            f"{change(left[name], right[name])}"
            for name in sorted(names, key=lambda name: (-weight[name], name))]


def time_lines(a, b):
    """Modelled times and what they go into, side by side."""
    lines = [f"{'modelled ms, all launches':{NAME}}{a.total_ms:>{VALUE}.4g}"
             f"{b.total_ms:>{VALUE}.4g}  {times(a.total_ms / b.total_ms)} as fast"]
    for name, text in explain.PARTS.items():
        left, right = (sum(kernel[name] for kernel in side.report["kernels"]) for side in (a, b))
        if max(left, right) >= 0.05 * max(a.total_ms, b.total_ms):
            lines.append(f"{'  of it, alone: ' + text:{NAME}}{left:>{VALUE}.3g}"
                         f"{right:>{VALUE}.3g}")
    return lines


# --- lines ----------------------------------------------------------------------------------------

def line_pairs(a, b):
    """{file: [(line, cost in A or None, cost in B or None)]}, files in the order of their names."""
    files = {}
    for file, line in sorted(a.lines.keys() | b.lines.keys()):
        key = file, line
        files.setdefault(file, []).append((line, a.lines.get(key), b.lines.get(key)))
    return files


def said_of(mark, said):
    return explain.wrapped("; ".join(said), f"        {mark} ") if said else []


def listing(file, pairs, a, b, verbose, style):
    """The lines of one file whose cost differs: - what A paid, + what B pays."""
    source, out = explain.source_of(file), []
    for line, left, right in pairs:
        if left == right and not verbose:
            continue
        words = [explain.remarks(cost, side.lines) if cost else []
                 for side, cost in ((a, left), (b, right))]
        if words[0] == words[1] and not verbose:
            continue
        below = said_of("-", words[0]) + said_of("+", words[1])
        text = source[line - 1] if source and 0 < line <= len(source) else ""
        mark = " " if left and right else "-" if left else "+"
        out += [f"{mark}{line:5} | {text}"[:WIDTH].rstrip(), *map(style.dim, below)]
    title = style.bold(explain.shown_name(file) or "Code without a line")
    return ["", title, *out] if out else []


def compared(a, b, verbose, style):
    lines = [style.bold(f"{side.letter}: {side.title}"[:WIDTH]) for side in (a, b)]
    lines.append(f"{a.report['device']}; counts are exact, times modelled")
    if a.is_own != b.is_own:
        lines.append("One is run by its suite and one by the lesson: their sizes differ.")
    lines += ["", style.bold(f"{'':{NAME}}{'A':>{VALUE}}{'B':>{VALUE}}"), *time_lines(a, b)]
    counters = counter_lines(a, b, verbose)
    lines += counters or ["No counter differs."]
    for file, pairs in line_pairs(a, b).items():
        lines += listing(file, pairs, a, b, verbose, style)
    if a.bound() == b.bound():
        ending = [f"Both: {bounds.sentence(a.bound())}"]
    else:
        ending = [f"{side.letter}: {bounds.sentence(side.bound())}" for side in (a, b)]
    return [*lines, "", *(part for text in ending for part in explain.wrapped(text, ""))]


# --- main -----------------------------------------------------------------------------------------

def diff(arguments):
    if backend_of(arguments.build) == "cuda":
        raise Refusal("these programs run on a real GPU, which does not count by line: make diff "
                      "BACKEND=SIMT BUILD=build-simt, with the same A and B")
    if arguments.device:
        os.environ["SIMT_DEVICE"] = arguments.device
    sides = []
    with tempfile.TemporaryDirectory() as folder:
        for letter, text in (("A", arguments.a), ("B", arguments.b)):
            place = Path(folder) / letter
            place.mkdir()
            sides.append(Side(letter, text, arguments, place))
    print("\n".join(compared(*sides, arguments.verbose, Style(sys.stdout))))
    failed = [side.letter for side in sides if side.status]
    if failed:
        print(f"Not every result of {' and '.join(failed)} was right; what was run is compared all "
              "the same.", file=sys.stderr)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--a", required=True, help="LESSON:VARIANT, or LESSON:exercise")
    parser.add_argument("--b", required=True)
    parser.add_argument("--n", default="2^20", help="elements (default 2^20)")
    parser.add_argument("--device", help="what the software GPU models, e.g. h200 or a100")
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--verbose", action="store_true", help="what is the same, too")
    try:
        return diff(parser.parse_args())
    except Refusal as refusal:
        print(f"diff: {refusal}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
