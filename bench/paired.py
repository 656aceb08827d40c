#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The software GPU's speed before and after a change, measured from two builds in turns.

    git worktree add ../before COMMIT         # its build: cmake -B build && cmake --build build
    cmake --build build --target bench_simt_kernels
    bench/paired.py ../before/build build [--rounds 40] [-o figures/data/simt-paired.csv]

Each round runs both builds' bench_simt_kernels once per kernel on one host thread, in alternating
order, and compares their CPU time (user and system: other load affects it less than elapsed
time). The ratio is after / before; its median is printed with the interval
that holds the true median in 95 of 100 cases (order statistics). Both must compute right results
with the same number of warp instructions: otherwise they were compiled by different clangs, and the
comparison would be of two programs.
"""

import argparse
import datetime
import json
import math
import os
import resource
import statistics
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "common/scripts"))
import provenance  # noqa: E402

KERNELS = {"tree": 2**22, "grid_stride": 2**24}


def run_once(build, kernel):
    """(CPU seconds of the process, warp instructions)."""
    program = Path(build) / "bench/bench_simt_kernels"
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([program, kernel, str(KERNELS[kernel])], capture_output=True, text=True,
                          check=True, env=os.environ | {"SIMT_THREADS": "1", "SIMT_REPEATS": "0"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    said = json.loads(done.stdout)
    if not said["correct"]:
        raise ValueError(f"{program} {kernel}: wrong sum")
    cpu_s = after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return cpu_s, said["warp_instructions"]


def run_rounds(builds, kernel, rounds):
    """The samples of each build, in the order of the rounds."""
    samples = {build: [] for build in builds}
    for number in range(rounds):
        for build in builds if number % 2 == 0 else builds[::-1]:
            samples[build].append(run_once(build, kernel))
    counts = {sample[1] for build in builds for sample in samples[build]}
    if len(counts) > 1:
        raise ValueError(f"{kernel}: the builds run different numbers of warp instructions "
                         f"({', '.join(map(str, sorted(counts)))}): use one clang for both "
                         "(SIMTCC_CLANG)")
    return samples


def interval(values):
    """(low, median, high): the sign test's interval of 95 % for the median."""
    ordered = sorted(values)
    reach = 0.98 * math.sqrt(len(ordered))
    low = max(0, math.floor(len(ordered) / 2 - reach))
    high = min(len(ordered) - 1, math.ceil(len(ordered) / 2 + reach) - 1)
    return ordered[low], statistics.median(ordered), ordered[high]


def commit_of(build):
    source = provenance.cache_value(build, "CMAKE_HOME_DIRECTORY")
    done = subprocess.run(["git", "-C", source, "describe", "--always", "--abbrev=12", "--dirty",
                           "--exclude=*"], capture_output=True, text=True, check=False)
    return done.stdout.strip() or "unknown"


def processor():
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def table(builds, rounds):
    head = [f"# before: {commit_of(builds[0])}", f"# after: {commit_of(builds[1])}",
            f"# date: {datetime.date.today().isoformat()}", f"# processor: {processor()}",
            f"# clang: {provenance.clang_of_build(builds[1])}",
            f"# command: bench/paired.py, {rounds} rounds, 1 host thread",
            "# ratio: after / before, CPU time, median of the rounds; low and high: 95 % interval"]
    rows = ["kernel,n,before_cpu_s,after_cpu_s,ratio,low,high"]
    for kernel, n in KERNELS.items():
        samples = run_rounds(builds, kernel, rounds)
        before, after = ([cpu_s for cpu_s, _ in samples[build]] for build in builds)
        low, ratio, high = interval([a / b for a, b in zip(after, before)])
        rows.append(f"{kernel},{n},{statistics.median(before):.4f},{statistics.median(after):.4f},"
                    f"{ratio:.3f},{low:.3f},{high:.3f}")
    return "\n".join(head + rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", type=Path)
    parser.add_argument("after", type=Path)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("-o", "--output", type=Path)
    arguments = parser.parse_args()
    builds = [arguments.before.resolve(), arguments.after.resolve()]
    for build in builds:
        if not (build / "bench/bench_simt_kernels").exists():
            print(f"{build}/bench/bench_simt_kernels is not there: "
                  f"cmake --build {build} --target bench_simt_kernels", file=sys.stderr)
            return 2
    if arguments.rounds < 6:
        print("fewer than 6 rounds give no interval: --rounds 6 or more", file=sys.stderr)
        return 2
    try:
        text = table(builds, arguments.rounds)
    except (ValueError, subprocess.CalledProcessError) as error:
        print(f"bench/paired.py: {error}", file=sys.stderr)
        return 1
    print(text, end="")
    if arguments.output:
        arguments.output.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
