#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the results of lesson programs on two devices, bit for bit.

    compare_results.py EXPECTED.jsonl GOT.jsonl

Both files hold the programs' --json lines. Rows are matched by lesson, variant, parameter, n and
block. Variants whose order of additions the device chooses (atomics on floats) cannot agree to the
bit: they must be correct on both and are listed as such. Exit 0 only if everything else agrees.
"""

import json
import sys
from collections import Counter

# Float atomics: the hardware orders the additions as it likes. one_by_one adds from the tile back to
# the nearest end, and where that is depends on the timing.
ORDER_IS_FREE = {
    ("00_naive_atomic", "one_address"), ("00_naive_atomic", "spread_32"),
    ("00_naive_atomic", "spread_1024"), ("00_naive_atomic", "spread_32768"),
    ("06_grid_stride", "atomic_finish"), ("10_single_pass_scan", "one_by_one"),
}


def rows(path):
    table = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            if "failed" in row:
                print(f"{path}: failed: {row['failed']}")
                table[row["failed"]] = row
                continue
            if row["variant"].startswith("cub"):
                continue  # not ours, and not on the software GPU's side
            key = (row["lesson"], row["variant"], row.get("parameter"), row["n"], row["block"])
            table[key] = row
    return table


def main(expected_path, got_path):
    expected, got = rows(expected_path), rows(got_path)
    counts, bad = Counter(), 0
    for key in sorted(expected.keys() | got.keys(), key=str):
        name = key if isinstance(key, str) else "{} {} parameter {} n {} block {}".format(*key)
        if key not in expected or key not in got:
            print(f"only on one side: {name}")
            bad += 1
            continue
        x, y = expected[key], got[key]
        if not (x.get("correct") and y.get("correct")):
            print(f"not correct: {name}: {x.get('message', '')} {y.get('message', '')}")
            bad += 1
        elif x["result"] == y["result"]:
            counts["equal"] += 1
        elif key[:2] in ORDER_IS_FREE:
            counts["both correct, order of additions is the device's"] += 1
        else:
            print(f"different bits: {name}: {x['result']} and {y['result']}")
            bad += 1
    for what, count in counts.items():
        print(f"{count} {what}")
    print(f"{bad} disagreements")
    return 1 if bad else 0


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1], sys.argv[2]))
