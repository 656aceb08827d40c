#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps README's ladder equal to what `make compare` printed in a stored run.

    readme_ladder.py --check                exit 1 if README.md is not what the stored run gives
    readme_ladder.py --check --build DIR    and neither is what the programs in DIR print now, if
                                            the clang that compiled them is the stored run's
    readme_ladder.py                        rewrites README.md from the stored run
    readme_ladder.py --store FILE.csv DATE  makes FILE (build/compare/compare.csv) the stored run

The stored run is figures/data/compare.csv; its date and clang stand in figures/data/compare.date.
"""

import re
import shutil
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import compare_rows  # noqa: E402
import compare_text  # noqa: E402
import provenance  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
STORED = ROOT / "figures/data/compare.csv"
DATE = ROOT / "figures/data/compare.date"
BEGIN, END = "<!-- ladder: begin (readme_ladder.py) -->\n", "<!-- ladder: end -->\n"


def taught():
    """The sentence of each lesson, as its program has it."""
    about = {}
    for program in sorted(ROOT.glob("lessons/[0-9][0-9]_*/*.cu")):
        found = re.search(r'\.taught = "([^"]*)"', program.read_text(encoding="utf-8"))
        if found:
            about[program.parent.name] = {"taught": found.group(1)}
    return about


def screen():
    """What `make compare` prints of the stored run."""
    rows = compare_rows.read_csv(STORED)
    stored = compare_rows.stored_for(rows[0]["device"])
    compare_rows.compare_rungs(rows, stored)
    return "\n".join(compare_text.screen(rows, stored, taught(), compare_text.Style()))


def block():
    return f"```text\n$ make compare        # {DATE.read_text().strip()}\n{screen()}\n```\n"


def refreshed(text):
    head, rest = text.split(BEGIN, 1)
    _, tail = rest.split(END, 1)
    return head + BEGIN + block() + END + tail


def printed_now(build):
    """What the programs in `build` give, or None where another clang compiled them."""
    clang = provenance.clang_of_build(build)
    if clang not in DATE.read_text():
        print(f"compiled with {clang}, the stored run is of {DATE.read_text().strip()}: only "
              "README.md was compared")
        return None
    done = subprocess.run([sys.executable, "-B", ROOT / "common/scripts/compare.py", "--build",
                           build, "--out", Path(build) / "readme_ladder"], capture_output=True,
                          text=True, check=False)
    return done.stdout.partition("\nPage: ")[0] or done.stderr


def check(build=None):
    text = README.read_text(encoding="utf-8")
    if refreshed(text) != text:
        print("README.md's ladder is not the stored run: common/scripts/readme_ladder.py rewrites "
              "it")
        return 1
    now = printed_now(build) if build else None
    if now is not None and now != screen():
        print(f"make compare prints another ladder than README.md shows; make store PARTS=ladder "
              f"stores it:\n{now}")
        return 1
    return 0


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--check"] and (len(arguments) == 1 or arguments[1] == "--build"):
        return check(*arguments[2:3])
    if arguments[:1] == ["--store"] and len(arguments) == 3:
        if any(not row["correct"] for row in compare_rows.read_csv(arguments[1])):
            print(f"{arguments[1]} has wrong results: not stored", file=sys.stderr)
            return 1
        shutil.copyfile(arguments[1], STORED)
        DATE.write_text(arguments[2] + "\n")
    elif arguments:
        print(__doc__, file=sys.stderr)
        return 2
    README.write_text(refreshed(README.read_text(encoding="utf-8")), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
