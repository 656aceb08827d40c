#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A lesson's kernel in a whole program without a harness: lessons/NN_name/minimal.cu, and
first_program.cu in lesson 00.

    check_minimal.py [--compiler COMMAND [--schedules NAME,NAME...]] FILE.cu

Looks at the text: the device code is the lesson's, there are at most 100 lines, nothing of the
harness is included, every call is checked for errors, and the chapter names the file. With
--compiler it is built and run as well, and must say that its result is right; with --schedules on
the software GPU, under all checkers, once for each schedule, and with the SIMT_DEVICES that its
text names. Exits 1 when there is any complaint.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

from device_text import COMMENT, device_code, plain
from tracked import ROOT

MAX_LINES = 100
SHARED = ("block_reduce.h", "passes.h")  # of common/workbook: functions that earlier lessons wrote
LIMIT_S = 120  # of one run
CALL = re.compile(r"\bcuda(?!GetErrorString\b)[A-Z]\w*\(")


def lessons_code(folder):
    """{name: [plain text...]} of all the device code that the lesson is made of."""
    paths = [*sorted(folder.glob("*.cuh")), folder / f"{folder.name[3:]}.cu"]
    paths += [ROOT / "common/workbook" / name for name in SHARED]
    code = {}
    for path in paths:
        for name, texts in device_code(path.read_text(encoding="utf-8")).items():
            code.setdefault(name.removeprefix("wb_"), []).extend(plain(text) for text in texts)
    return code


def unchecked_calls(text):
    """CUDA calls whose result is dropped, and launches after which no error is asked for."""
    text = COMMENT.sub("", text)
    for match in CALL.finditer(text):
        if not text[:match.start()].endswith("check("):
            yield f"the result of {match.group(0)}) is not checked"
    launches = list(re.finditer(r">>>\s*\(", text))
    if launches and "check(cudaGetLastError()" not in text[launches[-1].end():]:
        yield "no check(cudaGetLastError(), ...) after the last launch"


def text_complaints(path, folder):
    text = path.read_text(encoding="utf-8")
    n_lines = text.count("\n")
    if n_lines > MAX_LINES:
        yield f"{n_lines} lines; at most {MAX_LINES}"
    for name in re.findall(r'#include "([^"]*)"', text):
        yield f"includes {name}: a whole program stands alone"
    mine, theirs = device_code(text), lessons_code(folder)
    if not any("__global__" in item for items in mine.values() for item in items):
        yield "no kernel"
    for name, items in mine.items():
        if name not in theirs:
            yield f"{name}: the lesson has no such function"
        elif any(plain(item) not in theirs[name] for item in items):
            yield f"{name}: not the lesson's text"
    yield from unchecked_calls(text)
    chapter = folder / "chapter.md"
    if path.name not in chapter.read_text(encoding="utf-8"):
        yield f"{chapter.relative_to(ROOT)} does not mention {path.name}"


def run(command, environment=None):
    clean = {key: value for key, value in os.environ.items() if not key.startswith("SIMT_")}
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT_S,
                          env={**clean, **(environment or {})}, stdin=subprocess.DEVNULL)


def run_complaints(path, compiler, schedules):
    with tempfile.TemporaryDirectory() as folder:
        program = os.path.join(folder, "program")
        done = run([*shlex.split(compiler), str(path), "-o", program],
                   {key: os.environ[key] for key in os.environ if key.startswith("SIMTCC_")})
        if done.returncode or done.stderr:
            yield f"{compiler} says:\n{done.stdout}{done.stderr}"
            return
        settings = [{"SIMT_CHECK": "all", "SIMT_SCHEDULE": schedule} for schedule in schedules]
        several = re.search(r"SIMT_DEVICES=\d+", path.read_text(encoding="utf-8"))
        if settings and several:  # as its head says that it is to be run
            settings.append({**settings[0], "SIMT_DEVICES": several.group(0).partition("=")[2]})
        for setting in settings or [{}]:
            try:
                done = run([program], setting)
            except subprocess.TimeoutExpired:
                yield f"{setting}: not done after {LIMIT_S} s"
                continue
            if done.returncode or done.stderr or not done.stdout.strip():
                yield f"{setting}: exit status {done.returncode}\n{done.stdout}{done.stderr}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--compiler", help="with its flags, as a shell would read them")
    parser.add_argument("--schedules", type=lambda text: text.split(","), default=[])
    parser.add_argument("--lesson", type=Path, help="its folder, when the file lies elsewhere")
    parser.add_argument("file", type=Path)
    arguments = parser.parse_args()
    path = arguments.file.resolve()
    complaints = list(text_complaints(path, (arguments.lesson or path.parent).resolve()))
    if arguments.compiler:
        complaints += run_complaints(path, arguments.compiler, arguments.schedules)
    for complaint in complaints:
        print(f"{arguments.file}: {complaint}")
    print(f"{len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
