#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A lesson built by nvcc and linked with the software GPU gives the results of the clang build.

    same_results.py --compiler simt-nvcc --source lesson.cu --include DIR --link LIBRARY
                    --program CLANG_BUILT [--arch sm_NN] [--without VARIANTS]

The PTX of the two compilers differs, so counters may; what each variant computes must not.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

SIZES = (0, 1, 1000, 65537)
SAME = ("lesson", "variant", "parameter", "n", "block", "grid", "correct", "error_over_bound")


def build(arguments, out):
    command = [arguments.compiler, "-O3", "-I" + arguments.include, arguments.source,
               arguments.link, "-o", out]
    if arguments.arch:
        command.insert(1, "-arch=" + arguments.arch)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"nvcc failed: {' '.join(command)}\n{done.stdout}{done.stderr}")


def results(program, n):
    done = subprocess.run([program, "--json", "--n", str(n)], capture_output=True, text=True,
                          check=False, stdin=subprocess.DEVNULL)
    if done.returncode:
        sys.exit(f"{program} --n {n} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    return [{key: row.get(key) for key in SAME} for row in rows]


def main():
    parser = argparse.ArgumentParser()
    for name in ("--compiler", "--source", "--include", "--link", "--program"):
        parser.add_argument(name, required=True)
    parser.add_argument("--arch")
    parser.add_argument("--without", default=None, help="variants that begin so are clang's alone")
    arguments = parser.parse_args()
    n_rows = n_different = 0
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        build(arguments, program)
        for n in SIZES:
            by_clang, by_nvcc = results(arguments.program, n), results(program, n)
            if arguments.without:
                by_clang = [row for row in by_clang
                            if not row["variant"].startswith(arguments.without)]
            n_rows += len(by_clang)
            if len(by_clang) != len(by_nvcc):
                sys.exit(f"n = {n}: {len(by_clang)} rows by clang, {len(by_nvcc)} by nvcc")
            for a, b in zip(by_clang, by_nvcc):
                if a != b:
                    n_different += 1
                    print(f"n = {n}, {a['variant']}: clang {a}, nvcc {b}")
    print(f"{n_rows} results compared, {n_different} differ")
    return 1 if n_different or not n_rows else 0


if __name__ == "__main__":
    sys.exit(main())
