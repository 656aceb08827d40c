#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Which tests there are in which configuration: what a build has is what is written down, so that
no component and no test is left out without a word.

    inventory.py BUILD            compares; exit 1 where they differ
    inventory.py --absent BUILD   what other configurations have and this one lacks, by its reason
    inventory.py --nightly BUILD  how many of its tests `make check` leaves to the nightly run
    inventory.py --write          writes inventory.txt anew, from fresh builds of each configuration

The configurations are simt (the software GPU, without nvcc), nvcc (the same, nvcc is there),
cuda (lessons run on a GPU) and asan (WORKBOOK_SANITIZE). --write on a machine without nvcc keeps
what is stored of nvcc and cuda, and takes it for granted that a new test is in both.
"""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

from tracked import ROOT

STORED = Path(__file__).resolve().parent / "inventory.txt"
NIGHTLY = ROOT / "tests/nightly.txt"
OPTIONS = {
    "simt": ["-DWORKBOOK_BACKEND=SIMT", "-DWORKBOOK_NVCC="],
    "nvcc": ["-DWORKBOOK_BACKEND=SIMT"],
    "cuda": ["-DWORKBOOK_BACKEND=CUDA", "-DCMAKE_CUDA_ARCHITECTURES=90"],
    "asan": ["-DWORKBOOK_BACKEND=SIMT", "-DWORKBOOK_SANITIZE=ON"],
}
NEED_NVCC = ("nvcc", "cuda")
HEAD = """# SPDX-License-Identifier: MIT
# Every test, and the configurations in which it is run: inventory.py, which also writes this file
# (inventory.py --write) after a test has come or gone.
"""


def cached(build, name):
    text = (Path(build) / "CMakeCache.txt").read_text(encoding="utf-8")
    found = re.search(rf"^{name}:\w+=(.*)$", text, re.MULTILINE)
    return found[1] if found else ""


def configuration(build):
    if cached(build, "WORKBOOK_SANITIZE").upper() in ("ON", "1", "TRUE", "YES"):
        return "asan"
    if cached(build, "WORKBOOK_BACKEND_RESOLVED") == "CUDA":
        return "cuda"
    return "nvcc" if Path(cached(build, "WORKBOOK_NVCC") or "/none").exists() else "simt"


def tests_of(build):
    done = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                          capture_output=True, text=True)
    names = Counter(test["name"] for test in json.loads(done.stdout)["tests"])
    twice = [name for name, n in names.items() if n > 1]
    if twice:
        raise ValueError(f"two tests have one name: {', '.join(twice)}")
    return set(names)


def stored(path=STORED):
    """{test: set of configurations}"""
    tests = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line or line.startswith("#"):
            continue
        name, colon, where = line.partition(": ")
        if not colon or name in tests or not set(where.split()) <= set(OPTIONS):
            raise ValueError(f"{path.name}:{number}: want 'test: configurations', each test once")
        tests[name] = set(where.split())
    return tests


def complaints(tests, here, has):
    """What differs between the stored `tests` and what a build of configuration `here` has."""
    wanted = {name for name, where in tests.items() if here in where}
    lacking = [f"missing: {name}" for name in sorted(wanted - has)]
    return lacking + [f"not in {STORED.name}: {name}" for name in sorted(has - wanted)]


def check(build):
    here, has = configuration(build), tests_of(build)
    found = complaints(stored(), here, has)
    for line in found:
        print(line)
    if found:
        print(f"If that is as it should be: python3 -B {Path(__file__).relative_to(ROOT)} --write")
    print(f"configuration {here}: {len(has)} tests, {len(found)} complaints")
    return 1 if found else 0


WHY = {"nvcc": "nvcc is not installed", "cuda": "no GPU is used", "simt": "a GPU runs the lessons"}


def absent(build):
    """Lines that say how many tests of other configurations this build lacks, and why."""
    here = configuration(build)
    reasons = Counter()
    for where in stored().values():
        if here in where or not where & set(WHY):
            continue
        reasons["simt" if "simt" in where else "nvcc" if "nvcc" in where else "cuda"] += 1
    return [f"{n} tests are not part of this run: {WHY[other]}" for other, n in reasons.items()]


def nightly_patterns(path=NIGHTLY):
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if line and not line.startswith("#")]


def nightly(build):
    """A line that says how many of a build's tests only the nightly run takes, and how to."""
    here = configuration(build)
    names = [name for name, where in stored().items() if here in where]
    left = [name for name in names
            if any(re.fullmatch(pattern, name) for pattern in nightly_patterns())]
    return f"{len(left)} tests are left to the nightly run (tests/nightly.txt): make check ALL=1"


def configured(work):
    """{configuration: tests} of fresh builds; without nvcc, of those that do not need it."""
    found = {}
    for name, options in OPTIONS.items():
        if name in NEED_NVCC and not (shutil.which("nvcc")
                                      or Path("/usr/local/cuda/bin/nvcc").exists()):
            continue
        build = Path(work) / name
        print(f"configuring {name} ...", file=sys.stderr)
        done = subprocess.run(["cmake", "-S", ROOT, "-B", build, *options], capture_output=True,
                              text=True, check=False)
        if done.returncode != 0:
            sys.exit(done.stdout + done.stderr)
        found[name] = tests_of(build)
    return found


def merged(before, found):
    names = set().union(*found.values())
    names |= {name for name, where in before.items() if where - set(found)}
    tests = {}
    for name in names:
        where = {known for known, has in found.items() if name in has}
        where |= before.get(name, set(NEED_NVCC)) - set(found)
        tests[name] = where
    return tests


def write():
    with tempfile.TemporaryDirectory() as work:
        tests = merged(stored() if STORED.exists() else {}, configured(work))
    lines = [f"{name}: {' '.join(known for known in OPTIONS if known in tests[name])}\n"
             for name in sorted(tests)]
    counts = ", ".join(f"{known} {sum(known in where for where in tests.values())}"
                       for known in OPTIONS)
    STORED.write_text(HEAD + "".join(lines), encoding="utf-8")
    print(f"{STORED.name}: {counts}")
    return 0


def main():
    arguments = sys.argv[1:]
    if arguments == ["--write"]:
        return write()
    if len(arguments) == 2 and arguments[0] == "--absent":
        print("".join(f"{line}\n" for line in absent(arguments[1])), end="")
        return 0
    if len(arguments) == 2 and arguments[0] == "--nightly":
        print(nightly(arguments[1]))
        return 0
    if len(arguments) != 1 or arguments[0].startswith("-"):
        sys.exit(__doc__)
    return check(arguments[0])


if __name__ == "__main__":
    sys.exit(main())
