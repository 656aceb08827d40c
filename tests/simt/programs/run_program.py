#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles one CUDA program with a compiler wrapper, runs it and compares what it does.

    run_program.py COMPILER SOURCE.cu WORK_DIR [--checked]

COMPILER is simtcc or simt-nvcc. Standard output must equal SOURCE.expected where that file exists.
Comments of the source say the rest:
    // exit: N          exit status (default 0)
    // stderr: TEXT     TEXT occurs in standard error
    // env: NAME=VALUE  set for the run
    // refused: TEXT    it does not compile, and the compiler says TEXT
    // warns: TEXT      it compiles, and the compiler says TEXT
    // flags: FLAGS     more flags for both compilers
    // nvcc: FLAGS      more flags for simt-nvcc; `nvcc: skip`: simtcc only
    // hardware: WHY    on a GPU it prints something else
    // unmeasured: WHY  what it must print is from NVIDIA's reference, not from a GPU
--checked: it runs with all checkers on, which must change neither what it prints nor its exit
status: the program is right.
Exits 0 when all holds, 1 otherwise, 77 when the program is not for this compiler.
"""

import difflib
import os
import re
import subprocess
import sys
from pathlib import Path

TIMEOUT_S = 120


def directives(text, name):
    return re.findall(rf"^// (?:.*\. )?{name}: (.*)$", text, re.MULTILINE)


def fail(message):
    print(message)
    sys.exit(1)


def compile_program(compiler, source, text, program):
    command = [compiler, "-std=c++17", source.name, "-o", str(program)]
    if "nvcc" in Path(compiler).name:
        flags = directives(text, "nvcc")
        if "skip" in flags:
            print("not for nvcc")
            sys.exit(77)
        command += ["--expt-relaxed-constexpr", "--extended-lambda"] + " ".join(flags).split()
    command += " ".join(directives(text, "flags")).split()
    done = subprocess.run(command, cwd=source.parent, capture_output=True, text=True, check=False)
    refused = directives(text, "refused")
    if refused:
        lacking = [wanted for wanted in refused if wanted not in done.stderr]
        if done.returncode == 0 or lacking:
            fail(f"status {done.returncode}; the compiler does not say {lacking}\n{done.stderr}")
        sys.exit(0)
    if done.returncode != 0:
        fail(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    lacking = [wanted for wanted in directives(text, "warns") if wanted not in done.stderr]
    if lacking:
        fail(f"the compiler does not say {lacking}\n{done.stderr}")


def main():
    compiler, work = os.path.abspath(sys.argv[1]), Path(sys.argv[3])
    source = Path(sys.argv[2]).resolve()
    work.mkdir(parents=True, exist_ok=True)
    text = source.read_text(encoding="utf-8")
    checked = ".checked" if "--checked" in sys.argv[4:] else ""
    program = work.resolve() / f"{source.stem}.{Path(compiler).name}{checked}"
    compile_program(compiler, source, text, program)

    environment = {k: v for k, v in os.environ.items() if not k.startswith("SIMT_")}
    environment.update(entry.split("=", 1) for entry in directives(text, "env"))
    if "--checked" in sys.argv[4:]:
        environment["SIMT_CHECK"] = "all"
    run = subprocess.run([str(program)], env=environment, capture_output=True, text=True,
                         timeout=TIMEOUT_S, check=False)
    complaints = []
    expected_exit = int((directives(text, "exit") or ["0"])[0])
    if run.returncode != expected_exit:
        complaints.append(f"exit status {run.returncode}, expected {expected_exit}")
    for wanted in directives(text, "stderr"):
        if wanted not in run.stderr:
            complaints.append(f"standard error lacks: {wanted}")
    expected = source.with_suffix(".expected")
    if expected.exists():
        want = expected.read_text(encoding="utf-8")
        complaints += difflib.unified_diff(want.splitlines(), run.stdout.splitlines(),
                                           "expected", "got", lineterm="", n=1)
    if complaints:
        fail("\n".join(complaints) + f"\n--- standard error\n{run.stderr}")


if __name__ == "__main__":
    main()
