#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds measured runs of the lessons to the stored data of a GPU.

    store_measured.py MEASURED.jsonl figures/data/h200-lessons.jsonl [DATE]

MEASURED.jsonl holds the programs' --json lines from that GPU (common/scripts/gpu_check.sh
--measure collects them). A row replaces the stored one of the same lesson, variant, parameter, n
and block; everything else stays. Refused: rows that are modelled, not verified, or of another
device than the provenance line names.
"""

import json
import sys

KEY = ("lesson", "variant", "parameter", "n", "block")


def key_of(row):
    return tuple(row.get(name) for name in KEY)


def stored_form(row):
    """What the book needs of a program's line, rounded to what a repetition reproduces."""
    kept = {name: row.get(name) for name in KEY}
    kept |= {name: row[name] for name in ("grid", "backend", "time_kind", "repeats")}
    for name in ("time_ms", "time_p10_ms", "time_p90_ms"):
        kept[name] = float(f"{row[name]:.4g}" if row[name] < 1 else f"{row[name]:.4f}")
    kept["gb_per_s"] = float(f"{row['gb_per_s']:.4g}")
    kept["correct"] = row["correct"]
    kept["gops_per_s"] = float(f"{row['n'] / (row['time_ms'] * 1e6):.4g}")
    return kept


def complaint(row, device):
    if row.get("time_kind") != "measured":
        return "not measured"
    if not row.get("correct"):
        return "not verified"
    if row.get("device", "") not in device and device.split(" (")[0] not in row.get("device", ""):
        return f"measured on {row.get('device')}, stored data is of {device}"
    return None


def main(measured_path, stored_path, date=None):
    with open(stored_path, encoding="utf-8") as lines:
        provenance, *rows = [json.loads(line) for line in lines]
    table = {key_of(row): row for row in rows}
    with open(measured_path, encoding="utf-8") as lines:
        for number, line in enumerate(lines, 1):
            row = json.loads(line)
            problem = complaint(row, provenance["provenance"]["device"])
            if problem:
                sys.exit(f"{measured_path}:{number}: {problem}; nothing was stored")
            table[key_of(row)] = stored_form(row)
    if date:
        provenance["provenance"]["date"] = date
    ordered = sorted(table.values(), key=lambda row: row["lesson"])  # stable: runs stay together
    with open(stored_path, "w", encoding="utf-8") as out:
        for row in [provenance, *ordered]:
            out.write(json.dumps(row) + "\n")
    print(f"{stored_path}: {len(ordered)} rows")


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__)
    main(*sys.argv[1:])
