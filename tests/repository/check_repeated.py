#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A kernel or device function that is shown again is shown unchanged: where two lessons, a lesson
and a header of the harness, or two solutions define the same name, the text is the same one.

    check_repeated.py [ROOT]

The prefix `wb_`, `inline`, the layout and comments do not count: a step may be explained once.
Names that mean different things, or the same thing written for another purpose, are listed in
DIFFERENT with the reason; an entry that is not needed any more is a complaint too.
"""

import sys
from pathlib import Path

import tracked
from device_text import device_code, plain

HEADERS = ("block_reduce.h", "passes.h")  # of common/workbook

# (name, where it differs) -> why.
DIFFERENT = {
    ("butterfly", "lessons/05_shuffle", "lessons/06_grid_stride"):
        "the same sum, by lesson 06's write_partial, which all its kernels end with",
    ("first_add", "lessons/04_warp_sync", "lessons/05_shuffle"): "lesson 05 adds up ints as well",
    ("fold", "lessons/11_exact_sum", "lessons/14_portable"):
        "the counters of an accumulator, and the tree of lesson 04",
    ("unrolled_sum", "lessons/06_grid_stride", "common/workbook"):
        "eight loads of any type of element; lesson 06 has k loads of floats",
    ("vectors", "lessons/06_grid_stride", "lessons/10_single_pass_scan"): "a sum and a scan",
}


def sources(root):
    """(place, path): what belongs together has one place."""
    for path in sorted(root.glob("lessons/[0-9][0-9]_*/*.cu*")):
        if path.name not in ("minimal.cu", "first_program.cu"):  # check_minimal.py
            yield f"lessons/{path.parent.name}", path
    for name in HEADERS:
        if (root / "common/workbook" / name).exists():
            yield "common/workbook", root / "common/workbook" / name
    for path in sorted(root.glob("solutions/*.cu")):
        yield f"solutions/{path.stem}", path


def definitions(root):
    """{name: {place: set of texts}}"""
    found = {}
    for place, path in sources(root):
        for name, texts in device_code(path.read_text(encoding="utf-8")).items():
            places = found.setdefault(name.removeprefix("wb_"), {})
            places.setdefault(place, set()).update(plain(text, comments=False) for text in texts)
    return found


def may_differ(a, b):
    """Solutions are other programs than the lessons; they repeat each other only."""
    return a.startswith("solutions/") != b.startswith("solutions/")


def complaints(root, different):
    used, n_same = set(), 0
    for name, places in sorted(definitions(root).items()):
        order = list(places)
        for i, first in enumerate(order):
            for again in order[i + 1:]:
                if may_differ(first, again):
                    continue
                key = next((key for key in different if key[0] == name
                            and set(key[1:]) == {first, again}), None)
                if places[first] & places[again]:
                    n_same += 1
                elif key:
                    used.add(key)
                else:
                    yield f"{name}: {again} does not have the text of {first}"
    for key in sorted(set(different) - used):
        yield f"{key[0]}: {key[1]} and {key[2]} do not differ any more; DIFFERENT says so"
    if n_same == 0:
        yield "nothing is shown again: were the lessons found?"


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else tracked.ROOT
    found = list(complaints(root, DIFFERENT))
    print("\n".join(found + [f"{len(found)} complaints"]))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
