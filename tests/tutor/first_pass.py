#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""first_pass.py [--store]: how long is it from a fresh clone to the first exercise that is passed?

Clones what is committed (HEAD) into a temporary folder and does what README.md tells a reader who
wants to learn: `make`, `make next`, `make try` of the warm-up, kernel after kernel, with a
newcomer's mistakes among them, until all is passed; then `make next`. Each step must end as it
should, and each mistake must be answered by a verdict that names it.

What is timed is the commands, set-up and compilation included, by the clock and as processor time;
reading and typing come on top.
--store writes it to first_pass.txt beside this file. Minutes: not a test of `make check`. Exit: 0
every step was as it should be, 1 not.
"""
import argparse
import datetime
import os
import pathlib
import re
import resource
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
TIMEOUT_S = 1800
TRY = ["make", "try", "LESSON=warm_up"]

# Commands, the exit status they must have, what they must say; or a kernel and its new body.
STEPS = [
    ("command", ["make"], 0, "make try LESSON=02"),
    ("command", ["make", "next"], 0, "exercises/warm_up.cu"),
    ("command", TRY, 2, "Is the blank filled in yet"),
    ("edit", "fill", "out[threadIdx.x] = value;"),
    ("command", TRY, 2, "passed 1 of 3"),
    ("edit", "indices", "int i = threadIdx.x;\n  out[i] = i;"),
    ("command", TRY, 2, "where   warm_up.cu"),
    ("edit", "indices", "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = i;"),
    ("command", TRY, 2, "passed 2 of 3"),
    ("edit", "guard", "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  out[i] = 2 * in[i];"),
    ("command", TRY, 2, "is the bound checked"),
    ("command", ["make", "hint", "LESSON=warm_up", "HINT=3"], 0, "hint 3"),
    ("edit", "guard",
     "int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i < n) out[i] = 2 * in[i];"),
    ("command", TRY, 0, "passed 3 of 3"),
    ("command", ["make", "next"], 0, "00_naive_atomic"),
]


def edit(path, kernel, body):
    text = path.read_text(encoding="utf-8")
    begin = text.index("{", text.index(f" {kernel}(")) + 1
    path.write_text(text[:begin] + f"\n  {body}\n" + text[text.index("\n}", begin) + 1:],
                    encoding="utf-8")


def last_line(output):
    lines = [line for line in output.splitlines() if line and not line.startswith("make: ")]
    return lines[-1] if lines else ""


def cpu_s():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(folder, command, status, words):
    """A line about the step, and whether it went as it should."""
    begin, begin_cpu_s = time.monotonic(), cpu_s()
    done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S, check=False,
                          env=dict(os.environ, TERM="dumb"))
    took_s = time.monotonic() - begin
    good = done.returncode == status and words in re.sub(r"\s+", " ", done.stdout).replace(
        "where warm_up", "where   warm_up")
    said = "" if good else f"\n{done.stdout}\nwanted: exit {status}, \"{words}\""
    return (f"{took_s:7.1f} s {cpu_s() - begin_cpu_s:7.1f} s  {' '.join(command):34}  "
            f"{last_line(done.stdout)[:56]}{said}"), good


def walk(folder):
    yield run(folder.parent, ["git", "clone", "--quiet", str(ROOT), folder.name], 0, "")
    for step in STEPS:
        if step[0] == "edit":
            edit(folder / "exercises/warm_up.cu", *step[1:])
            yield f"                     edit {step[1]}: {step[2].splitlines()[-1].strip()}", True
        else:
            yield run(folder, *step[1:])


def about():
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, text=True,
                            capture_output=True, check=True).stdout.strip()
    load = os.getloadavg()[0]
    cache = "with" if os.environ.get("CMAKE_C_COMPILER_LAUNCHER") else "without"
    return (f"{datetime.date.today()}, commit {commit}, {os.cpu_count()} cores with a load of "
            f"{load:.1f} before it began, packages installed, {cache} a compiler cache")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--store", action="store_true")
    options = parser.parse_args()
    lines, all_good, begin = [about()], True, time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        for line, good in walk(pathlib.Path(name) / "workbook"):
            print(line, flush=True)
            lines.append(line)
            all_good &= good
            if not good:
                break
    lines.append(f"{time.monotonic() - begin:7.1f} s {cpu_s():7.1f} s  from the clone to the first "
                 f"pass and what comes next: by the clock; of processor time")
    print(lines[-1])
    if options.store and all_good:
        text = "\n".join(line.rstrip() for line in lines) + "\n"
        (HERE / "first_pass.txt").write_text(text, encoding="utf-8")
    return 0 if all_good else 1


if __name__ == "__main__":
    sys.exit(main())
