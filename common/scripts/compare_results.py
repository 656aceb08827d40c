#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the results of lesson programs on two devices, bit for bit.

    compare_results.py [--part] EXPECTED GOT
                    --part: GOT may hold a part of what is expected
    compare_results.py --table LINES.jsonl TABLE.csv "clang 19.1.7"
                    a table of what one device's programs gave

A file holds the programs' --json lines, or such a table (figures/data/simt-results.csv). Rows are
matched by lesson, variant, parameter, n and block. Variants whose order of additions the device
chooses (atomics on floats) cannot agree to the bit: they must be correct on both and are listed as
such; so are runs whose grid differs, because it was made for another number of multiprocessors.
Exit 0 only if everything else agrees.
"""

import csv
import json
import sys
from collections import Counter

# Float atomics: the hardware orders the additions as it likes. plain and one_by_one add from the
# tile back to the nearest inclusive prefix, and where that is depends on the timing.
ORDER_IS_FREE = {
    ("00_naive_atomic", "one_address"), ("00_naive_atomic", "spread_32"),
    ("00_naive_atomic", "spread_1024"), ("00_naive_atomic", "spread_32768"),
    ("06_grid_stride", "atomic_finish"), ("10_single_pass_scan", "plain"),
    ("11_exact_sum", "any_order"),
    ("10_single_pass_scan", "one_by_one"),
}


SEVERAL, STORED_GPUS = "13_many_gpus", 4  # its order of additions is that of this many GPUs

COLUMNS = ("lesson", "variant", "parameter", "n", "block", "grid", "result")


def key_of(row):
    return (row["lesson"], row["variant"], row.get("parameter"), row["n"], row["block"])


def lines_of(path):
    """The rows of a file of either kind."""
    with open(path, encoding="utf-8", newline="") as file:
        if not path.endswith(".csv"):
            yield from (json.loads(line) for line in file)
            return
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            numbers = {name: int(row[name]) for name in ("n", "block", "grid")}
            parameter = int(row["parameter"]) if row["parameter"] else None
            yield {**row, **numbers, "parameter": parameter, "correct": True}


def rows(path):
    table = {}
    for row in lines_of(path):
        if "failed" in row:
            print(f"{path}: failed: {row['failed']}")
            table[row["failed"]] = row
        elif not row["variant"].startswith("cub"):  # not ours, and not on the software GPU's side
            table[key_of(row)] = row
    return table


def write_table(lines_path, table_path, compiler):
    """0 when every run was right; a wrong one is no expectation."""
    found = rows(lines_path)
    bad = [row for row in found.values() if "failed" in row or not row["correct"]]
    if bad or not found:
        print(f"{len(bad)} of {len(found)} runs failed or gave wrong results: nothing was written")
        return 1
    with open(table_path, "w", encoding="utf-8", newline="") as file:
        file.write(f"# device: the software GPU\n# toolkit: {compiler}\n"
                   "# command: common/scripts/gpu_check.sh --expect FILE.csv\n"
                   "# key: lesson/variant/parameter/n/block\n")
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for key in sorted(found, key=str):
            writer.writerow(["" if part is None else part for part in key] +
                            [found[key]["grid"], found[key]["result"]])
    print(f"{table_path}: {len(found)} results")
    return 0


def main(expected_path, got_path, part=False):
    expected, got = rows(expected_path), rows(got_path)
    if part:
        expected = {key: row for key, row in expected.items() if key in got}
    counts, bad = Counter(), 0
    if not got:
        print(f"{got_path}: no results")
        bad += 1
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
        elif key[0] == SEVERAL and y.get("devices", STORED_GPUS) != STORED_GPUS:
            counts["both correct, on another number of GPUs"] += 1
        elif x["grid"] != y["grid"]:
            counts["both correct, with another grid"] += 1
        else:
            print(f"different bits: {name}: {x['result']} and {y['result']}")
            bad += 1
    for what, count in counts.items():
        print(f"{count} {what}")
    print(f"{bad} disagreements")
    return 1 if bad else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--table"] and len(sys.argv) == 5:
        sys.exit(write_table(*sys.argv[2:]))
    is_part = sys.argv[1:2] == ["--part"]
    if len(sys.argv) != 3 + is_part:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1 + is_part:], part=is_part))
