#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The two pictures of the README: the measured ladder, and a terminal session.

    readme.py --write             draws figures/readme/*.svg from the stored data
    readme.py --check             names those that would differ; exit 1
    readme.py --record --build B  runs the session anew: figures/data/session.txt

The session is two runs of the grader as `make try` calls it: on the solution of lesson 01 without
its barrier in the loop, and on the solution.
"""

import argparse
import re
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "figures"), str(ROOT / "book" / "scripts")]

import tables  # noqa: E402
from stored_data import StoredData  # noqa: E402
from svg import Picture  # noqa: E402

SESSION = ROOT / "figures" / "data" / "session.txt"
LESSON, BARRIER = "01_shared_tree", "    __syncthreads();\n    left = half;"
WORDS = {"00": "one atomic per element", "01": "a tree in shared memory", "02": "no bank conflicts",
         "03": "add while loading", "04": "fewer barriers", "05": "shuffles",
         "06": "wide loads, few threads"}
LINE, SECONDS = 17, 0.35


def ladder(data):
    """A bar for each rung, to scale."""
    width, left = 760, 250
    steps = tables.ladder_steps(data)
    ceiling = float(data.value("ceiling"))
    p = Picture(width, "GB/s of each rung of the ladder, measured on an H200: from "
                       f"{float(steps[0][2]):.1f} to {float(steps[-1][2]):,.0f} of {ceiling:,.0f}")
    p.text(0, 13, "GB/s, adding up 2^28 floats (lesson 00: 2^26), measured on an NVIDIA H200",
           "i-bold")
    known, y = set(), 24
    for lesson, words, value in steps + [("", "the ceiling: reading alone", ceiling)]:
        value = float(value)
        share = (width - left - 70) * value / ceiling
        name = f"{lesson}  {WORDS[lesson]}" if lesson and lesson not in known else words
        if lesson in known:
            name = f"{lesson}  the threads side by side"
        known.add(lesson)
        p.text(0, y + 14, name)
        p.rect(left, y, max(2, share), 18, "i-a" if lesson else "i-cell")
        p.text(left + max(2, share) + 6, y + 14, f"{value:,.{0 if value >= 10 else 1}f}")
        y += 24
    return p.save()


def session_lines():
    return [line for line in SESSION.read_text("utf-8").splitlines() if not line.startswith("#")]


def session():
    """The lines appear one after the other; with reduced motion all stand there at once."""
    lines, width = session_lines(), 760
    height = LINE * len(lines) + 30
    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" '
             f'aria-label="{escape("A terminal: " + " ".join(" ".join(lines).split()), True)}">',
             "<style>text { font: 13px ui-monospace, Menlo, Consolas, monospace; fill: #d7dee5; "
             "white-space: pre; animation: show 0.1s both; } .asked { fill: #8fc7ff; } "
             ".good { fill: #7bc47f; } .bad { fill: #ef8f8c; } "
             "@keyframes show { from { opacity: 0; } to { opacity: 1; } } "
             "@media (prefers-reduced-motion: reduce) { text { animation: none; } }</style>",
             f'<rect width="{width}" height="{height}" rx="8" fill="#14181c"/>']
    for i, line in enumerate(lines):
        kind = "asked" if line.startswith("$") else ""
        passed = re.match(r"passed (\d+) of (\d+)", line)
        if passed:
            kind = "good" if passed[1] == passed[2] else "bad"
        parts.append(f'<text x="14" y="{24 + LINE * i}" class="{kind}" '
                     f'style="animation-delay: {SECONDS * i:.2f}s">{escape(line)}</text>')
    return "\n".join(parts) + "\n</svg>\n"


def record(build):
    """Runs the grader on both files; what it says goes to the stored session."""
    solution = (ROOT / "solutions" / f"{LESSON}.cu").read_text("utf-8")
    wrong = solution.replace(BARRIER, "    left = half;")
    if wrong == solution:
        sys.exit("readme.py: the solution has no longer the barrier that the session leaves out")
    said = []
    for remark, text in (("a barrier is missing", wrong), ("mended", solution)):
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / f"{LESSON}.cu"
            source.write_text(text, encoding="utf-8")
            done = subprocess.run([build / "common/grade/grade", "--try", LESSON, "--build", build,
                                   "--source", source, "--check", "all", "--schedule", "sweep:4",
                                   "--keep", folder], capture_output=True, text=True, check=False)
        if done.returncode not in (0, 1):
            sys.exit(f"readme.py: the grader stopped: {done.stderr}")
        said += [f"$ make try LESSON=01      # {remark}", *done.stdout.rstrip().splitlines(), ""]
    SESSION.write_text("# two runs of make try; made by figures/readme.py --record\n"
                       + "\n".join(said).rstrip() + "\n", encoding="utf-8")


def pictures():
    return {"ladder": ladder(StoredData(ROOT / "figures" / "data")), "session": session()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build")
    action = parser.add_mutually_exclusive_group(required=True)
    for name in ("write", "check", "record"):
        action.add_argument(f"--{name}", action="store_true")
    options = parser.parse_args()
    if options.record:
        record(options.build.resolve())
        return 0
    folder, stale = ROOT / "figures" / "readme", 0
    folder.mkdir(exist_ok=True)
    for name, text in pictures().items():
        path = folder / f"{name}.svg"
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        stale += 1
        if options.write:
            path.write_text(text, encoding="utf-8")
        else:
            print(f"figures/readme/{name}.svg is stale: python3 -B figures/readme.py --write")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
