#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Lesson 13 over several processes, `make run LESSON=13 RANKS=4`: the whole numbers give the same
bits for any number of ranks, those of lesson 11; a rank that is killed ends all of them; and what
make is given in vain is refused with a sentence.

    many_gpus_ranks.py BUILD_DIR

Exits 0 when all holds, 1 otherwise, 77 when Open MPI is not installed.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
N = 4099  # no multiple of the ranks
SAID = re.compile(r"(\d+) ranks, (\d+) elements: floats (\S+), "
                  r"whole numbers, rounded once, (\S+): right\n")
# Rank 1 is killed before it begins; the others wait for it in MPI_Init.
KILLED = '[ "$OMPI_COMM_WORLD_RANK" = 1 ] && kill -9 $$; exec "$0" "$@"'


def run(command, **more):
    clean = {name: text for name, text in os.environ.items()
             if not name.startswith(("SIMT_", "MAKE"))}
    return subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False,
                          timeout=200, cwd=ROOT, env={**clean, "RANKS_SECONDS": "100", **more})


def check_bits(build, launcher):
    done = run([build / "lessons/11_exact_sum", "--n", N, "--variant", "window", "--json"])
    expected = json.loads(done.stdout)["result"]
    for ranks in (1, 2, 3, 4):
        done = run([launcher, ranks, build / "ranks/13_many_gpus", "--n", N])
        said = SAID.fullmatch(done.stdout)
        if done.returncode or not said or said[1] != str(ranks) or said[2] != str(N):
            yield f"{ranks} ranks: status {done.returncode}\n{done.stdout}{done.stderr}"
        elif float.fromhex(said[4]) != float.fromhex(expected):
            yield f"{ranks} ranks: whole numbers give {said[4]}, lesson 11 gives {expected}"


def check_mistakes(build, launcher):
    program = build / "ranks/13_many_gpus"
    for command, status, sentence in (
            ([launcher, 3, "sh", "-c", KILLED, program], 137, "was killed (signal 9)"),
            ([launcher, 2, program, "--n", "many"], 2, "ranks takes --n and --seed")):
        done = run(command)
        if done.returncode != status or sentence not in done.stderr:
            yield f"{command}: status {done.returncode}, want {status}\n{done.stderr}"
    for words, sentence in (({"LESSON": "05", "RANKS": "4"}, "runs in one process"),
                            ({"LESSON": "13", "RANKS": "four"}, "a number of processes"),
                            ({"LESSON": "13", "RANKS": "0"}, "a number of processes"),
                            ({"LESSON": "13", "RANKS": "2", "VARIANT": "ring"}, "no VARIANT")):
        done = run([ROOT / "common/scripts/lesson.sh", "before_run"], **words)
        if done.returncode != 2 or sentence not in done.stderr + done.stdout:
            yield f"{words}: status {done.returncode}\n{done.stdout}{done.stderr}"


def main():
    build, launcher = Path(sys.argv[1]).resolve(), ROOT / "common/scripts/ranks.sh"
    if not shutil.which("mpirun") or not shutil.which("mpicc"):
        print("Open MPI is not installed (openmpi-bin, libopenmpi-dev)")
        sys.exit(77)
    complaints = [*check_bits(build, launcher), *check_mistakes(build, launcher)]
    print("\n".join(complaints) or "as it must be")
    sys.exit(1 if complaints else 0)


if __name__ == "__main__":
    main()
