#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lesson 13's program on 1 to 8 software GPUs: every variant verifies its own results; here is
looked at what it cannot see. The exact sum has the same bits on any number of GPUs, those of lesson
11; and what crosses the links is what is worked out by hand below.

    many_gpus.py LESSONS_DIR      the folder with the programs 11_exact_sum and 13_many_gpus
    many_gpus.py --twins          wrong counts and wrong bits are found, right ones are not
"""

import json
import os
import subprocess
import sys

N = 1 << 15  # on 1, 2, 4 and 8 GPUs pieces of whole lines
GPUS = (1, 2, 4, 8)
ODD = (3, 5, 7)  # pieces that end in the middle of a line: results only
SECTOR, BLOCKS = 32, 8 * 256  # elements that a block adds up: eight for each thread


def log2(p):
    return p.bit_length() - 1


def by_hand(variant, p):
    """(bytes on all links, most that one GPU sends or receives) for vectors of N / p floats."""
    size, others = N // p * 4, p - 1
    partials = -(-(N // p // BLOCKS) * 4 // SECTOR) * SECTOR  # in whole sectors
    copied = N // p // BLOCKS * 4
    return {
        "one_gpu": (others * size, others * size),
        "host_adds": (0, 0),
        "peer_copies": (others * copied, others * copied),
        "peer_reads": (others * partials, others * partials),
        "whole": (others * partials, others * partials),
        "chunks": (others * partials, others * partials),
        "star": (2 * others * size, others * size),
        "tree": (2 * others * size, log2(p) * size),
        "ring": (2 * others * size, 2 * others * size // p),
        "nccl": (2 * others * size, 2 * others * size // p),
    }[variant]


def rows_of(program, gpus, n, *more):
    clean = {name: text for name, text in os.environ.items() if not name.startswith("SIMT_")}
    done = subprocess.run([program, "--json", "--n", str(n), *more], text=True, timeout=120,
                          env={**clean, "SIMT_DEVICES": str(gpus)}, capture_output=True,
                          check=False)
    if done.returncode or done.stderr:
        raise SystemExit(f"{program} on {gpus} GPUs: status {done.returncode}\n{done.stderr}")
    return {row["variant"]: row for row in map(json.loads, done.stdout.splitlines())}


def link_complaints(p, rows):
    for variant, row in rows.items():
        if variant in ("nccl_sum", "exact"):
            continue  # one float, and a few words whose number the compiler decides
        counters = row["counters"]
        found = int(counters["link_bytes"]), int(counters["busiest_gpu_bytes"])
        if found != by_hand(variant, p):
            yield (f"{variant} on {p} GPUs: {found[0]} bytes on all links and {found[1]} at the "
                   f"busiest GPU, by hand it is {by_hand(variant, p)}")


def bit_complaints(expected, found):
    for p, result in found.items():
        if result != expected:
            yield f"the exact sum on {p} GPUs is {result}, on one GPU lesson 11 gives {expected}"


def check(folder):
    found = {}
    exact = rows_of(f"{folder}/11_exact_sum", 1, N, "--variant", "window")["window"]["result"]
    for p in (*GPUS, *ODD):
        rows = rows_of(f"{folder}/13_many_gpus", p, N)
        found[p] = rows["exact"]["result"]
        if p in GPUS:
            yield from link_complaints(p, rows)
        if any(row["devices"] != p or not row["correct"] for row in rows.values()):
            yield f"not all variants are right on {p} GPUs"
    yield from bit_complaints(exact, found)


def twins():
    def row(size, busiest):
        return {"counters": {"link_bytes": size, "busiest_gpu_bytes": busiest}}
    right = {name: row(*by_hand(name, 4)) for name in ("star", "tree", "ring", "peer_reads")}
    wrong = {**right, "ring": row(by_hand("ring", 4)[0], by_hand("tree", 4)[1])}
    held = (not list(link_complaints(4, right)), len(list(link_complaints(4, wrong))) == 1,
            not list(bit_complaints("0x1p0", {2: "0x1p0", 4: "0x1p0"})),
            len(list(bit_complaints("0x1p0", {2: "0x1p0", 4: "0x1.8p0"}))) == 1)
    return [] if all(held) else [f"of the twins hold: {held}"]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    complaints = twins() if sys.argv[1] == "--twins" else list(check(sys.argv[1]))
    print("\n".join(complaints) or "as it must be")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
