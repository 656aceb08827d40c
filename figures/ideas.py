#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Draws the pictures of ideas, figures/ideas/NAME.svg, from what the software GPU does with the
lessons' kernels: every mask, address and value in them was recorded step by step by
BUILD/book/lab/trace_NN_name (book/lab/trace.c). The two about memory use stored measurements.

    ideas.py --build DIR --write    draws them
    ideas.py --build DIR --check    names those that would differ; exit 1. Exit 77 where
                                    another clang built the programs than the one that is stored

The pictures are in ideas_threads.py, ideas_blocks.py, ideas_memory.py, ideas_sums.py and
ideas_bins.py and ideas_gpus.py, what they share in svg.py and traces.py.
"""

import argparse
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "figures"), str(ROOT / "book" / "scripts")]

import ideas_bins  # noqa: E402
import ideas_blocks  # noqa: E402
import ideas_gpus  # noqa: E402
import ideas_memory  # noqa: E402
import ideas_sums  # noqa: E402
import ideas_threads  # noqa: E402
import stored_counts  # noqa: E402
from stored_data import StoredData  # noqa: E402
from traces import Traces  # noqa: E402

PICTURES = {**ideas_threads.PICTURES, **ideas_memory.PICTURES, **ideas_blocks.PICTURES,
            **ideas_sums.PICTURES, **ideas_bins.PICTURES, **ideas_gpus.PICTURES}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, required=True)
    action = parser.add_mutually_exclusive_group(required=True)
    action.add_argument("--write", action="store_true")
    action.add_argument("--check", action="store_true")
    options = parser.parse_args()
    here = stored_counts.provenance.clang_of_build(str(options.build))
    stored = stored_counts.made_by(ROOT / "figures/data/simt-lessons.jsonl")
    if options.check and here != stored:
        print(f"skipped: the pictures were drawn with {stored}, this build is of {here}")
        return 77
    traces = Traces(options.build)
    data = StoredData(ROOT / "figures" / "data")
    folder = ROOT / "figures" / "ideas"
    folder.mkdir(exist_ok=True)
    stale = []
    for name, draw in PICTURES.items():
        text = draw(traces, data)
        path = folder / f"{name}.svg"
        if path.is_file() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if options.write:
            path.write_text(text, encoding="utf-8")
    for path in sorted(folder.glob("*.svg")):
        if path.stem not in PICTURES:
            stale.append(path.stem)
    for name in stale if options.check else []:
        print(f"figures/ideas/{name}.svg is not what figures/ideas.py draws: "
              "python3 -B figures/ideas.py --build build --write")
    print(f"{len(PICTURES)} pictures, {len(stale)} {'written' if options.write else 'stale'}")
    return 1 if options.check and stale else 0


if __name__ == "__main__":
    sys.exit(main())
