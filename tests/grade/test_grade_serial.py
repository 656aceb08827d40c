#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Points are for the technique as well: kernels that give right results in another way than the
exercise asks for get half of them at most, right ones of any form get all.

    test_grade_serial.py PATH/TO/grade BUILD_DIR

tests/grade/serial/NN_name.WHAT.cu: the wrong way; tests/grade/honest/NN_name.WHAT.cu,
tests/mutants/NN_name/*.cu and the solutions: right ways. The untouched exercises get nothing, and
all their checks are judged.
"""

import csv
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "tests/grade"


def hand_in(folder):
    """Writes a class of one-file students; returns {student: (exercise, is it honest)}."""
    files = [(path, path.name.split(".")[0], False) for path in (HERE / "serial").glob("*.cu")]
    files += [(path, path.name.split(".")[0], True) for path in (HERE / "honest").glob("*.cu")]
    files += [(path, path.parent.name, True) for path in (ROOT / "tests/mutants").glob("*/*.cu")]
    files += [(path, path.stem, True) for path in (ROOT / "solutions").glob("*.cu")]
    files += [(path, path.stem, False) for path in (ROOT / "exercises").glob("*.cu")]
    # The warm-up gives no points.
    files = [one for one in files if (ROOT / "lessons" / one[1]).is_dir()]
    expected = {}
    for path, exercise, honest in files:
        student = f"{path.parent.name}.{path.stem}"
        (folder / student).mkdir(parents=True)
        shutil.copy(path, folder / student / f"{exercise}.cu")
        expected[student] = (exercise, honest)
    return expected


def main():
    program, build = sys.argv[1:3]
    complaints = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        expected = hand_in(folder / "class")
        (folder / "out").mkdir()
        done = subprocess.run([program, "--build", build, "--submissions", folder / "class",
                               "--out", folder / "out", "--check", "all", "--schedule", "sweep:4"],
                              capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
        if done.returncode != 0:
            complaints.append(f"exit status {done.returncode}: {done.stderr}")
        with open(folder / "out/grades.csv", newline="", encoding="utf-8") as file:
            rows = {row["student"]: row for row in csv.DictReader(file)}
        # Not by the files' names: those of long names are shortened.
        results = [json.loads(path.read_text()) for path in (folder / "out/students").iterdir()]
        results = {result["student"]: result["exercises"] for result in results}
        for student, (exercise, honest) in sorted(expected.items()):
            points = int(rows[student][exercise] or -1)
            checks = [check for one in results[student] if one["exercise"] == exercise
                      for check in one["checks"]]
            technique = [check for check in checks if check["check"] == "technique"]
            if sum(check["max_points"] for check in checks) != 100 or not technique:
                complaints.append(f"{student}: the checks do not make 100 points with a technique")
            elif honest and points != 100:
                lost = [(check["check"], check["reason"]) for check in checks
                        if check["status"] != "pass"]
                complaints.append(f"{student}: {points} points for a right program: {lost}")
            elif not honest and (points > 50 or technique[0]["status"] != "fail" or
                                 not technique[0]["explanation"]):
                complaints.append(f"{student}: {points} points, technique: {technique[0]}")
    print("\n".join(complaints) or f"{len(expected)} programs have the points they deserve")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
