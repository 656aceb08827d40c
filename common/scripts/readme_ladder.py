#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Keeps README's ladder equal to a stored run.

    readme_ladder.py --check                exit 1 if README.md is not what the stored run gives
    readme_ladder.py                        rewrites README.md from the stored run
    readme_ladder.py --store FILE.csv DATE  makes FILE (build/compare/compare.csv) the stored run

The stored run is figures/data/compare.csv; its date stands in figures/data/compare.date. README
shows the rungs in SHOWN.
"""

import shutil
import sys
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))
import compare  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
README = ROOT / "README.md"
STORED = ROOT / "figures/data/compare.csv"
DATE = ROOT / "figures/data/compare.date"
SHOWN = [
    "00_naive_atomic/one_address", "00_naive_atomic/spread_1024",
    "01_shared_tree/modulo", "01_shared_tree/strided",
    "02_bank_conflicts/strided", "02_bank_conflicts/sequential",
    "03_upper_half/sequential", "03_upper_half/items_8",
    "04_warp_sync/full_tree", "04_warp_sync/unrolled",
    "05_shuffle/unrolled", "05_shuffle/warp_first",
    "06_grid_stride/grid_stride", "06_grid_stride/vectors", "06_grid_stride/last_block",
    "07_cooperative_groups/shuffles", "07_cooperative_groups/grid_sync",
    "08_histogram/global", "08_histogram/vector",
    "09_scan/hillis_steele", "09_scan/four_each",
]
BEGIN, END = "<!-- ladder: begin (readme_ladder.py) -->\n", "<!-- ladder: end -->\n"


def shown(rows):
    """The rungs that README shows, so that the page stays a page; all of the same sum where they
    are sums."""
    by_name = {f"{row['lesson']}/{row['variant']}": row for row in rows}
    missing = [name for name in SHOWN if name not in by_name]
    if missing:
        sys.exit(f"the stored run has no {', '.join(missing)}: see SHOWN in {__file__}")
    return [by_name[name] for name in SHOWN]


def block():
    rows = compare.compare_rungs(shown(compare.read_csv(STORED)))
    lines = "\n".join(line.rstrip() for line in compare.table(rows))
    return f"```text\n$ make compare        # {DATE.read_text().strip()}\n{lines}\n```\n"


def refreshed(text):
    head, rest = text.split(BEGIN, 1)
    _, tail = rest.split(END, 1)
    return head + BEGIN + block() + END + tail


def main():
    arguments = sys.argv[1:]
    if arguments[:1] == ["--store"] and len(arguments) == 3:
        if any(not row["correct"] for row in compare.read_csv(arguments[1])):
            print(f"{arguments[1]} has wrong results: not stored", file=sys.stderr)
            return 1
        shutil.copyfile(arguments[1], STORED)
        DATE.write_text(arguments[2] + "\n")
    elif arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    text = README.read_text(encoding="utf-8")
    new = refreshed(text)
    if arguments == ["--check"]:
        if new != text:
            print("README.md's ladder is not the stored run: common/scripts/readme_ladder.py "
                  "rewrites it")
        return int(new != text)
    README.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
