#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A CUDA program of MPI, one software GPU per rank: it adds up, and a rank that is killed, fails,
leaves early or never comes gives an error within the time limit, not a hang.

    run_ranks.py SIMTCC RANKS.sh WORK_DIR

Exits 0 when all holds, 1 otherwise, 77 when Open MPI is not installed.
"""

import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent
LIMIT_S = 90      # for the ranks that end by themselves
SHORT_LIMIT_S = 6  # for those that would not

# What rank 1 does, the limit, the exit status (None: any but 0), a sentence of the launcher, or
# several of which one is expected.
MISTAKES = [
    ("killed", LIMIT_S, 137, "was killed (signal 9); the other ranks were stopped"),
    ("fails", LIMIT_S, 3, "ended with status 3"),
    ("leaves", LIMIT_S, None, "or without MPI_Finalize()"),
    ("waits", SHORT_LIMIT_S, 124, f"had not ended after {SHORT_LIMIT_S} s"),
    # mpirun sees it only when the others had called MPI_Init() before; else they wait.
    ("never-starts", SHORT_LIMIT_S, None, (f"had not ended after {SHORT_LIMIT_S} s",
                                           "or without MPI_Finalize()")),
]


def expected_sum(n):
    return sum(i % 7 for i in range(n))


def compile_program(simtcc, program):
    flags = []
    for what in ("compile", "link"):
        shown = subprocess.run(["mpicc", f"--showme:{what}"], capture_output=True, text=True,
                               check=True)
        flags += shown.stdout.split()
    subprocess.run([simtcc, str(HERE / "ranks.cu"), *flags, "-o", str(program)], check=True)


def run(launcher, program, ranks, arguments, limit_s=LIMIT_S, **more):
    environment = dict(os.environ, RANKS_SECONDS=str(limit_s), **more)
    return subprocess.run([launcher, str(ranks), str(program), *arguments], env=environment,
                          capture_output=True, text=True, timeout=limit_s + 60, check=False)


def check_sums(launcher, program, work, complaints):
    report = work / "report.%r.json"
    for ranks, n in ((1, 1000), (3, 1000), (4, 2)):
        done = run(launcher, program, ranks, [str(n)], SIMT_REPORT=str(report))
        base, rest = divmod(n, ranks)
        wanted = sorted(f"rank {r} of {ranks}: {base + (r < rest)} elements, sum of all "
                        f"{expected_sum(n)}" for r in range(ranks))
        if done.returncode != 0 or sorted(done.stdout.splitlines()) != wanted:
            complaints.append(f"{ranks} ranks, {n} elements: status {done.returncode}\n"
                              f"{done.stdout}{done.stderr}")
    reports = sorted(path.name for path in work.glob("report.*.json"))
    if reports != [f"report.{r}.json" for r in range(4)]:
        complaints.append(f"reports of four ranks: {reports}")


def check_mistakes(launcher, program, complaints):
    for mistake, limit_s, status, sentence in MISTAKES:
        begin = time.monotonic()
        done = run(launcher, program, 3, ["1000", mistake], limit_s)
        took_s = time.monotonic() - begin
        good = done.returncode == status if status is not None else done.returncode != 0
        sentences = (sentence,) if isinstance(sentence, str) else sentence
        if not good or not any(text in done.stderr for text in sentences):
            complaints.append(f"{mistake}: status {done.returncode} after {took_s:.1f} s\n"
                              f"{done.stderr}")


def check_uses(launcher, program, complaints):
    for arguments, sentence in (([], "how many ranks?"), (["0", str(program)], "how many ranks?"),
                                (["2"], "which program?"),
                                (["2", "/nowhere/at-all"], "there is no program")):
        done = subprocess.run([launcher, *arguments], capture_output=True, text=True, timeout=60,
                              check=False)
        if done.returncode != 2 or sentence not in done.stderr:
            complaints.append(f"ranks.sh {arguments}: status {done.returncode}\n{done.stderr}")


def main():
    simtcc, launcher, work = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    if not shutil.which("mpirun") or not shutil.which("mpicc"):
        print("Open MPI is not installed (openmpi-bin, libopenmpi-dev)")
        sys.exit(77)
    work.mkdir(parents=True, exist_ok=True)
    for old in work.glob("report.*.json"):
        old.unlink()
    program = work / "ranks"
    compile_program(simtcc, program)
    complaints = []
    check_uses(launcher, program, complaints)
    check_sums(launcher, program, work, complaints)
    check_mistakes(launcher, program, complaints)
    if complaints:
        print("\n".join(complaints))
        sys.exit(1)


if __name__ == "__main__":
    main()
