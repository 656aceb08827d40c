#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""NVIDIA's CUB gives verified results on the software GPU, and its checkers have nothing to say.

    cub_results.py --compiler simt-nvcc --source lesson.cu --include DIR --link LIBRARY
                   --variants cub ...

The lesson is built with WORKBOOK_CUB for sm_80; every variant must verify for every size, without
checkers and with all of them (a finding makes the exit status non-zero), and for one size under
every schedule.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile

SIZES = (0, 1, 33, 1000, 65537, 300001)
CHECKERS = ("none", "all")
SCHEDULES = ("reverse", "lane-serial", "random:1", "delayed-stores")
SCHEDULED_SIZE = 65537  # many tiles


def build(arguments, out):
    command = [arguments.compiler, "-O3", "-arch=sm_80", "-DWORKBOOK_CUB",
               "-I" + arguments.include, arguments.source, arguments.link, "-o", out]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"nvcc failed: {' '.join(command)}\n{done.stdout}{done.stderr}")


def run(program, variant, n, **settings):
    return subprocess.run([program, "--json", "--variant", variant, "--n", str(n)],
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env=os.environ | settings)


def check(program, variant, n, **settings):
    """None when the result was verified, else what was said instead."""
    done = run(program, variant, n, **settings)
    if done.returncode:
        return f"exit status {done.returncode}:\n{done.stdout}{done.stderr}"
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    right = [row for row in rows
             if row["variant"] == variant and row["n"] == n and row["correct"] is True]
    return None if len(rows) == 1 and right else f"not one correct result of its own: {rows}"


def main():
    parser = argparse.ArgumentParser()
    for name in ("--compiler", "--source", "--include", "--link"):
        parser.add_argument(name, required=True)
    parser.add_argument("--variants", nargs="+", required=True)
    arguments = parser.parse_args()
    n_wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        build(arguments, program)
        for variant in arguments.variants:
            for n, checkers in itertools.product(SIZES, CHECKERS):
                wrong = check(program, variant, n, SIMT_CHECK=checkers)
                if wrong:
                    n_wrong += 1
                    print(f"{variant}, n = {n}, checkers: {checkers}: {wrong}")
            for schedule in SCHEDULES:
                wrong = check(program, variant, SCHEDULED_SIZE, SIMT_SCHEDULE=schedule)
                if wrong:
                    n_wrong += 1
                    print(f"{variant}, n = {SCHEDULED_SIZE}, schedule {schedule}: {wrong}")
    n_all = len(arguments.variants) * (len(SIZES) * len(CHECKERS) + len(SCHEDULES))
    print(f"{n_all} results of CUB, {n_wrong} wrong")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
