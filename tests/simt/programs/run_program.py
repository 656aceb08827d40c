#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compiles one CUDA program with a compiler wrapper, runs it and compares what it does.

    run_program.py COMPILER SOURCE WORK_DIR

COMPILER is simtcc or simt-nvcc, SOURCE a file that both take: .cu, .hip or .cpp. Standard output
must equal SOURCE.expected where that file exists.
A program that ends well is right: built by simtcc it runs once more with all checkers on, which
must change neither what it prints nor its exit status.
Comments of the source say the rest:
    // exit: N          exit status (default 0)
    // stderr: TEXT     TEXT occurs in standard error
    // env: NAME=VALUE  set for the run
    // refused: TEXT    it does not compile, and the compiler says TEXT
    // warns: TEXT      it compiles, and the compiler says TEXT
    // flags: FLAGS     more flags for both compilers
    // simtcc: FLAGS    more flags for simtcc; `simtcc: skip`: simt-nvcc only
    // nvcc: FLAGS      more flags for simt-nvcc; `nvcc: skip`: simtcc only
    // toolkit: WHAT    simtcc needs it from a CUDA toolkit; without one the program is not tried
    // checked: WHY     built by nvcc it runs with all checkers on, too
    // hardware: WHY    on a GPU it prints something else
    // unmeasured: WHY  what it must print is from NVIDIA's reference, not from a GPU
    // found: TEXT      it does something wrong on purpose: with all checkers on it ends with exit
    //                  status 86, and TEXT occurs in standard error
SIMTCC_CLANG chooses the clang of simtcc.
Exits 0 when all holds, 1 otherwise, 77 when the program is not for this compiler, or SIMTCC_CLANG
is not installed.
"""

import difflib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

TIMEOUT_S = 120
EXIT_FOUND = 86 # of a program that would have ended with 0, when a checker finds an error


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
    else:
        flags = directives(text, "simtcc")
        if "skip" in flags:
            print("not for simtcc")
            sys.exit(77)
        command += " ".join(flags).split()
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


def run(program, text, expected_exit, **environment):
    """What does not hold of one run, and its standard output and standard error."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith("SIMT_")}
    clean.update(entry.split("=", 1) for entry in directives(text, "env"))
    done = subprocess.run([str(program)], env={**clean, **environment}, capture_output=True,
                          text=True, timeout=TIMEOUT_S, check=False)
    complaints = []
    if done.returncode != expected_exit:
        complaints.append(f"exit status {done.returncode}, expected {expected_exit}")
    return complaints, done.stdout, done.stderr


def compare(source, text, printed, errors):
    complaints = [f"standard error lacks: {wanted}" for wanted in directives(text, "stderr")
                  if wanted not in errors]
    expected = source.with_suffix(".expected")
    if expected.exists():
        want = expected.read_text(encoding="utf-8")
        complaints += difflib.unified_diff(want.splitlines(), printed.splitlines(),
                                           "expected", "got", lineterm="", n=1)
    return complaints


def is_right(text):
    """Whether the program ends well, and does not choose its checkers itself."""
    return (not directives(text, "exit")
            and not any(entry.startswith("SIMT_CHECK=") for entry in directives(text, "env")))


def run_checked(program, source, text):
    """What does not hold with all checkers on."""
    found = directives(text, "found")
    complaints, printed, errors = run(program, text, EXIT_FOUND if found else 0, SIMT_CHECK="all")
    complaints += [f"the checkers do not find: {wanted}" for wanted in found
                   if wanted not in errors]
    complaints += compare(source, text, printed, errors)
    if complaints:
        fail("\n".join(["with all checkers on:"] + complaints)
             + f"\n--- standard error\n{errors}")


def main():
    compiler, work = os.path.abspath(sys.argv[1]), Path(sys.argv[3])
    source = Path(sys.argv[2]).resolve()
    work.mkdir(parents=True, exist_ok=True)
    text = source.read_text(encoding="utf-8")
    clang = os.environ.get("SIMTCC_CLANG")
    if clang and not shutil.which(clang):
        print(f"{clang} is not installed")
        sys.exit(77)
    program = work.resolve() / f"{source.stem}.{Path(compiler).name}"
    compile_program(compiler, source, text, program)

    complaints, printed, errors = run(program, text, int((directives(text, "exit") or ["0"])[0]))
    complaints += compare(source, text, printed, errors)
    if complaints:
        fail("\n".join(complaints) + f"\n--- standard error\n{errors}")
    if (Path(compiler).name == "simtcc" or directives(text, "checked")) and is_right(text):
        run_checked(program, source, text)


if __name__ == "__main__":
    main()
