#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""check_modules.py: finds headers that include each other and modules that need each other, and
nothing where includes run one way."""

import subprocess
import sys
import tempfile
from pathlib import Path

SCRIPT = Path(__file__).resolve().parent / "check_modules.py"


def source(*headers):
    return "".join(f'#include "{header}"\n' for header in headers)


# What is in the folder, and the complaints' ends.
CASES = {
    "one way": ({"common/grade/a.c": source("a.h", "b.h"), "common/grade/a.h": source("c.h"),
                 "common/grade/b.c": source("b.h", "c.h"), "common/grade/b.h": "",
                 "common/grade/c.h": ""}, []),
    "two modules": ({"common/grade/a.c": source("a.h", "b.h"), "common/grade/a.h": "",
                     "common/grade/b.c": source("b.h", "a.h"), "common/grade/b.h": ""},
                    ["need each other: common/grade/a, common/grade/b"]),
    "three, one by its folder's name": (
        {"common/grade/a.c": source("b.h"), "common/grade/a.h": "",
         "common/grade/b.h": source("grade/c.h"), "common/grade/c.c": source("a.h"),
         "common/grade/c.h": ""},
        ["need each other: common/grade/a, common/grade/b, common/grade/c"]),
    "two modules elsewhere": ({"common/workbook/a.c": source("b.h"), "common/workbook/a.h": "",
                               "common/workbook/b.c": source("a.h"), "common/workbook/b.h": ""},
                              []),
    "two headers": ({"tests/a.h": source("../common/workbook/b.h"),
                     "common/workbook/b.h": source("../../tests/a.h")},
                    ["include each other: common/workbook/b.h, tests/a.h"]),
    "a header of itself": ({"bench/a.cuh": source("a.cuh")}, ["each other: bench/a.cuh"]),
    "a list that is read twice": ({"common/simt/base/a.def": "ROW(1)\n",
                                   "common/simt/base/a.h": source("base/a.def", "base/a.def"),
                                   "common/simt/base/a.c": source("base/a.h", "base/a.def")}, []),
}


def main():
    failures = 0
    for what, (files, wanted) in CASES.items():
        with tempfile.TemporaryDirectory() as folder:
            for name, text in files.items():
                (Path(folder) / name).parent.mkdir(parents=True, exist_ok=True)
                (Path(folder) / name).write_text(text, encoding="utf-8")
            done = subprocess.run([sys.executable, "-B", SCRIPT, folder], capture_output=True,
                                  text=True, check=False)
        found = done.stdout.splitlines()[:-1]
        if (done.returncode != (1 if wanted else 0) or len(found) != len(wanted) or
                not all(a.endswith(b) for a, b in zip(found, wanted))):
            print(f"FAIL: {what}: {done.stdout}{done.stderr}")
            failures += 1
    print(f"{len(CASES)} cases, {failures} failures")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
