#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How far counters and modelled times are off when some blocks of a launch stand for all.

    sampling.py [--build build] [--n 2^20,2^22] [--lesson 05 ...] [--store FILE.csv]
    sampling.py --table FILE.csv      the stored rows as a table of Markdown, one line per lesson

Runs each lesson's variants whole and with --sample, and compares: every sum of simt_counters.def
and the modelled time may be off by 2 % at most. What is the largest of a launch (the counters named
..._addresses and ..._max_degree) is of the blocks that have run, and is not compared. Exit 1 when a
row is off by more, or when no block was left out at all.
"""

import argparse
import csv
import json
import subprocess
import sys
from pathlib import Path

MOST_PERCENT = 2.0
EXTREMES = ("global_atomic_addresses", "global_atomic_max_degree", "shared_atomic_max_degree")
COLUMNS = ("lesson", "variant", "n", "blocks_run_percent", "whole_ms", "sampled_ms",
           "time_off_percent", "counter", "counter_off_percent")


def rows_of(program, n, *options):
    done = subprocess.run([program, "--json", "--n", n, *options], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode != 0:
        raise SystemExit(f"sampling: {program} {n}: {done.stderr.strip()}")
    return [json.loads(line) for line in done.stdout.splitlines()]


def off_percent(whole, sampled):
    if whole == sampled:
        return 0.0
    return 100.0 * abs(sampled / whole - 1.0) if whole else float("inf")


def compare(whole, sampled):
    """A row of COLUMNS; None for a variant without a modelled time."""
    if whole["time_ms"] is None:
        return None
    counters = {name: off_percent(value, sampled["counters"][name])
                for name, value in whole["counters"].items() if name not in EXTREMES}
    worst = max(counters, key=counters.get)
    values = (whole["lesson"], whole["variant"], whole["n"],
              round(sampled["blocks_run_percent"], 3), whole["time_ms"], sampled["time_ms"],
              round(off_percent(whole["time_ms"], sampled["time_ms"]), 3),
              worst if counters[worst] else "", round(counters[worst], 3))
    return dict(zip(COLUMNS, values, strict=True))


def judge(rows):
    """What is wrong with the rows, a line each."""
    said = [f"{row['lesson']} {row['variant']}, n = {row['n']}: {what} is off by {row[column]} %"
            for row in rows
            for what, column in (("the time", "time_off_percent"),
                                 (row["counter"], "counter_off_percent"))
            if not float(row[column]) <= MOST_PERCENT]
    if all(float(row["blocks_run_percent"]) >= 100.0 for row in rows):
        said.append("every block of every launch was run: nothing was sampled")
    return said


def table(rows):
    lines = ["| lesson | variants | with fewer blocks | blocks run | time off by at most | "
             "counters off by at most |", "|---|---|---|---|---|---|"]
    for lesson in dict.fromkeys(row["lesson"] for row in rows):
        own = [row for row in rows if row["lesson"] == lesson]
        some = [row for row in own if float(row["blocks_run_percent"]) < 100]
        shares = [float(row["blocks_run_percent"]) for row in some]
        most = [max(float(row[column]) for row in own)
                for column in ("time_off_percent", "counter_off_percent")]
        ran = f"{min(shares):.1f} to {max(shares):.1f} %" if shares else "all"
        lines.append(f"| {lesson} | {len(own)} | {len(some)} | {ran} | {most[0]:.2f} % | "
                     f"{most[1]:.2f} % |")
    return "\n".join(lines)


def read(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def measure(arguments):
    rows = []
    programs = sorted((arguments.build / "lessons").glob("[0-9][0-9]_*"))
    chosen = [p for p in programs if p.is_file() and
              (not arguments.lesson or p.name[:2] in arguments.lesson)]
    for n in arguments.n.split(","):
        for program in chosen:
            pairs = zip(rows_of(program, n), rows_of(program, n, "--sample"), strict=True)
            rows += [row for row in (compare(*pair) for pair in pairs) if row]
    return rows


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--build", type=Path, default=Path("build"))
    parser.add_argument("--n", default="2^20,2^22")
    parser.add_argument("--lesson", action="append",
                        help="its number, e.g. 05; several are allowed")
    parser.add_argument("--store", type=Path)
    parser.add_argument("--table", type=Path)
    arguments = parser.parse_args()
    if arguments.table:
        print(table(read(arguments.table)))
        return 0
    rows = measure(arguments)
    if not rows:
        print("sampling: there are no lesson programs there: make programs builds them",
              file=sys.stderr)
        return 1
    if arguments.store:
        with open(arguments.store, "w", newline="", encoding="utf-8") as file:
            writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)
    print(table(rows))
    said = judge(rows)
    print("\n".join(said), file=sys.stderr)
    return 1 if said else 0


if __name__ == "__main__":
    sys.exit(main())
