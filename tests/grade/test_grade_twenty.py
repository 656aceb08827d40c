#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""A class of twenty on all exercises: solutions, stubs and mutants get the points they deserve.

    test_grade_twenty.py PATH/TO/grade BUILD_DIR

Every student hands in some of the exercises. A solution deserves all points; a stub, or nothing,
none; a mutant loses at least the check that its file names, and keeps what it passes.
"""

import csv
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.dont_write_bytecode = True
sys.path.insert(0, str(ROOT / "tests/mutants"))
import run_mutants  # noqa: E402

N_STUDENTS = 20
HANDED_IN = ["solution", None, "mutant", None, "stub", None, "mutant"]  # by student and exercise


def mutant_of(name, turn):
    """A mutant's text and the check that it must fail."""
    paths = sorted((ROOT / "tests/mutants" / name).glob("*.mutant"))
    fields, text = run_mutants.mutant_text(paths[turn % len(paths)])
    return text, fields["EXPECT-CHECK"][0]


def hand_in(folder, names):
    """Writes the class; returns deserved[student][exercise]: (kind, check that must fail)."""
    deserved = {}
    for student in range(N_STUDENTS):
        place = folder / f"student{student:02}"
        place.mkdir(parents=True)
        rows = deserved[place.name] = {}
        for index, name in enumerate(names):
            kind = HANDED_IN[(2 * student + index) % len(HANDED_IN)]
            text, check = None, None
            if kind == "mutant":
                text, check = mutant_of(name, 3 * student + index)
            elif kind == "solution":
                text = (ROOT / "solutions" / f"{name}.cu").read_text(encoding="utf-8")
            elif kind == "stub":  # not from exercises/, which may have been edited
                text = subprocess.run([ROOT / "common/scripts/make_exercise", "--stdout", name],
                                      check=True, capture_output=True, text=True).stdout
            if text:
                (place / f"{name}.cu").write_text(text, encoding="utf-8")
            rows[name] = (kind, check)
    return deserved


def complaint(kind, check, exercise, points):
    """Why these points are not deserved, or None."""
    if points != sum(row["points"] for row in exercise["checks"]):
        return "the points are not the sum of the checks"
    if kind == "solution":
        return None if points == exercise["max_points"] == 100 else "a solution deserves all points"
    if kind in (None, "stub"):
        return None if points == 0 else "nothing was done: no points"
    failed = [row["check"] for row in exercise["checks"] if row["status"] == "fail"]
    return None if check in failed and points < 100 else f"the mutant must fail {check}"


def main():
    program, build = sys.argv[1:3]
    names = sorted(path.stem for path in (ROOT / "solutions").glob("[0-9]*.cu"))
    complaints = []
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        deserved = hand_in(folder / "class", names)
        (folder / "out").mkdir()
        done = subprocess.run([program, "--build", build, "--submissions", folder / "class",
                               "--out", folder / "out"], capture_output=True, text=True,
                              check=False, stdin=subprocess.DEVNULL)
        with open(folder / "out/grades.csv", newline="", encoding="utf-8") as file:
            grades = list(csv.DictReader(file))
        for row in grades:
            result = json.loads((folder / f"out/students/{row['student']}.json").read_text())
            exercises = {exercise["exercise"]: exercise for exercise in result["exercises"]}
            points = [int(row[name] or -1) for name in names]
            if result["student"] != row["student"] or sum(points) != int(row["points"] or -1):
                complaints.append(f"{row['student']}: the row does not add up: {row}")
            for name, got in zip(names, points):
                kind, check = deserved[row["student"]][name]
                why = complaint(kind, check, exercises[name], got)
                if why:
                    complaints.append(f"{row['student']} {name} ({kind}): {got} points: {why}")
    if [row["student"] for row in grades] != sorted(deserved) or done.returncode != 0:
        complaints.append(f"exit status {done.returncode}, {len(grades)} rows: {done.stderr}")
    print("\n".join(complaints) or f"{len(grades)} students have the points they deserve")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
