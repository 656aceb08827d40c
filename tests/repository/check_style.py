#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What every file of the repository must satisfy: licence line, whitespace, width, length, and
nothing that belongs to one person's machine.

    check_style.py [ROOT]

Looks at what git would commit (tracked and untracked, not ignored); without git, at every file that
is not in a build folder. Prints one line per complaint and exits 1 when there is any.
"""

import re
import sys
from pathlib import Path

import lengths
from tracked import ROOT, files_of

SOURCES = {".c", ".h", ".cu", ".cuh", ".def", ".py", ".sh", ".awk", ".cmake"}
SOURCE_NAMES = {"Makefile", "CMakeLists.txt", "simtcc", "make_exercise", "run"}
TEXTS = SOURCES | {".md", ".in", ".json", ".css", ".html", ".csv", ".txt", ".ptx"}
WIDTH = 100
WIDE_IS_FINE = {".md", ".html", ".css", ".csv", ".json", ".in", ".txt", ".ptx", ".def"}
TABLES = {"tests/simt/opcode_cases.py", "common/scripts/setup.sh"}  # as wide as they must be
UNCHECKED = re.compile(r"(^|/)(corpus|data)/|\.(png|svg|pdf|zst)$|^tests/simt/(fuzz|ptx)/")

# Traces of a machine, a person or an unfinished edit; spelled so that this file passes itself.
FORBIDDEN = [
    (re.compile(r"(?<![\w.])/(?:ro" r"ot|ho" r"me(?!/zo)|Us" r"ers|work|mnt)/[\w.-]+"),
     "a path of one machine"),
    (re.compile(r"\b(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01]))(?:\.\d{1,3}){2,3}(?!\d)(?=\D*$)"),
     "an address of a private network"),
    (re.compile(r"^(?:<{7}|>{7}|={7})(?: |$)", re.MULTILINE), "a merge conflict"),
    (re.compile(r"BEGIN [A-Z ]*PRIVATE" r" KEY"), "a private key"),
    (re.compile(r"https?://[^\s/)>\"]*(?:mirror|artifact|registry|internal|localhost)[^\s)>\"]*"),
     "the address of a mirror or of a local service"),
    (re.compile(r"\bFIX" r"ME\b|\bXX" r"X\b"), "a note to be dealt with"),
]


def is_source(path):
    return path.suffix in SOURCES or path.name in SOURCE_NAMES


def check_header(text):
    first = text.split("\n", 3)[:2]
    if not any("SPDX-License-Identifier: MIT" in line for line in first):
        yield 1, "no SPDX licence line at the top"


def check_lines(path, text, is_table):
    if not text.endswith("\n"):
        yield text.count("\n") + 1, "no newline at the end"
    for number, line in enumerate(text.split("\n"), 1):
        if line.endswith((" ", "\t")) and path.suffix != ".md":
            yield number, "blanks at the end of the line"
        if "\r" in line:
            yield number, "a carriage return"
        if "\t" in line and is_source(path) and path.name != "Makefile" and path.suffix != ".def":
            yield number, "a tab"
        if len(line) > WIDTH and not is_table and path.suffix not in WIDE_IS_FINE:
            yield number, f"{len(line)} columns; at most {WIDTH}"


def check_forbidden(text):
    for pattern, what in FORBIDDEN:
        for match in pattern.finditer(text):
            yield text.count("\n", 0, match.start()) + 1, f"{what}: {match.group(0)[:60]}"


def check_file(root, name):
    path = root / name
    if UNCHECKED.search(name):
        return
    if path.suffix not in TEXTS and path.name not in SOURCE_NAMES:
        return
    try:
        text = path.read_bytes().decode("utf-8")
    except UnicodeDecodeError:
        yield 1, "not UTF-8"
        return
    # The student's own files may look as they like.
    if name.startswith("exercises/"):
        return
    if is_source(path):
        yield from check_header(text)
        if path.suffix != ".def":
            yield from lengths.check(name, text)
    yield from check_lines(path, text, name in TABLES)
    yield from check_forbidden(text)


def main():
    root = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else ROOT
    names = files_of(root)
    n_complaints = 0
    for name in names:
        for line, complaint in check_file(root, name):
            print(f"{name}:{line}: {complaint}")
            n_complaints += 1
    for name in lengths.gone(names) if root == ROOT else ():
        print(f"{name}: is not there any more: lengths.py names it")
        n_complaints += 1
    print(f"{len(names)} files, {n_complaints} complaints")
    return 1 if n_complaints or not names else 0


if __name__ == "__main__":
    sys.exit(main())
