#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What other people's tools find in our files: one gate per tool.

    gate.py format|shell|python|spelling|cppcheck|tidy|analyze [--build DIR] [FILE...]

Without FILE: every file of the repository that the gate is for. `tidy` and `analyze` take the
compiler's flags from DIR/compile_commands.json (a file that is not in there is compiled as plain
C11); `analyze` adds clang's static analyzer, which takes minutes: `make lint` runs it, `make check`
the others. Exit: 0 nothing found; 1 something found; 2 the tool is missing or has another version.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from tracked import ROOT, files_of

C_SOURCE = re.compile(r"\.(c|h|cu|cuh)$")
# Foreign or generated: inputs of the fuzzers and of the differential test. Exercises are generated
# from the solutions, and then their reader's.
NOT_OURS = re.compile(r"(^|/)corpus/|^exercises/")
# Laid out by hand; formatted in the change that next touches them. This list only shrinks.
UNFORMATTED = re.compile(r"^common/simt/include/")


def is_shell(name):
    if name.endswith(".sh"):
        return True
    with open(ROOT / name, "rb") as file:
        return re.match(rb"#!.*\b(ba|da)?sh\b", file.readline(80)) is not None


def wants_format(name):
    return C_SOURCE.search(name) and not NOT_OURS.search(name) and not UNFORMATTED.search(name)


# Parts of scripts that are looked at with them, for they share variables.
PART = re.compile(r"^common/simt/compiler/")


def wants_shell(name):
    return (name.endswith(".sh") or "." not in Path(name).name) and is_shell(name) \
        and not PART.search(name)


def wants_python(name):
    return name.endswith(".py")


# Recorded or foreign text, and tests that are about wrong words.
NOT_SPELLED = re.compile(r"(^|/)corpus/|^figures/(data|ideas)/|^LICENSE$|\.expected$"
                         r"|^tests/grade/serial/|(^|/)test_|^tests/repository/spelling")


def wants_spelling(name):
    return not NOT_SPELLED.search(name)


def wants_c(name):
    return name.endswith(".c") and name.startswith(("common/", "tests/", "bench/")) \
        and not NOT_OURS.search(name)


def wants_library(name):
    return wants_c(name) and name.startswith("common/")


def compiled(names, build):
    """Those of `names` that the build compiles; a gate that would look at nothing is an error."""
    try:
        entries = json.loads((Path(build) / "compile_commands.json").read_text())
    except (OSError, ValueError):
        sys.exit(f"gate.py: no {build}/compile_commands.json: build first, or name the build with "
                 f"--build")
    known = {os.path.realpath(os.path.join(entry["directory"], entry["file"])) for entry in entries}
    return [name for name in names if os.path.realpath(ROOT / name) in known]


# uninitvar sees buffers that are filled up to where they are read; the compilers and the analyzer
# look for the same with fewer false alarms.
CPPCHECK = ["--quiet", "--std=c11", "--enable=warning,performance,portability", "--inline-suppr",
            "--suppress=missingIncludeSystem", "--suppress=uninitvar", "--suppress=ctuuninitvar",
            "--error-exitcode=1", "--template={file}:{line}: {severity}: {message} [{id}]",
            "-Icommon/simt", "-Icommon/workbook", "-Icommon/grade"]

# Words that are wrong here although codespell knows them as right, and those that are right.
SPELLING = ["--dictionary", "-", "--dictionary", str(ROOT / "tests/repository/spelling.txt"),
            "--ignore-words", str(ROOT / "tests/repository/spelling_known.txt")]

TIDY = ("clang-tidy", "clang-tidy-19", "clang-tidy-14")


@dataclass(frozen=True)
class Gate:
    tools: tuple  # commands that do; the first that is there, and of the pinned version, is taken
    package: str  # Debian's
    wants: object  # whether a file is for this gate
    arguments: list
    at_once: int  # files per call
    version: str = ""  # what `--version` must say

    def tool(self):
        for tool in self.tools:
            command = tool.split()
            if not shutil.which(command[0]):
                continue
            done = subprocess.run([*command, "--version"], capture_output=True, text=True,
                                  check=False)
            if done.returncode == 0 and self.version in done.stdout:
                return command
        print(f"gate.py: needs {self.tools[0]}. Debian/Ubuntu: apt install {self.package}")
        sys.exit(2)


GATES = {
    "format": Gate(("clang-format-14", "clang-format"), "clang-format-14", wants_format,
                   ["--dry-run", "-Werror"], 20, version="version 14."),
    "shell": Gate(("shellcheck",), "shellcheck", wants_shell, ["-S", "warning", "-x", "-a"], 20),
    "python": Gate(("python3 -m pyflakes", "/usr/bin/python3 -m pyflakes", "pyflakes3"),
                   "python3-pyflakes", wants_python, [], 100),
    "spelling": Gate(("codespell",), "codespell", wants_spelling, SPELLING, 400),
    "cppcheck": Gate(("cppcheck",), "cppcheck", wants_library, CPPCHECK, 12),
    "tidy": Gate(TIDY, "clang-tidy", wants_c, ["--quiet", "--checks=-clang-analyzer-*"], 6),
    "analyze": Gate(TIDY, "clang-tidy", wants_library, ["--quiet"], 2),
}


def run(command):
    """The exit status and what a person wants to read of the output."""
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    lines = [line for line in (result.stdout + result.stderr).split("\n")
             if line and not re.match(r"\d+ warnings? (generated|treated)|Suppressed |Use -header",
                                      line)]
    return result.returncode, "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("gate", choices=GATES)
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("files", nargs="*", metavar="FILE")
    options = parser.parse_args()
    gate = GATES[options.gate]
    command, after = [*gate.tool(), *gate.arguments], []
    reads_flags = gate.tools is TIDY

    names = [os.path.abspath(name) for name in options.files]
    if not names:
        names = [name for name in files_of() if gate.wants(name)]
        if reads_flags:
            names = compiled(names, options.build)
            command += ["-p", options.build]
    elif reads_flags:
        command += [f"--config-file={ROOT}/.clang-tidy"]
        after = ["--", "-std=c11"]
    elif options.gate == "format":
        command += [f"--style=file:{ROOT}/.clang-format"]
    if not names:
        sys.exit("gate.py: no file to look at")

    calls = [[*command, *names[i:i + gate.at_once], *after]
             for i in range(0, len(names), gate.at_once)]
    with ThreadPoolExecutor(os.cpu_count() or 2) as pool:
        results = list(pool.map(run, calls))
    for _, text in results:
        if text:
            print(text)
    bad = any(status for status, _ in results)
    print(f"{options.gate}: {len(names)} files, {'see above' if bad else 'nothing found'}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
