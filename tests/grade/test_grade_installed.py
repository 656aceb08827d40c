#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The grader as it is installed: `cmake --install` into a prefix, then a class graded from there,
with neither the workbook's folder nor the build folder in sight.

    test_grade_installed.py BUILD_DIR
"""

import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXERCISE = "01_shared_tree"


def out_of_sight(build):
    """How to run a program that sees neither folder; nothing where there is no bubblewrap."""
    if not shutil.which("bwrap"):
        return []
    words = ["bwrap", "--dev-bind", "/", "/", "--tmpfs", ROOT]
    if ROOT not in build.parents:
        words += ["--tmpfs", build]
    works = subprocess.run([*words, "test", "!", "-e", ROOT / "README.md"], check=False,
                           capture_output=True).returncode == 0
    return words if works else []


def call(words, folder, *arguments):
    environment = {key: value for key, value in os.environ.items()
                   if key not in ("REDUCTION_BUILD", "GRADE_OPTIONS")}
    return subprocess.run([*words, folder / "prefix/bin/reduction-grade", *arguments], cwd=folder,
                          capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL,
                          env=environment)


def judge(folder, build):
    """What is wrong with the installed grader."""
    for student, path in (("ada", f"solutions/{EXERCISE}.cu"), ("bob", f"exercises/{EXERCISE}.cu")):
        (folder / "class" / student).mkdir(parents=True)
        shutil.copy(ROOT / path, folder / "class" / student)
    (folder / "class/eve").mkdir()
    (folder / f"class/eve/{EXERCISE}.cu").write_text(f'#include "{ROOT}/solutions/{EXERCISE}.cu"\n')
    words = out_of_sight(build)
    # One fence in another is more than some machines allow; what is tested here needs none.
    done = call(words, folder, "--submissions", "class", "--names", EXERCISE, "--format",
                "gradescope", "--sandbox", "limits", "--allow-unsafe", "yes")
    if done.returncode != 0:
        return f"exit status {done.returncode}: {done.stdout}{done.stderr}"
    with open(folder / "grade/grades.csv", newline="", encoding="utf-8") as file:
        points = {row["student"]: row[EXERCISE] for row in csv.DictReader(file)}
    if points != {"ada": "100", "bob": "0", "eve": "0"}:
        return f"points: {points}"
    if json.loads((folder / "grade/gradescope/ada.json").read_text())["score"] != 100:
        return "what Gradescope gets has other points"
    # With the fence of this machine, whichever it is.
    done = call([], folder, "--submissions", "class", "--names", EXERCISE, "--student", "ada",
                "--out", "fenced", "--allow-unsafe", "yes")
    if done.returncode != 0 or "1 exercise judged" not in done.stdout:
        return f"with a fence: {done.returncode}: {done.stdout}{done.stderr}"
    (folder / "prefix/libexec/reduction-workbook/grade").unlink()
    done = call([], folder, "--submissions", "class")
    if done.returncode != 2 or "build.sh judge" not in done.stderr:
        return f"without a grader: {done.returncode}: {done.stderr}"
    return None


def main():
    build = Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        done = subprocess.run(["cmake", "--install", build, "--prefix", folder / "prefix"],
                              capture_output=True, text=True, check=False)
        wrong = done.stderr if done.returncode else judge(folder, build)
    print(wrong or "the installed grader needs nothing of the workbook's folder")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
