#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Every name of CUDA that one of HIP's stands for exists, and hipGetErrorName() knows every error.

    check_hip_names.py INCLUDE_FOLDER...

The names are the macros of simt_hip/hip/cuda_names.h in the first folder. Each folder (the software
GPU's headers, and the toolkit's where it is installed) must have what they stand for as a word.
Macros that no program uses are compiled by nothing, so a misspelt one would not show otherwise.
Exits 1 and lists what is wrong; a planted mistake of each kind must be found first.
"""

import re
import sys
from pathlib import Path

NAME = re.compile(r"^#define (hip\w+) (\w+)$", re.MULTILINE)


def complaints_of(names, words, errors):
    """NAMES: pairs of HIP's and CUDA's; WORDS: what the headers say; ERRORS: hip_errors.def."""
    found = [f"{hip} stands for {cuda}, which does not exist" for hip, cuda in names
             if cuda not in words]
    said = set(re.findall(r"SIMT_HIP_ERROR\((\w+)\)", errors))
    newest = {}
    for hip, cuda in names:
        if re.match(r"cudaError[A-Z]", cuda):
            newest.setdefault(cuda, hip)
    found += [f"hipGetErrorName() does not know {hip}" for hip in newest.values()
              if hip not in said]
    return found


def words_of(folder):
    files = [path for path in folder.rglob("*") if path.is_file() and "simt_hip" not in path.parts
             and path.suffix in (".h", ".hpp", ".def")]
    return set(re.findall(r"\w+", "".join(path.read_text(errors="replace") for path in files)))


def main():
    planted = complaints_of([("hipMalloc", "cudaMaloc"), ("hipErrorOdd", "cudaErrorOdd"),
                             ("hipFree", "cudaFree")], {"cudaFree", "cudaErrorOdd"}, "")
    if planted != ["hipMalloc stands for cudaMaloc, which does not exist",
                   "hipGetErrorName() does not know hipErrorOdd"]:
        print(f"the check does not find what is planted: {planted}")
        return 1
    folders = [Path(name) for name in sys.argv[1:]]
    headers = folders[0] / "simt_hip/hip"
    names = NAME.findall((headers / "cuda_names.h").read_text(encoding="utf-8"))
    errors = (headers / "hip_errors.def").read_text(encoding="utf-8")
    wrong = [] if len(names) > 100 else ["cuda_names.h: no names understood"]
    for folder in folders:
        wrong += [f"{folder.name}: {text}" for text in complaints_of(names, words_of(folder),
                                                                   errors)]
    print("\n".join(wrong) or f"{len(names)} names in {len(folders)} sets of headers")
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
